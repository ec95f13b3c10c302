// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.arg_reduce, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.arg_reduce max %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
func.func @static(%x: tensor<2x3xf32>) {
  %y = cuvil.arg_reduce max %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<1x?xi64, #cuvil.dims<[1, @m]>>
func.func @symbolic(%x: tensor<?x?xui8, #cuvil.dims<[@n, @m]>>) {
  %y = cuvil.arg_reduce min %x {axis = 0 : i64, keepdims = true, last = true} : (tensor<?x?xui8, #cuvil.dims<[@n, @m]>>) -> tensor<1x?xi64, #cuvil.dims<[1, @m]>>
  return
}
