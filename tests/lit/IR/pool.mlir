// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.pool, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.pool max %{{.*}} {dilations = array<i64: 1>, high = #cuvil.dims<[0]>, kernel = array<i64: 2>, low = #cuvil.dims<[0]>, out = #cuvil.dims<[2]>, strides = array<i64: 2>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
func.func @static(%x: tensor<1x1x4xf32>) {
  %y = cuvil.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// CHECK-LABEL: @average(
// CHECK: count_include_pad = true
func.func @average(%x: tensor<1x1x4xf32>) {
  %y = cuvil.pool avg %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>, count_include_pad = true} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x1x?xf32, #cuvil.dims<[@n, 1, @o]>>
func.func @symbolic(%x: tensor<?x1x4xf32, #cuvil.dims<[@n, 1, 4]>>) {
  %y = cuvil.pool lp %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[@o]>, p = 2 : i64} : (tensor<?x1x4xf32, #cuvil.dims<[@n, 1, 4]>>) -> tensor<?x1x?xf32, #cuvil.dims<[@n, 1, @o]>>
  return
}
