// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.reshape.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @split(
// CHECK: tensor.expand_shape %arg0 {{\[\[}}0, 1], [2]]
func.func @split(%a0: tensor<6x4xf32>) -> (tensor<2x3x4xf32>) {
  %0 = cuvil.reshape %a0 {shape = #cuvil.dims<[2, 3, 4]>} : (tensor<6x4xf32>) -> (tensor<2x3x4xf32>)
  return %0 : tensor<2x3x4xf32>
}

// CHECK-LABEL: @merge(
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2]]
func.func @merge(%a0: tensor<?x3x?xf32, #cuvil.dims<[@n, 3, @m]>>) -> (tensor<?x?xf32, #cuvil.dims<[3 * @n, @m]>>) {
  %0 = cuvil.reshape %a0 {shape = #cuvil.dims<[3 * @n, @m]>} : (tensor<?x3x?xf32, #cuvil.dims<[@n, 3, @m]>>) -> (tensor<?x?xf32, #cuvil.dims<[3 * @n, @m]>>)
  return %0 : tensor<?x?xf32, #cuvil.dims<[3 * @n, @m]>>
}

// CHECK-LABEL: @regroup(
// CHECK: tensor.collapse_shape %arg0 {{\[\[}}0, 1]]
// CHECK: tensor.expand_shape
func.func @regroup(%a0: tensor<4x6xf32>) -> (tensor<3x8xf32>) {
  %0 = cuvil.reshape %a0 {shape = #cuvil.dims<[3, 8]>} : (tensor<4x6xf32>) -> (tensor<3x8xf32>)
  return %0 : tensor<3x8xf32>
}

// CHECK-LABEL: @two_symbols(
// CHECK: tensor.collapse_shape
// CHECK: tensor.from_elements
// CHECK: tensor.reshape
func.func @two_symbols(%a0: tensor<?x3x?xf32, #cuvil.dims<[@n, 3, @m]>>) -> (tensor<?x3x?xf32, #cuvil.dims<[@m, 3, @n]>>) {
  %0 = cuvil.reshape %a0 {shape = #cuvil.dims<[@m, 3, @n]>} : (tensor<?x3x?xf32, #cuvil.dims<[@n, 3, @m]>>) -> (tensor<?x3x?xf32, #cuvil.dims<[@m, 3, @n]>>)
  return %0 : tensor<?x3x?xf32, #cuvil.dims<[@m, 3, @n]>>
}

// CHECK-LABEL: @scalar(
// CHECK: tensor.collapse_shape %arg0 []
func.func @scalar(%a0: tensor<1x1xf32>) -> (tensor<f32>) {
  %0 = cuvil.reshape %a0 {shape = #cuvil.dims<[]>} : (tensor<1x1xf32>) -> (tensor<f32>)
  return %0 : tensor<f32>
}
