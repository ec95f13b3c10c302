// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.pad, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.pad constant %{{.*}}, %{{.*}} {high = #cuvil.dims<[2]>, low = #cuvil.dims<[1]>} : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
func.func @static(%x: tensor<3xf32>, %v: tensor<f32>) {
  %y = cuvil.pad constant %x, %v {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// CHECK-LABEL: @negative(
// CHECK: -> tensor<0xf32>
func.func @negative(%x: tensor<3xf32>) {
  %y = cuvil.pad edge %x {low = #cuvil.dims<[-1]>, high = #cuvil.dims<[-2]>} : (tensor<3xf32>) -> tensor<0xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xf32, #cuvil.dims<[@m + @n + 1]>>
func.func @symbolic(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  %y = cuvil.pad reflect %x {low = #cuvil.dims<[1]>, high = #cuvil.dims<[@m]>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[@m + @n + 1]>>
  return
}
