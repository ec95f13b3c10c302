// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.cumulate, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.cumulate sum %{{.*}} {axis = 0 : i64, exclusive = true} : (tensor<3xf32>) -> tensor<3xf32>
func.func @static(%x: tensor<3xf32>) {
  %y = cuvil.cumulate sum %x {axis = 0 : i64, exclusive = true} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x?xi32, #cuvil.dims<[@n, @m]>>
func.func @symbolic(%x: tensor<?x?xi32, #cuvil.dims<[@n, @m]>>) {
  %y = cuvil.cumulate prod %x {axis = 1 : i64, reverse = true} : (tensor<?x?xi32, #cuvil.dims<[@n, @m]>>) -> tensor<?x?xi32, #cuvil.dims<[@n, @m]>>
  return
}
