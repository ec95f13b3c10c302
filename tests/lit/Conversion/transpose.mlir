// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.transpose.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK: #[[IN:.*]] = affine_map<(d0, d1, d2) -> (d1, d2, d0)>
// CHECK-LABEL: @transpose(
// CHECK: linalg.generic {indexing_maps = [#[[IN]],
func.func @transpose(%a0: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>) {
  %0 = cuvil.transpose %a0 {perm = array<i64: 2, 0, 1>} : (tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>)
  return %0 : tensor<4x2x3xf32>
}
