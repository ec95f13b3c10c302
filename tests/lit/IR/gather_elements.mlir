// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.gather_elements, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.gather_elements %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
func.func @static(%x: tensor<2x3xf32>, %i: tensor<2x2xi64>) {
  %y = cuvil.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x2xf32, #cuvil.dims<[@m, 2]>>
func.func @symbolic(%x: tensor<?x3xf32, #cuvil.dims<[@n, 3]>>, %i: tensor<?x2xi64, #cuvil.dims<[@m, 2]>>) {
  %y = cuvil.gather_elements %x, %i {axis = 1 : i64} : (tensor<?x3xf32, #cuvil.dims<[@n, 3]>>, tensor<?x2xi64, #cuvil.dims<[@m, 2]>>) -> tensor<?x2xf32, #cuvil.dims<[@m, 2]>>
  return
}
