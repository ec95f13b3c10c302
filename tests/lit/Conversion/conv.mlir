// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.conv.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @padded(
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[0, 0, 1, 1]
// CHECK: ins(%arg2
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]
// CHECK: arith.mulf
func.func @padded(%a0: tensor<1x3x8x8xf32>, %a1: tensor<4x3x3x3xf32>, %a2: tensor<4xf32>) -> (tensor<1x4x8x8xf32>) {
  %0 = cuvil.conv %a0, %a1, %a2 {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> (tensor<1x4x8x8xf32>)
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: @grouped(
// CHECK: tensor.expand_shape %arg0
// CHECK: tensor.expand_shape %arg1
// CHECK: arith.mulf
// CHECK: tensor.collapse_shape
func.func @grouped(%a0: tensor<1x4x8x8xf32>, %a1: tensor<4x2x3x3xf32>) -> (tensor<1x4x6x6xf32>) {
  %0 = cuvil.conv %a0, %a1 {strides = array<i64: 1, 1>, low = #cuvil.dims<[0, 0]>, high = #cuvil.dims<[0, 0]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x4x8x8xf32>, tensor<4x2x3x3xf32>) -> (tensor<1x4x6x6xf32>)
  return %0 : tensor<1x4x6x6xf32>
}
