// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.arg_reduce.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @first(
// CHECK: iterator_types = ["parallel", "reduction"]
// CHECK: arith.cmpf ogt
// CHECK: arith.cmpf uno
// CHECK: linalg.index 1
func.func @first(%a0: tensor<2x3xf32>) -> (tensor<2xi64>) {
  %0 = cuvil.arg_reduce max %a0 {axis = 1 : i64} : (tensor<2x3xf32>) -> (tensor<2xi64>)
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @last(
// CHECK: arith.cmpi sle
func.func @last(%a0: tensor<2x3xi32>) -> (tensor<3xi64>) {
  %0 = cuvil.arg_reduce min %a0 {axis = 0 : i64, last = true} : (tensor<2x3xi32>) -> (tensor<3xi64>)
  return %0 : tensor<3xi64>
}
