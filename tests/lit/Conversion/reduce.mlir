// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.reduce.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @sum(
// CHECK: linalg.fill
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: arith.addf
// CHECK: tensor.expand_shape
func.func @sum(%a0: tensor<2x3xf32>) -> (tensor<2x1xf32>) {
  %0 = cuvil.reduce sum %a0 {axes = array<i64: 1>, keepdims = true} : (tensor<2x3xf32>) -> (tensor<2x1xf32>)
  return %0 : tensor<2x1xf32>
}

// CHECK-LABEL: @max(
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: iterator_types = ["reduction", "parallel"]
// CHECK: arith.maximumf
func.func @max(%a0: tensor<2x3xf32>) -> (tensor<3xf32>) {
  %0 = cuvil.reduce max %a0 {axes = array<i64: 0>} : (tensor<2x3xf32>) -> (tensor<3xf32>)
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @half(
// CHECK: tensor.empty() : tensor<2xf32>
// CHECK: arith.extf
// CHECK: arith.divf
// CHECK: arith.truncf
func.func @half(%a0: tensor<2x3xf16>) -> (tensor<2xf16>) {
  %0 = cuvil.reduce mean %a0 {axes = array<i64: 1>} : (tensor<2x3xf16>) -> (tensor<2xf16>)
  return %0 : tensor<2xf16>
}

// CHECK-LABEL: @unsigned_min(
// CHECK: arith.constant -1 : i8
// CHECK: arith.minui
func.func @unsigned_min(%a0: tensor<2x3xui8>) -> (tensor<2xui8>) {
  %0 = cuvil.reduce min %a0 {axes = array<i64: 1>} : (tensor<2x3xui8>) -> (tensor<2xui8>)
  return %0 : tensor<2xui8>
}
