// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.insert_slice, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.insert_slice %{{.*}}, %{{.*}} {starts = #cuvil.dims<[1]>, steps = array<i64: 1>} : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>
func.func @static(%x: tensor<5xf32>, %p: tensor<2xf32>) {
  %y = cuvil.insert_slice %x, %p {starts = #cuvil.dims<[1]>, steps = array<i64: 1>} : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xf32, #cuvil.dims<[@n]>>
func.func @symbolic(%x: tensor<?xf32, #cuvil.dims<[@n]>>, %p: tensor<?xf32, #cuvil.dims<[@m]>>) {
  %y = cuvil.insert_slice %x, %p {starts = #cuvil.dims<[0]>, steps = array<i64: 1>} : (tensor<?xf32, #cuvil.dims<[@n]>>, tensor<?xf32, #cuvil.dims<[@m]>>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return
}
