// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.iota.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @iota(
// CHECK: linalg.index 1
// CHECK: arith.sitofp
func.func @iota() -> (tensor<2x3xf32>) {
  %0 = cuvil.iota {shape = #cuvil.dims<[2, 3]>, axis = 1 : i64, to = f32} : () -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}
