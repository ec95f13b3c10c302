// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.slice.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @forward(
// CHECK: tensor.extract_slice %arg0[1, 0] [2, 4] [2, 1]
func.func @forward(%a0: tensor<5x4xf32>) -> (tensor<2x4xf32>) {
  %0 = cuvil.slice %a0 {starts = #cuvil.dims<[1, 0]>, sizes = #cuvil.dims<[2, 4]>, steps = array<i64: 2, 1>} : (tensor<5x4xf32>) -> (tensor<2x4xf32>)
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @backward(
// CHECK: linalg.index 0
// CHECK: tensor.extract %arg0
func.func @backward(%a0: tensor<5xf32>) -> (tensor<3xf32>) {
  %0 = cuvil.slice %a0 {starts = #cuvil.dims<[4]>, sizes = #cuvil.dims<[3]>, steps = array<i64: -2>} : (tensor<5xf32>) -> (tensor<3xf32>)
  return %0 : tensor<3xf32>
}
