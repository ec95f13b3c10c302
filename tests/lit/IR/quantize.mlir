// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.quantize, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.quantize %{{.*}}, %{{.*}}, %{{.*}} : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
func.func @static(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<ui8>) {
  %q = cuvil.quantize %x, %s, %z : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x?xi16, #cuvil.dims<[@n, @c]>>
func.func @symbolic(%x: tensor<?x?xf32, #cuvil.dims<[@n, @c]>>, %s: tensor<?xf32, #cuvil.dims<[@c]>>, %z: tensor<?xi16, #cuvil.dims<[@c]>>) {
  %q = cuvil.quantize %x, %s, %z {axis = 1 : i64} : (tensor<?x?xf32, #cuvil.dims<[@n, @c]>>, tensor<?xf32, #cuvil.dims<[@c]>>, tensor<?xi16, #cuvil.dims<[@c]>>) -> tensor<?x?xi16, #cuvil.dims<[@n, @c]>>
  return
}
