// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.convert, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.convert %{{.*}} {to = i64} : (tensor<4xf32>) -> tensor<4xi64>
func.func @static(%x: tensor<4xf32>) {
  %y = cuvil.convert %x {to = i64} : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: {round = "even", saturate = true, to = ui8}
func.func @symbolic(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  %y = cuvil.convert %x {to = ui8, round = "even", saturate = true} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xui8, #cuvil.dims<[@n]>>
  return
}
