// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.if; a dim that differs between the regions is a symbol.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.if %{{.*}} : (tensor<i1>) -> tensor<2xf32> {
// CHECK-NEXT: cuvil.yield %{{.*}} : tensor<2xf32>
// CHECK-NEXT: } else {
// CHECK-NEXT: cuvil.yield %{{.*}} : tensor<2xf32>
func.func @static(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %r = cuvil.if %c : (tensor<i1>) -> tensor<2xf32> {
    cuvil.yield %a : tensor<2xf32>
  } else {
    cuvil.yield %b : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}

// CHECK-LABEL: @symbolic(
// CHECK: cuvil.if %{{.*}} : (tensor<1xi1>) -> tensor<?xf32, #cuvil.dims<[@k]>> {
func.func @symbolic(%c: tensor<1xi1>, %a: tensor<2xf32>, %b: tensor<?xf32, #cuvil.dims<[@n]>>) {
  %r = cuvil.if %c : (tensor<1xi1>) -> tensor<?xf32, #cuvil.dims<[@k]>> {
    cuvil.yield %a : tensor<2xf32>
  } else {
    cuvil.yield %b : tensor<?xf32, #cuvil.dims<[@n]>>
  }
  return
}

// CHECK-LABEL: @nothing(
func.func @nothing(%c: tensor<i1>) {
  // CHECK: cuvil.if %{{.*}} : (tensor<i1>) -> () {
  cuvil.if %c : (tensor<i1>) -> () {
    cuvil.yield
  } else {
    cuvil.yield
  }
  return
}
