// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.broadcast.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK: affine_map<(d0, d1, d2) -> (0, d2)>
// CHECK-LABEL: @static(
// CHECK: linalg.generic
// CHECK-NOT: tensor.extract
func.func @static(%a0: tensor<1x3xf32>) -> (tensor<4x2x3xf32>) {
  %0 = cuvil.broadcast %a0 {shape = #cuvil.dims<[4, 2, 3]>, mapping = array<i64: 1, 2>} : (tensor<1x3xf32>) -> (tensor<4x2x3xf32>)
  return %0 : tensor<4x2x3xf32>
}

// CHECK-LABEL: @unknown(
// CHECK: arith.cmpi eq
// CHECK: linalg.index 0
// CHECK: arith.select
// CHECK: tensor.extract %arg0
func.func @unknown(%a0: tensor<?xf32, #cuvil.dims<[@n]>>) -> (tensor<5xf32>) {
  %0 = cuvil.broadcast %a0 {shape = #cuvil.dims<[5]>, mapping = array<i64: 0>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> (tensor<5xf32>)
  return %0 : tensor<5xf32>
}
