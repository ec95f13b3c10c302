// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.reverse, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.reverse %{{.*}} {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
func.func @static(%x: tensor<3xf32>) {
  %y = cuvil.reverse %x {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x2xf32, #cuvil.dims<[@n, 2]>>
func.func @symbolic(%x: tensor<?x2xf32, #cuvil.dims<[@n, 2]>>) {
  %y = cuvil.reverse %x {axes = array<i64: 1, 0>} : (tensor<?x2xf32, #cuvil.dims<[@n, 2]>>) -> tensor<?x2xf32, #cuvil.dims<[@n, 2]>>
  return
}
