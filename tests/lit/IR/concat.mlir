// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.concat, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.concat %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
func.func @static(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  %y = cuvil.concat %a, %b {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<2x?xf32, #cuvil.dims<[2, 2 * @m + @n]>>
func.func @symbolic(%a: tensor<2x?xf32, #cuvil.dims<[2, @n]>>, %b: tensor<2x?xf32, #cuvil.dims<[2, @m]>>) {
  %y = cuvil.concat %a, %b, %b {axis = 1 : i64} : (tensor<2x?xf32, #cuvil.dims<[2, @n]>>, tensor<2x?xf32, #cuvil.dims<[2, @m]>>, tensor<2x?xf32, #cuvil.dims<[2, @m]>>) -> tensor<2x?xf32, #cuvil.dims<[2, 2 * @m + @n]>>
  return
}
