// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.rnn.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @lstm(
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction"]
// CHECK: scf.for
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK: math.tanh
// CHECK: tensor.insert_slice
func.func @lstm(%a0: tensor<?x1x2xf32, #cuvil.dims<[@s, 1, 2]>>, %a1: tensor<1x12x2xf32>, %a2: tensor<1x12x3xf32>, %a3: tensor<1x24xf32>) -> (tensor<?x1x1x3xf32, #cuvil.dims<[@s, 1, 1, 3]>>, tensor<1x1x3xf32>, tensor<1x1x3xf32>) {
  %0, %1, %2 = cuvil.rnn lstm %a0, %a1, %a2, %a3 {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<?x1x2xf32, #cuvil.dims<[@s, 1, 2]>>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<?x1x1x3xf32, #cuvil.dims<[@s, 1, 1, 3]>>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return %0, %1, %2 : tensor<?x1x1x3xf32, #cuvil.dims<[@s, 1, 1, 3]>>, tensor<1x1x3xf32>, tensor<1x1x3xf32>
}

// CHECK-LABEL: @gru(
// CHECK: scf.for
// CHECK: arith.minimumf
// CHECK: arith.cmpi slt
// CHECK: scf.for
func.func @gru(%a0: tensor<5x2x2xf32>, %a1: tensor<2x9x2xf32>, %a2: tensor<2x9x3xf32>, %a3: tensor<2xi32>) -> (tensor<5x2x2x3xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>) {
  %0, %1, %2 = cuvil.rnn gru %a0, %a1, %a2, %a3 {direction = "bidirectional", activations = ["sigmoid", "tanh", "sigmoid", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0, 0.0>, clip = 1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>} : (tensor<5x2x2xf32>, tensor<2x9x2xf32>, tensor<2x9x3xf32>, tensor<2xi32>) -> (tensor<5x2x2x3xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>)
  return %0, %1, %2 : tensor<5x2x2x3xf32>, tensor<2x2x3xf32>, tensor<2x2x3xf32>
}

// CHECK-LABEL: @simple(
// CHECK: scf.for
// CHECK: arith.subi
// CHECK: arith.cmpf ogt
func.func @simple(%a0: tensor<5x1x2xf32>, %a1: tensor<1x3x2xf32>, %a2: tensor<1x3x3xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>) {
  %0, %1, %2 = cuvil.rnn simple %a0, %a1, %a2 {direction = "reverse", activations = ["relu"], alphas = array<f64: 0.0>, betas = array<f64: 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x3x2xf32>, tensor<1x3x3xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return %0, %1, %2 : tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>
}
