// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.reduce, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.reduce sum %{{.*}} {axes = array<i64: 1>, keepdims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
func.func @static(%x: tensor<2x3xf32>) {
  %y = cuvil.reduce sum %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<3xf32>
func.func @symbolic(%x: tensor<?x3x?xf32, #cuvil.dims<[@n, 3, @m]>>) {
  %y = cuvil.reduce max %x {axes = array<i64: 2, 0>} : (tensor<?x3x?xf32, #cuvil.dims<[@n, 3, @m]>>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @nothing(
// CHECK: -> tensor<?xi1, #cuvil.dims<[@n]>>
func.func @nothing(%x: tensor<?xi1, #cuvil.dims<[@n]>>) {
  %y = cuvil.reduce or %x {axes = array<i64>} : (tensor<?xi1, #cuvil.dims<[@n]>>) -> tensor<?xi1, #cuvil.dims<[@n]>>
  return
}
