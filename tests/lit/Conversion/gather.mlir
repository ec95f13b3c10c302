// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.gather.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @gather(
// CHECK: iterator_types = ["reduction"]
// CHECK: cf.assert %{{.*}}, "run-time error 5"
// CHECK: iterator_types = ["parallel", "parallel"]
// CHECK: tensor.extract %arg0
func.func @gather(%a0: tensor<5x2xf32>, %a1: tensor<3xi64>) -> (tensor<3x2xf32>) {
  %0 = cuvil.gather %a0, %a1 {axis = 0 : i64} : (tensor<5x2xf32>, tensor<3xi64>) -> (tensor<3x2xf32>)
  return %0 : tensor<3x2xf32>
}

// An axis that may be empty is read only where the index is inside.
// CHECK-LABEL: @dynamic_axis(
// CHECK: cf.assert %{{.*}}, "run-time error 5"
// CHECK: scf.if
// CHECK: tensor.extract %arg0
func.func @dynamic_axis(%a0: tensor<?xf32, #cuvil.dims<[@n]>>, %a1: tensor<3xi64>) -> tensor<3xf32> {
  %0 = cuvil.gather %a0, %a1 {axis = 0 : i64} : (tensor<?xf32, #cuvil.dims<[@n]>>, tensor<3xi64>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
