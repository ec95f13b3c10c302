// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.select, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.select %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
func.func @static(%m: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = cuvil.select %m, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xi1, #cuvil.dims<[@n]>>
func.func @symbolic(%m: tensor<?xi1, #cuvil.dims<[@n]>>, %x: tensor<?xi1, #cuvil.dims<[@n]>>, %y: tensor<?xi1, #cuvil.dims<[@n]>>) {
  %r = cuvil.select %m, %x, %y : (tensor<?xi1, #cuvil.dims<[@n]>>, tensor<?xi1, #cuvil.dims<[@n]>>, tensor<?xi1, #cuvil.dims<[@n]>>) -> tensor<?xi1, #cuvil.dims<[@n]>>
  return
}
