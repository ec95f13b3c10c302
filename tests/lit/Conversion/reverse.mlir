// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.reverse.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @reverse(
// CHECK: linalg.index 0
// CHECK: arith.subi
// CHECK: tensor.extract %arg0
func.func @reverse(%a0: tensor<3xf32>) -> (tensor<3xf32>) {
  %0 = cuvil.reverse %a0 {axes = array<i64: 0>} : (tensor<3xf32>) -> (tensor<3xf32>)
  return %0 : tensor<3xf32>
}
