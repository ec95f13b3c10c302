// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.pad.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @grow(
// CHECK: linalg.fill
// CHECK: tensor.insert_slice %arg0 into %{{.*}}[1] [3] [1]
func.func @grow(%a0: tensor<3xf32>, %a1: tensor<f32>) -> (tensor<6xf32>) {
  %0 = cuvil.pad constant %a0, %a1 {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>, tensor<f32>) -> (tensor<6xf32>)
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: @shrink(
// CHECK: scf.if
// CHECK: tensor.extract %arg0
func.func @shrink(%a0: tensor<3xf32>, %a1: tensor<f32>) -> (tensor<4xf32>) {
  %0 = cuvil.pad constant %a0, %a1 {low = #cuvil.dims<[-1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>, tensor<f32>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @reflect(
// CHECK: arith.remsi
// CHECK: tensor.extract %arg0
func.func @reflect(%a0: tensor<3xf32>) -> (tensor<6xf32>) {
  %0 = cuvil.pad reflect %a0 {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>) -> (tensor<6xf32>)
  return %0 : tensor<6xf32>
}

// CHECK-LABEL: @edge(
// CHECK: arith.minsi
// CHECK: tensor.extract %arg0
func.func @edge(%a0: tensor<3xf32>) -> (tensor<6xf32>) {
  %0 = cuvil.pad edge %a0 {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>) -> (tensor<6xf32>)
  return %0 : tensor<6xf32>
}
