// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.gather, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.gather %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
func.func @static(%x: tensor<5x2xf32>, %i: tensor<3xi64>) {
  %y = cuvil.gather %x, %i {axis = 0 : i64} : (tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x?x2xf32, #cuvil.dims<[@b, @k, 2]>>
func.func @symbolic(%x: tensor<?x?x2xf32, #cuvil.dims<[@b, @n, 2]>>, %i: tensor<?x?xi32, #cuvil.dims<[@b, @k]>>) {
  %y = cuvil.gather %x, %i {axis = 1 : i64, batch_dims = 1 : i64} : (tensor<?x?x2xf32, #cuvil.dims<[@b, @n, 2]>>, tensor<?x?xi32, #cuvil.dims<[@b, @k]>>) -> tensor<?x?x2xf32, #cuvil.dims<[@b, @k, 2]>>
  return
}

// CHECK-LABEL: @scalar_index(
// CHECK: -> tensor<f32>
func.func @scalar_index(%x: tensor<5xf32>, %i: tensor<i64>) {
  %y = cuvil.gather %x, %i {axis = 0 : i64} : (tensor<5xf32>, tensor<i64>) -> tensor<f32>
  return
}
