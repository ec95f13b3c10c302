// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.quantize.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @tensor(
// CHECK: arith.divf
// CHECK: math.roundeven
// CHECK: arith.fptoui
func.func @tensor(%a0: tensor<4xf32>, %a1: tensor<f32>, %a2: tensor<ui8>) -> (tensor<4xui8>) {
  %0 = cuvil.quantize %a0, %a1, %a2 : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> (tensor<4xui8>)
  return %0 : tensor<4xui8>
}
