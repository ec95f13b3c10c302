// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.constant.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @dense(
// CHECK: arith.constant dense<[-1, 2]> : tensor<2xi8>
func.func @dense() -> tensor<2xui8> {
  %0 = cuvil.constant {value = dense<[255, 2]> : tensor<2xui8>} : () -> tensor<2xui8>
  return %0 : tensor<2xui8>
}
