// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.select.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @select(
// CHECK: arith.select
func.func @select(%a0: tensor<2x3xi1>, %a1: tensor<2x3xf32>, %a2: tensor<2x3xf32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.select %a0, %a1, %a2 : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}
