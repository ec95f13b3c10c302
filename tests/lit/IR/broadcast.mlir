// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.broadcast, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.broadcast %{{.*}} {mapping = array<i64: 1>, shape = #cuvil.dims<[2, 3]>} : (tensor<3xf32>) -> tensor<2x3xf32>
func.func @static(%x: tensor<3xf32>) {
  %y = cuvil.broadcast %x {shape = #cuvil.dims<[2, 3]>, mapping = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x?xf32, #cuvil.dims<[@n, @m]>>
func.func @symbolic(%x: tensor<1x?xf32, #cuvil.dims<[1, @m]>>) {
  %y = cuvil.broadcast %x {shape = #cuvil.dims<[@n, @m]>, mapping = array<i64: 0, 1>} : (tensor<1x?xf32, #cuvil.dims<[1, @m]>>) -> tensor<?x?xf32, #cuvil.dims<[@n, @m]>>
  return
}
