// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.unary, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.unary relu %{{.*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @static(%x: tensor<2x3xf32>) {
  %y = cuvil.unary relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @parameters(
// CHECK: cuvil.unary selu %{{.*}} {alpha = 1.500000e+00 : f64, beta = 1.000000e+00 : f64}
func.func @parameters(%x: tensor<2x3xf32>) {
  %y = cuvil.unary selu %x {alpha = 1.5 : f64, beta = 1.0 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @to_bool(
// CHECK: cuvil.unary is_nan %{{.*}} : (tensor<4xf16>) -> tensor<4xi1>
func.func @to_bool(%x: tensor<4xf16>) {
  %y = cuvil.unary is_nan %x : (tensor<4xf16>) -> tensor<4xi1>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x3xi32, #cuvil.dims<[@n, 3]>>
func.func @symbolic(%x: tensor<?x3xi32, #cuvil.dims<[@n, 3]>>) {
  %y = cuvil.unary not %x : (tensor<?x3xi32, #cuvil.dims<[@n, 3]>>) -> tensor<?x3xi32, #cuvil.dims<[@n, 3]>>
  return
}
