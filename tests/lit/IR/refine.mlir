// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.refine, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @symbolic(
// CHECK: cuvil.refine %{{.*}} {shape = #cuvil.dims<[4]>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<4xf32>
func.func @symbolic(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  %y = cuvil.refine %x {shape = #cuvil.dims<[4]>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<4xf32>
  return
}

// CHECK-LABEL: @static(
// CHECK: -> tensor<?xf32, #cuvil.dims<[@n]>>
func.func @static(%x: tensor<4xf32>) {
  %y = cuvil.refine %x {shape = #cuvil.dims<[@n]>} : (tensor<4xf32>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return
}
