// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.insert_slice.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @insert(
// CHECK: tensor.insert_slice %arg1 into %arg0[1] [2] [2]
func.func @insert(%a0: tensor<5xf32>, %a1: tensor<2xf32>) -> (tensor<5xf32>) {
  %0 = cuvil.insert_slice %a0, %a1 {starts = #cuvil.dims<[1]>, steps = array<i64: 2>} : (tensor<5xf32>, tensor<2xf32>) -> (tensor<5xf32>)
  return %0 : tensor<5xf32>
}
