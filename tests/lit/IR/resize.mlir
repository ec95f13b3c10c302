// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.resize, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.resize nearest %{{.*}} {coordinate = "asymmetric", rounding = "floor", scales = array<f64: 1.000000e+00, 1.000000e+00, 2.000000e+00>, shape = #cuvil.dims<[1, 1, 4]>}
func.func @static(%x: tensor<1x1x2xf32>) {
  %y = cuvil.resize nearest %x {shape = #cuvil.dims<[1, 1, 4]>, scales = array<f64: 1.0, 1.0, 2.0>, coordinate = "asymmetric", rounding = "floor"} : (tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  return
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?x1x?xf32, #cuvil.dims<[@n, 1, 2 * @w]>>
func.func @symbolic(%x: tensor<?x1x?xf32, #cuvil.dims<[@n, 1, @w]>>) {
  %y = cuvil.resize cubic %x {shape = #cuvil.dims<[@n, 1, 2 * @w]>, scales = array<f64: 0.0, 0.0, 0.0>, antialias = true} : (tensor<?x1x?xf32, #cuvil.dims<[@n, 1, @w]>>) -> tensor<?x1x?xf32, #cuvil.dims<[@n, 1, 2 * @w]>>
  return
}
