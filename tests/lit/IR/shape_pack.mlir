// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.shape_pack, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @vector(
// CHECK: cuvil.shape_pack {dims = #cuvil.dims<[@n, 3]>} : () -> tensor<2xi64>
func.func @vector() {
  %s = cuvil.shape_pack {dims = #cuvil.dims<[@n, 3]>} : () -> tensor<2xi64>
  return
}

// CHECK-LABEL: @scalar(
// CHECK: dims = #cuvil.dims<[@n * @n + 1]>, scalar = true
func.func @scalar() {
  %s = cuvil.shape_pack {dims = #cuvil.dims<[@n * @n + 1]>, scalar = true} : () -> tensor<i64>
  return
}

// CHECK-LABEL: @empty(
// CHECK: -> tensor<0xi64>
func.func @empty() {
  %s = cuvil.shape_pack {dims = #cuvil.dims<[]>} : () -> tensor<0xi64>
  return
}
