// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.gather_nd, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.gather_nd %{{.*}}, %{{.*}} : (tensor<2x2xf32>, tensor<3x2xi64>) -> tensor<3xf32>
func.func @static(%x: tensor<2x2xf32>, %i: tensor<3x2xi64>) {
  %y = cuvil.gather_nd %x, %i : (tensor<2x2xf32>, tensor<3x2xi64>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x?x4xf32, #cuvil.dims<[@b, @k, 4]>>
func.func @symbolic(%x: tensor<?x?x4xf32, #cuvil.dims<[@b, @n, 4]>>, %i: tensor<?x?x1xi64, #cuvil.dims<[@b, @k, 1]>>) {
  %y = cuvil.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<?x?x4xf32, #cuvil.dims<[@b, @n, 4]>>, tensor<?x?x1xi64, #cuvil.dims<[@b, @k, 1]>>) -> tensor<?x?x4xf32, #cuvil.dims<[@b, @k, 4]>>
  return
}
