// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.while; a dim that changes between iterations is a symbol.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.while %{{.*}} : (tensor<i64>) -> tensor<i64> {
// CHECK: cuvil.condition %{{.*}}, %{{.*}} : tensor<i1>, tensor<i64>
// CHECK-NEXT: } do {
// CHECK: cuvil.yield %{{.*}} : tensor<i64>
func.func @static(%i: tensor<i64>, %n: tensor<i64>, %one: tensor<i64>) -> tensor<i64> {
  %r = cuvil.while %i : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    %go = cuvil.compare lt %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    cuvil.condition %go, %a : tensor<i1>, tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    %b = cuvil.binary add %a, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    cuvil.yield %b : tensor<i64>
  }
  return %r : tensor<i64>
}

// CHECK-LABEL: @growing(
// CHECK: cuvil.while %{{.*}}, %{{.*}} : (tensor<1xf32>, tensor<i1>) -> tensor<?xf32, #cuvil.dims<[@r]>>
func.func @growing(%x: tensor<1xf32>, %go: tensor<i1>) {
  %r = cuvil.while %x, %go : (tensor<1xf32>, tensor<i1>) -> tensor<?xf32, #cuvil.dims<[@r]>> {
  ^bb0(%a: tensor<?xf32, #cuvil.dims<[@k]>>, %b: tensor<i1>):
    cuvil.condition %b, %a : tensor<i1>, tensor<?xf32, #cuvil.dims<[@k]>>
  } do {
  ^bb0(%a: tensor<?xf32, #cuvil.dims<[@l]>>):
    %b = cuvil.concat %a, %x {axis = 0 : i64} : (tensor<?xf32, #cuvil.dims<[@l]>>, tensor<1xf32>) -> tensor<?xf32, #cuvil.dims<[@l + 1]>>
    cuvil.yield %b, %go : tensor<?xf32, #cuvil.dims<[@l + 1]>>, tensor<i1>
  }
  return
}
