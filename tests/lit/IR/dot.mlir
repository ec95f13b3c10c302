// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.dot, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.dot %{{.*}}, %{{.*}} {lhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_batch = array<i64>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
func.func @static(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  %y = cuvil.dot %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x?x7xf32, #cuvil.dims<[@b, @m, 7]>>
func.func @symbolic(%a: tensor<?x?x?xf32, #cuvil.dims<[@b, @m, @k]>>, %b: tensor<?x?x7xf32, #cuvil.dims<[@k, @b, 7]>>) {
  %y = cuvil.dot %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 1>, lhs_contract = array<i64: 2>, rhs_contract = array<i64: 0>} : (tensor<?x?x?xf32, #cuvil.dims<[@b, @m, @k]>>, tensor<?x?x7xf32, #cuvil.dims<[@k, @b, 7]>>) -> tensor<?x?x7xf32, #cuvil.dims<[@b, @m, 7]>>
  return
}

// CHECK-LABEL: @outer(
// CHECK: -> tensor<2x3xi32>
func.func @outer(%a: tensor<2xi32>, %b: tensor<3xi32>) {
  %y = cuvil.dot %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64>, rhs_contract = array<i64>} : (tensor<2xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return
}
