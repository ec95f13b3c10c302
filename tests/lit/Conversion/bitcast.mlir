// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.bitcast.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @bits(
// CHECK: arith.bitcast
func.func @bits(%a0: tensor<2x3xf32>) -> (tensor<2x3xi32>) {
  %0 = cuvil.bitcast %a0 {to = i32} : (tensor<2x3xf32>) -> (tensor<2x3xi32>)
  return %0 : tensor<2x3xi32>
}

// CHECK-LABEL: @sign(
// CHECK-NEXT: return %arg0
func.func @sign(%a0: tensor<2x3xi8>) -> (tensor<2x3xui8>) {
  %0 = cuvil.bitcast %a0 {to = ui8} : (tensor<2x3xi8>) -> (tensor<2x3xui8>)
  return %0 : tensor<2x3xui8>
}
