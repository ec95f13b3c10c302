// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.iota, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.iota {axis = 0 : i64, shape = #cuvil.dims<[4]>, to = i64} : () -> tensor<4xi64>
func.func @static() {
  %y = cuvil.iota {shape = #cuvil.dims<[4]>, axis = 0 : i64, to = i64} : () -> tensor<4xi64>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<2x?xf32, #cuvil.dims<[2, @n]>>
func.func @symbolic() {
  %y = cuvil.iota {shape = #cuvil.dims<[2, @n]>, axis = 1 : i64, to = f32} : () -> tensor<2x?xf32, #cuvil.dims<[2, @n]>>
  return
}
