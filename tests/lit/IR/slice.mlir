// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.slice, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.slice %{{.*}} {sizes = #cuvil.dims<[2]>, starts = #cuvil.dims<[1]>, steps = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
func.func @static(%x: tensor<5xf32>) {
  %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[2]>, steps = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// CHECK-LABEL: @backwards(
// CHECK: -> tensor<3xf32>
func.func @backwards(%x: tensor<5xf32>) {
  %y = cuvil.slice %x {starts = #cuvil.dims<[4]>, sizes = #cuvil.dims<[3]>, steps = array<i64: -2>} : (tensor<5xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @empty(
// CHECK: -> tensor<0xf32>
func.func @empty(%x: tensor<5xf32>) {
  %y = cuvil.slice %x {starts = #cuvil.dims<[9]>, sizes = #cuvil.dims<[0]>, steps = array<i64: 1>} : (tensor<5xf32>) -> tensor<0xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: cuvil.slice
func.func @symbolic(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[max(0, @n + -1)]>, steps = array<i64: 1>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[max(0, @n + -1)]>>
  return
}
