// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.dot.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @matmul(
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: arith.mulf
// CHECK: arith.addf
func.func @matmul(%a0: tensor<2x3xf32>, %a1: tensor<3x4xf32>) -> (tensor<2x4xf32>) {
  %0 = cuvil.dot %a0, %a1 {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>)
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: @half(
// CHECK: tensor<5x2x4xf32>
// CHECK: arith.extf
// CHECK: arith.truncf
func.func @half(%a0: tensor<5x2x3xf16>, %a1: tensor<5x3x4xf16>) -> (tensor<5x2x4xf16>) {
  %0 = cuvil.dot %a0, %a1 {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 1>} : (tensor<5x2x3xf16>, tensor<5x3x4xf16>) -> (tensor<5x2x4xf16>)
  return %0 : tensor<5x2x4xf16>
}
