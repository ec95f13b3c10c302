// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.dequantize.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @axis(
// CHECK: arith.extsi
// CHECK: arith.subi
// CHECK: arith.sitofp
// CHECK: arith.mulf
func.func @axis(%a0: tensor<4x2xi8>, %a1: tensor<2xf32>, %a2: tensor<2xi8>) -> (tensor<4x2xf32>) {
  %0 = cuvil.dequantize %a0, %a1, %a2 {axis = 1 : i64} : (tensor<4x2xi8>, tensor<2xf32>, tensor<2xi8>) -> (tensor<4x2xf32>)
  return %0 : tensor<4x2xf32>
}
