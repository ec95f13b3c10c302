// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.normalize.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @batch(
// CHECK: math.sqrt
// CHECK-NOT: reduction
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @batch(%a0: tensor<1x4x2xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>, %a3: tensor<4xf32>, %a4: tensor<4xf32>) -> (tensor<1x4x2xf32>) {
  %0 = cuvil.normalize batch %a0, %a1, %a2, %a3, %a4 {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<1x4x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x4x2xf32>)
  return %0 : tensor<1x4x2xf32>
}

// CHECK-LABEL: @layer(
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: math.sqrt
func.func @layer(%a0: tensor<1x4x2xf32>) -> (tensor<1x4x2xf32>) {
  %0 = cuvil.normalize layer %a0 {eps = 1.0e-5 : f64, axis = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<1x4x2xf32>) -> (tensor<1x4x2xf32>)
  return %0 : tensor<1x4x2xf32>
}

// CHECK-LABEL: @rms(
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT: arith.subf
// CHECK: math.sqrt
func.func @rms(%a0: tensor<1x4x2xf32>, %a1: tensor<2xf32>) -> (tensor<1x4x2xf32>) {
  %0 = cuvil.normalize rms %a0, %a1 {eps = 1.0e-5 : f64, axis = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<1x4x2xf32>, tensor<2xf32>) -> (tensor<1x4x2xf32>)
  return %0 : tensor<1x4x2xf32>
}

// CHECK-LABEL: @group(
// CHECK: tensor.expand_shape %arg0
// CHECK: iterator_types = ["parallel", "parallel", "reduction", "reduction"]
// CHECK: tensor.collapse_shape
func.func @group(%a0: tensor<1x4x2xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) -> (tensor<1x4x2xf32>) {
  %0 = cuvil.normalize group %a0, %a1, %a2 {eps = 1.0e-5 : f64, groups = 2 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x4x2xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x4x2xf32>)
  return %0 : tensor<1x4x2xf32>
}

// CHECK-LABEL: @instance(
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: math.sqrt
func.func @instance(%a0: tensor<1x4x2xf32>, %a1: tensor<4xf32>, %a2: tensor<4xf32>) -> (tensor<1x4x2xf32>) {
  %0 = cuvil.normalize instance %a0, %a1, %a2 {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x4x2xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<1x4x2xf32>)
  return %0 : tensor<1x4x2xf32>
}
