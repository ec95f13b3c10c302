// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.reshape, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.reshape %{{.*}} {shape = #cuvil.dims<[6]>} : (tensor<2x3xf32>) -> tensor<6xf32>
func.func @static(%x: tensor<2x3xf32>) {
  %y = cuvil.reshape %x {shape = #cuvil.dims<[6]>} : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x2xf32, #cuvil.dims<[2 * @n, 2]>>
func.func @symbolic(%x: tensor<?x4xf32, #cuvil.dims<[@n, 4]>>) {
  %y = cuvil.reshape %x {shape = #cuvil.dims<[2 * @n, 2]>} : (tensor<?x4xf32, #cuvil.dims<[@n, 4]>>) -> tensor<?x2xf32, #cuvil.dims<[(2 * @n), 2]>>
  return
}

// CHECK-LABEL: @scalar(
// CHECK: -> tensor<f32>
func.func @scalar(%x: tensor<1x1xf32>) {
  %y = cuvil.reshape %x {shape = #cuvil.dims<[]>} : (tensor<1x1xf32>) -> tensor<f32>
  return
}
