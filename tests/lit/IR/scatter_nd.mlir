// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.scatter_nd, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.scatter_nd add %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
func.func @static(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) {
  %y = cuvil.scatter_nd add %x, %i, %u : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x3xf32, #cuvil.dims<[@n, 3]>>
func.func @symbolic(%x: tensor<?x3xf32, #cuvil.dims<[@n, 3]>>, %i: tensor<?x1xi64, #cuvil.dims<[@m, 1]>>, %u: tensor<?x3xf32, #cuvil.dims<[@m, 3]>>) {
  %y = cuvil.scatter_nd none %x, %i, %u : (tensor<?x3xf32, #cuvil.dims<[@n, 3]>>, tensor<?x1xi64, #cuvil.dims<[@m, 1]>>, tensor<?x3xf32, #cuvil.dims<[@m, 3]>>) -> tensor<?x3xf32, #cuvil.dims<[@n, 3]>>
  return
}
