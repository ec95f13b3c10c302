// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.transpose, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.transpose %{{.*}} {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
func.func @static(%x: tensor<2x3xf32>) {
  %y = cuvil.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x?x3xf32, #cuvil.dims<[@m, @n, 3]>>
func.func @symbolic(%x: tensor<?x3x?xf32, #cuvil.dims<[@n, 3, @m]>>) {
  %y = cuvil.transpose %x {perm = array<i64: 2, 0, 1>} : (tensor<?x3x?xf32, #cuvil.dims<[@n, 3, @m]>>) -> tensor<?x?x3xf32, #cuvil.dims<[@m, @n, 3]>>
  return
}

// CHECK-LABEL: @scalar(
// CHECK: -> tensor<f32>
func.func @scalar(%x: tensor<f32>) {
  %y = cuvil.transpose %x {perm = array<i64>} : (tensor<f32>) -> tensor<f32>
  return
}
