// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.arg_pool, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.arg_pool %{{.*}} {dilations = array<i64: 1>, high = #cuvil.dims<[0]>, kernel = array<i64: 2>, low = #cuvil.dims<[0]>, out = #cuvil.dims<[2]>, strides = array<i64: 2>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xi64>
func.func @static(%x: tensor<1x1x4xf32>) {
  %y = cuvil.arg_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xi64>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x1x2xi64, #cuvil.dims<[@n, 1, 2]>>
func.func @symbolic(%x: tensor<?x1x4xf32, #cuvil.dims<[@n, 1, 4]>>) {
  %y = cuvil.arg_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>, column_major = true} : (tensor<?x1x4xf32, #cuvil.dims<[@n, 1, 4]>>) -> tensor<?x1x2xi64, #cuvil.dims<[@n, 1, 2]>>
  return
}
