// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.refine.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @refine(
// CHECK: tensor.cast %arg0 : tensor<?xf32> to tensor<4xf32>
func.func @refine(%a0: tensor<?xf32, #cuvil.dims<[@n]>>) -> (tensor<4xf32>) {
  %0 = cuvil.refine %a0 {shape = #cuvil.dims<[4]>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> (tensor<4xf32>)
  return %0 : tensor<4xf32>
}
