// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.invoke.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

func.func private @part0(tensor<4xf32>) -> tensor<?xf32, #cuvil.dims<[@k]>>

// CHECK-LABEL: @static(
// CHECK: cuvil.invoke @part0 on "cpu"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @static(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = cuvil.invoke @part0 on "cpu" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// CHECK-LABEL: @symbolic(
// CHECK: -> tensor<?xf32, #cuvil.dims<[@k]>>
func.func @symbolic(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  %y = cuvil.invoke @part0 on "cpu" (%x) : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[@k]>>
  return
}
