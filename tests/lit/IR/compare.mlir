// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.compare, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.compare lt %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
func.func @static(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %m = cuvil.compare lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xi1, #cuvil.dims<[@n]>>
func.func @symbolic(%x: tensor<?xui8, #cuvil.dims<[@n]>>, %y: tensor<?xui8, #cuvil.dims<[@n]>>) {
  %m = cuvil.compare ne %x, %y : (tensor<?xui8, #cuvil.dims<[@n]>>, tensor<?xui8, #cuvil.dims<[@n]>>) -> tensor<?xi1, #cuvil.dims<[@n]>>
  return
}
