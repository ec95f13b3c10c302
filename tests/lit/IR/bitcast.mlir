// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.bitcast, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.bitcast %{{.*}} {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
func.func @static(%x: tensor<4xf32>) {
  %y = cuvil.bitcast %x {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xbf16, #cuvil.dims<[@n]>>
func.func @symbolic(%x: tensor<?xui16, #cuvil.dims<[@n]>>) {
  %y = cuvil.bitcast %x {to = bf16} : (tensor<?xui16, #cuvil.dims<[@n]>>) -> tensor<?xbf16, #cuvil.dims<[@n]>>
  return
}
