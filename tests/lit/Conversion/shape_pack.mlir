// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.shape_pack.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @vector(
// CHECK: arith.muli
// CHECK: tensor.from_elements
func.func @vector(%a0: i64 {cuvil.symbol = "n"}) -> (tensor<2xi64>) {
  %0 = cuvil.shape_pack {dims = #cuvil.dims<[2 * @n, 3]>} : () -> (tensor<2xi64>)
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: @scalar(
// CHECK: tensor.from_elements %{{.*}} : tensor<i64>
func.func @scalar(%a0: i64 {cuvil.symbol = "n"}) -> (tensor<i64>) {
  %0 = cuvil.shape_pack {dims = #cuvil.dims<[@n]>, scalar = true} : () -> (tensor<i64>)
  return %0 : tensor<i64>
}
