// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.nonzero.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @nonzero(
// CHECK: scf.for
// CHECK: arith.cmpf une
// CHECK: arith.cmpi ult
// CHECK: scf.if
// CHECK: tensor.insert
func.func @nonzero(%a0: tensor<4xf32>, %a1: i64 {cuvil.symbol = "n"}) -> (tensor<1x?xi64, #cuvil.dims<[1, @n]>>) {
  %0 = cuvil.nonzero %a0 {count = #cuvil.dims<[@n]>} : (tensor<4xf32>) -> (tensor<1x?xi64, #cuvil.dims<[1, @n]>>)
  return %0 : tensor<1x?xi64, #cuvil.dims<[1, @n]>>
}
