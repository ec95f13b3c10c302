// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.scatter_elements, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.scatter_elements none %{{.*}}, %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
func.func @static(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  %y = cuvil.scatter_elements none %x, %i, %u {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xf32, #cuvil.dims<[@n]>>
func.func @symbolic(%x: tensor<?xf32, #cuvil.dims<[@n]>>, %i: tensor<?xi64, #cuvil.dims<[@m]>>, %u: tensor<?xf32, #cuvil.dims<[@m]>>) {
  %y = cuvil.scatter_elements max %x, %i, %u {axis = 0 : i64} : (tensor<?xf32, #cuvil.dims<[@n]>>, tensor<?xi64, #cuvil.dims<[@m]>>, tensor<?xf32, #cuvil.dims<[@m]>>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return
}
