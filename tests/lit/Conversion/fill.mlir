// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.fill.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @static(
// CHECK: tensor.empty() : tensor<2x3xf32>
// CHECK: linalg.generic
func.func @static(%a0: tensor<f32>) -> (tensor<2x3xf32>) {
  %0 = cuvil.fill %a0 {shape = #cuvil.dims<[2, 3]>} : (tensor<f32>) -> (tensor<2x3xf32>)
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: @symbolic(
// CHECK: %[[N:.*]] = arith.index_cast
// CHECK: arith.addi %[[N]]
// CHECK: tensor.empty(%{{.*}}) : tensor<?x3xf32>
func.func @symbolic(%a0: tensor<f32>, %a1: i64 {cuvil.symbol = "n"}) -> (tensor<?x3xf32, #cuvil.dims<[@n + 1, 3]>>) {
  %0 = cuvil.fill %a0 {shape = #cuvil.dims<[@n + 1, 3]>} : (tensor<f32>) -> (tensor<?x3xf32, #cuvil.dims<[@n + 1, 3]>>)
  return %0 : tensor<?x3xf32, #cuvil.dims<[@n + 1, 3]>>
}
