// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.topk, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.topk %{{.*}} {axis = 0 : i64, k = #cuvil.dims<[2]>} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
func.func @static(%x: tensor<4xf32>) {
  %v, %i = cuvil.topk %x {k = #cuvil.dims<[2]>, axis = 0 : i64, largest = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> (tensor<?x?xi8, #cuvil.dims<[@n, @k]>>, tensor<?x?xi64, #cuvil.dims<[@n, @k]>>)
func.func @symbolic(%x: tensor<?x?xi8, #cuvil.dims<[@n, @m]>>) {
  %v, %i = cuvil.topk %x {k = #cuvil.dims<[@k]>, axis = 1 : i64, largest = false} : (tensor<?x?xi8, #cuvil.dims<[@n, @m]>>) -> (tensor<?x?xi8, #cuvil.dims<[@n, @k]>>, tensor<?x?xi64, #cuvil.dims<[@n, @k]>>)
  return
}
