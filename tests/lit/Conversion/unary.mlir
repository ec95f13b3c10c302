// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.unary.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @exp(
// CHECK: linalg.generic
// CHECK: math.exp
func.func @exp(%a0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.unary exp %a0 : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @relu(
// CHECK: arith.cmpf ogt
// CHECK: arith.select
func.func @relu(%a0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.unary relu %a0 : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @half(
// CHECK: arith.extf
// CHECK: math.tanh
// CHECK: arith.truncf
func.func @half(%a0: tensor<2x3xf16>) -> (tensor<2x3xf16>) {
  %0 = cuvil.unary tanh %a0 : (tensor<2x3xf16>) -> (tensor<2x3xf16>)
  return %0 : tensor<2x3xf16>
}

// CHECK-LABEL: @leaky(
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: tensor.empty(%[[N]]) : tensor<?x3xf32>
// CHECK: arith.constant 1.000000e-01
func.func @leaky(%a0: tensor<?x3xf32, #cuvil.dims<[@n, 3]>>) -> (tensor<?x3xf32, #cuvil.dims<[@n, 3]>>) {
  %0 = cuvil.unary leaky_relu %a0 {alpha = 0.1 : f64} : (tensor<?x3xf32, #cuvil.dims<[@n, 3]>>) -> (tensor<?x3xf32, #cuvil.dims<[@n, 3]>>)
  return %0 : tensor<?x3xf32, #cuvil.dims<[@n, 3]>>
}

// CHECK-LABEL: @is_nan(
// CHECK: arith.cmpf uno
func.func @is_nan(%a0: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
  %0 = cuvil.unary is_nan %a0 : (tensor<2x3xf32>) -> (tensor<2x3xi1>)
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: @unsigned_abs(
// CHECK-SAME: tensor<2x3xi8>
// CHECK-NOT: math.absi
func.func @unsigned_abs(%a0: tensor<2x3xui8>) -> (tensor<2x3xui8>) {
  %0 = cuvil.unary abs %a0 : (tensor<2x3xui8>) -> (tensor<2x3xui8>)
  return %0 : tensor<2x3xui8>
}
