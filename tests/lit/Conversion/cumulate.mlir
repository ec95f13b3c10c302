// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.cumulate.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @exclusive(
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[X:.*]] = tensor.extract %arg0
// CHECK: arith.addf
// CHECK: tensor.insert
func.func @exclusive(%a0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.cumulate sum %a0 {axis = 1 : i64, exclusive = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}
