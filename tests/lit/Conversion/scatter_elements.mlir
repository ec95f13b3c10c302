// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.scatter_elements.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @scatter_elements(
// CHECK: cf.assert %{{.*}}, "run-time error 5"
// CHECK: scf.for
// CHECK: scf.if
// CHECK: tensor.insert
func.func @scatter_elements(%a0: tensor<4xf32>, %a1: tensor<2xi64>, %a2: tensor<2xf32>) -> (tensor<4xf32>) {
  %0 = cuvil.scatter_elements none %a0, %a1, %a2 {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
