// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.pool.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @max(
// CHECK-NOT: tensor.insert_slice
// CHECK: ins(%arg0, %{{.*}} : tensor<1x1x4xf32>, tensor<2xi1>)
// CHECK: arith.maximumf
func.func @max(%a0: tensor<1x1x4xf32>) -> (tensor<1x1x2xf32>) {
  %0 = cuvil.pool max %a0 {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> (tensor<1x1x2xf32>)
  return %0 : tensor<1x1x2xf32>
}

// CHECK-LABEL: @avg(
// CHECK: tensor.insert_slice
// CHECK: arith.addf
// CHECK: arith.divf
func.func @avg(%a0: tensor<1x1x4xf32>) -> (tensor<1x1x3xf32>) {
  %0 = cuvil.pool avg %a0 {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[1]>, high = #cuvil.dims<[1]>, dilations = array<i64: 1>, out = #cuvil.dims<[3]>} : (tensor<1x1x4xf32>) -> (tensor<1x1x3xf32>)
  return %0 : tensor<1x1x3xf32>
}

// CHECK-LABEL: @lp(
// CHECK: arith.mulf
// CHECK: math.sqrt
func.func @lp(%a0: tensor<1x1x4xf32>) -> (tensor<1x1x2xf32>) {
  %0 = cuvil.pool lp %a0 {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>, p = 2 : i64} : (tensor<1x1x4xf32>) -> (tensor<1x1x2xf32>)
  return %0 : tensor<1x1x2xf32>
}
