// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.gather_elements.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @gather_elements(
// CHECK: cf.assert %{{.*}}, "run-time error 5"
// CHECK: tensor.extract %arg0
func.func @gather_elements(%a0: tensor<2x3xf32>, %a1: tensor<2x2xi64>) -> (tensor<2x2xf32>) {
  %0 = cuvil.gather_elements %a0, %a1 {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x2xi64>) -> (tensor<2x2xf32>)
  return %0 : tensor<2x2xf32>
}
