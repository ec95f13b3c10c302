// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.binary, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.binary add %{{.*}}, %{{.*}} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @static(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  %z = cuvil.binary add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xi64, #cuvil.dims<[@n]>>
func.func @symbolic(%x: tensor<?xi64, #cuvil.dims<[@n]>>, %y: tensor<?xi64, #cuvil.dims<[@m]>>) {
  %z = cuvil.binary mod %x, %y : (tensor<?xi64, #cuvil.dims<[@n]>>, tensor<?xi64, #cuvil.dims<[@m]>>) -> tensor<?xi64, #cuvil.dims<[@n]>>
  return
}

// CHECK-LABEL: @logical(
// CHECK: cuvil.binary and
func.func @logical(%x: tensor<2xi1>, %y: tensor<2xi1>) {
  %z = cuvil.binary and %x, %y : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  return
}
