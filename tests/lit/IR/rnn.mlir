// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.rnn, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @lstm(
// CHECK: cuvil.rnn lstm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {activations = ["sigmoid", "tanh", "tanh"]
func.func @lstm(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// CHECK-LABEL: @bidirectional(
// CHECK: cuvil.rnn gru
func.func @bidirectional(%x: tensor<?x?x2xf32, #cuvil.dims<[@s, @b, 2]>>, %w: tensor<2x9x2xf32>, %r: tensor<2x9x3xf32>, %l: tensor<?xi32, #cuvil.dims<[@b]>>, %h: tensor<2x?x3xf32, #cuvil.dims<[2, @b, 3]>>) {
  %y, %yh, %yc = cuvil.rnn gru %x, %w, %r, %l, %h {direction = "bidirectional", activations = ["sigmoid", "tanh", "relu", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0, 0.0>, linear_before_reset = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 1, 0, 0>} : (tensor<?x?x2xf32, #cuvil.dims<[@s, @b, 2]>>, tensor<2x9x2xf32>, tensor<2x9x3xf32>, tensor<?xi32, #cuvil.dims<[@b]>>, tensor<2x?x3xf32, #cuvil.dims<[2, @b, 3]>>) -> (tensor<?x2x?x3xf32, #cuvil.dims<[@s, 2, @b, 3]>>, tensor<2x?x3xf32, #cuvil.dims<[2, @b, 3]>>, tensor<2x?x3xf32, #cuvil.dims<[2, @b, 3]>>)
  return
}
