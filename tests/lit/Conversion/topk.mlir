// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.topk.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @topk(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: scf.while
func.func @topk(%a0: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
  %0, %1 = cuvil.topk %a0 {k = #cuvil.dims<[2]>, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %0, %1 : tensor<2xf32>, tensor<2xi64>
}
