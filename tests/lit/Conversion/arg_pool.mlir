// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.arg_pool.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @arg_pool(
// CHECK: scf.if
// CHECK: tensor.extract %arg0
// CHECK: arith.cmpf ogt
func.func @arg_pool(%a0: tensor<1x1x4xf32>) -> (tensor<1x1x2xi64>) {
  %0 = cuvil.arg_pool %a0 {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> (tensor<1x1x2xi64>)
  return %0 : tensor<1x1x2xi64>
}
