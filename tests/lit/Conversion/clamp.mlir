// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.clamp.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @clamp(
// CHECK: arith.maximumf
// CHECK: arith.minimumf
func.func @clamp(%a0: tensor<2x3xf32>, %a1: tensor<f32>, %a2: tensor<f32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.clamp %a0, %a1, %a2 : (tensor<2x3xf32>, tensor<f32>, tensor<f32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}
