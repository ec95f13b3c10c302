// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.conv, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.conv %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, groups = 1 : i64, high = #cuvil.dims<[1, 1]>, input_dilations = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, strides = array<i64: 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
func.func @static(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// CHECK-LABEL: @strided_bias(
// CHECK: cuvil.conv
func.func @strided_bias(%x: tensor<?x4x?xf32, #cuvil.dims<[@n, 4, @h]>>, %w: tensor<6x2x3xf32>, %b: tensor<6xf32>) {
  %y = cuvil.conv %x, %w, %b {strides = array<i64: 2>, low = #cuvil.dims<[1]>, high = #cuvil.dims<[1]>, dilations = array<i64: 2>, input_dilations = array<i64: 1>, groups = 2 : i64} : (tensor<?x4x?xf32, #cuvil.dims<[@n, 4, @h]>>, tensor<6x2x3xf32>, tensor<6xf32>) -> tensor<?x6x?xf32, #cuvil.dims<[@n, 6, floordiv(@h + -3, 2) + 1]>>
  return
}

// CHECK-LABEL: @transposed(
// CHECK: -> tensor<1x4x16xf32>
func.func @transposed(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  %y = cuvil.conv %x, %w {strides = array<i64: 1>, low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>, dilations = array<i64: 1>, input_dilations = array<i64: 2>, groups = 1 : i64} : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x16xf32>
  return
}

// CHECK-LABEL: @empty(
// CHECK: -> tensor<1x4x0xf32>
func.func @empty(%x: tensor<1x3x1xf32>, %w: tensor<4x3x2xf32>) {
  %y = cuvil.conv %x, %w {strides = array<i64: 1>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, input_dilations = array<i64: 1>, groups = 1 : i64} : (tensor<1x3x1xf32>, tensor<4x3x2xf32>) -> tensor<1x4x0xf32>
  return
}
