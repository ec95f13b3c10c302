// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.softmax.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @softmax(
// CHECK: arith.maximumf
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: arith.divf
func.func @softmax(%a0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.softmax %a0 {axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @log(
// CHECK: math.exp
// CHECK: math.log
// CHECK: arith.subf
func.func @log(%a0: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.softmax %a0 {axis = 0 : i64, log = true} : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}
