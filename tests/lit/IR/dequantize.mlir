// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.dequantize, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.dequantize %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
func.func @static(%q: tensor<4xui8>, %s: tensor<f32>, %z: tensor<ui8>) {
  %y = cuvil.dequantize %q, %s, %z : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x?xf16, #cuvil.dims<[@n, @c]>>
func.func @symbolic(%q: tensor<?x?xi8, #cuvil.dims<[@n, @c]>>, %s: tensor<?xf16, #cuvil.dims<[@c]>>, %z: tensor<?xi8, #cuvil.dims<[@c]>>) {
  %y = cuvil.dequantize %q, %s, %z {axis = 1 : i64} : (tensor<?x?xi8, #cuvil.dims<[@n, @c]>>, tensor<?xf16, #cuvil.dims<[@c]>>, tensor<?xi8, #cuvil.dims<[@c]>>) -> tensor<?x?xf16, #cuvil.dims<[@n, @c]>>
  return
}
