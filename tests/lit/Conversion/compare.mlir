// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.compare.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @float(
// CHECK: arith.cmpf une
func.func @float(%a0: tensor<2x3xf32>, %a1: tensor<2x3xf32>) -> (tensor<2x3xi1>) {
  %0 = cuvil.compare ne %a0, %a1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xi1>)
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: @signed(
// CHECK: arith.cmpi slt
func.func @signed(%a0: tensor<2x3xi32>, %a1: tensor<2x3xi32>) -> (tensor<2x3xi1>) {
  %0 = cuvil.compare lt %a0, %a1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> (tensor<2x3xi1>)
  return %0 : tensor<2x3xi1>
}

// CHECK-LABEL: @unsigned(
// CHECK: arith.cmpi ult
func.func @unsigned(%a0: tensor<2x3xui8>, %a1: tensor<2x3xui8>) -> (tensor<2x3xi1>) {
  %0 = cuvil.compare lt %a0, %a1 : (tensor<2x3xui8>, tensor<2x3xui8>) -> (tensor<2x3xi1>)
  return %0 : tensor<2x3xi1>
}
