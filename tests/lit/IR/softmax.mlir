// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.softmax, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.softmax %{{.*}} {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @static(%x: tensor<2x3xf32>) {
  %y = cuvil.softmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: {axis = 0 : i64, log = true}
func.func @symbolic(%x: tensor<?x?xf16, #cuvil.dims<[@n, @m]>>) {
  %y = cuvil.softmax %x {axis = 0 : i64, log = true} : (tensor<?x?xf16, #cuvil.dims<[@n, @m]>>) -> tensor<?x?xf16, #cuvil.dims<[@n, @m]>>
  return
}
