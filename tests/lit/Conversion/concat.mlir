// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.concat.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @concat(
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[A:.*]] = tensor.insert_slice %arg0 into %[[E]][0] [2] [1]
// CHECK: tensor.insert_slice %arg1 into %[[A]][2]
func.func @concat(%a0: tensor<2xf32>, %a1: tensor<?xf32, #cuvil.dims<[@n]>>) -> (tensor<?xf32, #cuvil.dims<[@n + 2]>>) {
  %0 = cuvil.concat %a0, %a1 {axis = 0 : i64} : (tensor<2xf32>, tensor<?xf32, #cuvil.dims<[@n]>>) -> (tensor<?xf32, #cuvil.dims<[@n + 2]>>)
  return %0 : tensor<?xf32, #cuvil.dims<[@n + 2]>>
}
