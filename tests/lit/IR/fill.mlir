// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.fill, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.fill %{{.*}} {shape = #cuvil.dims<[2, 3]>} : (tensor<f32>) -> tensor<2x3xf32>
func.func @static(%c: tensor<f32>) {
  %y = cuvil.fill %c {shape = #cuvil.dims<[2, 3]>} : (tensor<f32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: shape = #cuvil.dims<[@n, 2 * @n]>
func.func @symbolic(%c: tensor<i1>) {
  %y = cuvil.fill %c {shape = #cuvil.dims<[@n, 2 * @n]>} : (tensor<i1>) -> tensor<?x?xi1, #cuvil.dims<[@n, (2 * @n)]>>
  return
}
