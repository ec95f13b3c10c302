// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.fusion, with and without a device.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @static(
// CHECK: cuvil.fusion "Relu"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK: cuvil.unary relu
// CHECK-NEXT: cuvil.yield %{{.*}} : tensor<4xf32>
func.func @static(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = cuvil.fusion "Relu" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %y = cuvil.unary relu %a : (tensor<4xf32>) -> tensor<4xf32>
    cuvil.yield %y : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: @device(
// CHECK: cuvil.fusion "f"(%{{.*}}) {device = "cpu"} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[@n]>> {
func.func @device(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  %r = cuvil.fusion "f" (%x) {device = "cpu"} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[@n]>> {
  ^bb0(%a: tensor<?xf32, #cuvil.dims<[@n]>>):
    cuvil.yield %a : tensor<?xf32, #cuvil.dims<[@n]>>
  }
  return
}
