// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.nonzero, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @symbolic(
// CHECK: cuvil.nonzero %{{.*}} {count = #cuvil.dims<[@n]>} : (tensor<4xf32>) -> tensor<1x?xi64, #cuvil.dims<[1, @n]>>
func.func @symbolic(%x: tensor<4xf32>) {
  %y = cuvil.nonzero %x {count = #cuvil.dims<[@n]>} : (tensor<4xf32>) -> tensor<1x?xi64, #cuvil.dims<[1, @n]>>
  return
}

// CHECK-LABEL: @static(
// CHECK: -> tensor<2x3xi64>
func.func @static(%x: tensor<4x2xi1>) {
  %y = cuvil.nonzero %x {count = #cuvil.dims<[3]>} : (tensor<4x2xi1>) -> tensor<2x3xi64>
  return
}
