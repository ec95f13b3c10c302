// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.clamp, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
func.func @static(%x: tensor<4xf32>, %lo: tensor<f32>, %hi: tensor<f32>) {
  %y = cuvil.clamp %x, %lo, %hi : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xi8, #cuvil.dims<[@n]>>
func.func @symbolic(%x: tensor<?xi8, #cuvil.dims<[@n]>>, %lo: tensor<i8>, %hi: tensor<i8>) {
  %y = cuvil.clamp %x, %lo, %hi : (tensor<?xi8, #cuvil.dims<[@n]>>, tensor<i8>, tensor<i8>) -> tensor<?xi8, #cuvil.dims<[@n]>>
  return
}
