// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.gather_nd.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @gather_nd(
// CHECK: cf.assert %{{.*}}, "run-time error 5"
// CHECK: tensor.extract %arg1
// CHECK: tensor.extract %arg0
func.func @gather_nd(%a0: tensor<2x2xf32>, %a1: tensor<3x2xi64>) -> (tensor<3xf32>) {
  %0 = cuvil.gather_nd %a0, %a1 : (tensor<2x2xf32>, tensor<3x2xi64>) -> (tensor<3xf32>)
  return %0 : tensor<3xf32>
}
