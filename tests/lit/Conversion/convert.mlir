// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.convert.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @saturate(
// CHECK: math.roundeven
// CHECK: arith.fptoui
func.func @saturate(%a0: tensor<2x3xf32>) -> (tensor<2x3xui8>) {
  %0 = cuvil.convert %a0 {to = ui8, round = "even", saturate = true} : (tensor<2x3xf32>) -> (tensor<2x3xui8>)
  return %0 : tensor<2x3xui8>
}

// CHECK-LABEL: @wrap(
// CHECK: arith.fptosi %{{.*}} : f32 to i64
// CHECK: arith.trunci
func.func @wrap(%a0: tensor<2x3xf32>) -> (tensor<2x3xi8>) {
  %0 = cuvil.convert %a0 {to = i8} : (tensor<2x3xf32>) -> (tensor<2x3xi8>)
  return %0 : tensor<2x3xi8>
}

// CHECK-LABEL: @widen(
// CHECK: arith.extui
func.func @widen(%a0: tensor<2x3xui8>) -> (tensor<2x3xi32>) {
  %0 = cuvil.convert %a0 {to = i32} : (tensor<2x3xui8>) -> (tensor<2x3xi32>)
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @bool(
// CHECK: arith.cmpf une
func.func @bool(%a0: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
  %0 = cuvil.convert %a0 {to = i1} : (tensor<2x3xf32>) -> (tensor<2x3xi1>)
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: @sign_only(
// CHECK: linalg.generic
// CHECK: linalg.yield %in
func.func @sign_only(%a0: tensor<2x3xui8>) -> (tensor<2x3xi8>) {
  %0 = cuvil.convert %a0 {to = i8} : (tensor<2x3xui8>) -> (tensor<2x3xi8>)
  return %0 : tensor<2x3xi8>
}

// CHECK-LABEL: @round_once(
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.ori
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @round_once(%a0: tensor<2xf64>) -> (tensor<2xf16>) {
  %0 = cuvil.convert %a0 {to = f16} : (tensor<2xf64>) -> (tensor<2xf16>)
  return %0 : tensor<2xf16>
}
