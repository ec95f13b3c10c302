// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.binary.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @add(
// CHECK: arith.addf
func.func @add(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.binary add %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @max(
// CHECK: arith.maximumf
func.func @max(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.binary max %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @div(
// CHECK: linalg.generic
// CHECK: arith.cmpi eq
// CHECK: cf.assert %{{.*}}, "run-time error 14"
// CHECK: arith.divsi
func.func @div(%a0: tensor<2x3xi32>, %a1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %0 = cuvil.binary div %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @unsigned_div(
// CHECK: arith.divui
func.func @unsigned_div(%a0: tensor<2x3xui8>, %a1: tensor<2x3xui8>) -> (tensor<2x3xui8>) {
  %0 = cuvil.binary div %a0, %a1 : (tensor<2x3xui8>, tensor<2x3xui8>) -> (tensor<2x3xui8>)
  return %0 : tensor<2x3xui8>
}

// CHECK-LABEL: @mod(
// CHECK: arith.remf
// CHECK: math.copysign
func.func @mod(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.binary mod %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @shift(
// CHECK: arith.cmpi ult
// CHECK: arith.shli
func.func @shift(%a0: tensor<2x3xi32>, %a1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %0 = cuvil.binary shl %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @pow(
// CHECK: scf.for
// CHECK: arith.muli
func.func @pow(%a0: tensor<2x3xi32>, %a1: tensor<2x3xi32>) -> (tensor<2x3xi32>) {
  %0 = cuvil.binary pow %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi32>)
  return %0 : tensor<2x3xi32>
}

// A constant divisor without zeros needs no check.
// CHECK-LABEL: @constant_divisor(
// CHECK-NOT: cf.assert
// CHECK: arith.divsi
func.func @constant_divisor(%x: tensor<2xi32>) -> tensor<2xi32> {
  %c = cuvil.constant {value = dense<[2, -1]> : tensor<2xi32>} : () -> tensor<2xi32>
  %y = cuvil.binary div %x, %c : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %y : tensor<2xi32>
}
