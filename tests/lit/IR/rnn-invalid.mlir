// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.rnn.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @rnn_c1(%x: tensor<5x1xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  // expected-error @+1 {{expected x of rank 3, got tensor<5x1xf32> (rnn_c1)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c1_2(%x: tensor<5x1x2xf32>, %w: tensor<1x11x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  // expected-error @+1 {{expected w with dims [1, 12, 2], got [1, 11, 2] (rnn_c1)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x11x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c1_3(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<24xf32>) {
  // expected-error @+1 {{expected b with dims [1, 24], got [24] (rnn_c1)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c1_4(%x: tensor<5x1x2xf32>, %w: tensor<1x9x2xf32>, %r: tensor<1x9x3xf32>, %l: tensor<1xi64>) {
  // expected-error @+1 {{expected lengths of element type i32, got tensor<1xi64> (rnn_c1)}}
  %y, %yh, %yc = cuvil.rnn gru %x, %w, %r, %l {direction = "forward", activations = ["sigmoid", "tanh"], alphas = array<f64: 0.0, 0.0>, betas = array<f64: 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 1, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x9x2xf32>, tensor<1x9x3xf32>, tensor<1xi64>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c2(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf16>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  // expected-error @+1 {{expected equal element types, got f32 and f16 (rnn_c2)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf16>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c3(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  // expected-error @+1 {{expected activations with 3 entries, got 1 (rnn_c3)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c3_2(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  // expected-error @+1 {{expected alphas with 3 entries, got 1 (rnn_c3)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c3_3(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  // expected-error @+1 {{unknown activation Tanh, expected one of relu, tanh, sigmoid, affine, leakyrelu, thresholdedrelu, scaledtanh, hardsigmoid, elu, softsign, softplus (rnn_c3)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "Tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c4(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  // expected-error @+1 {{expected clip >= 0, got -1.00 (rnn_c4)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, clip = -1.0 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c5(%x: tensor<5x1x2xf32>, %w: tensor<1x9x2xf32>, %r: tensor<1x9x3xf32>, %c: tensor<1x1x3xf32>) {
  // expected-error @+1 {{c0 is for kind lstm, got kind gru (rnn_c5)}}
  %y, %yh, %yc = cuvil.rnn gru %x, %w, %r, %c {direction = "forward", activations = ["sigmoid", "tanh"], alphas = array<f64: 0.0, 0.0>, betas = array<f64: 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 1, 0>} : (tensor<5x1x2xf32>, tensor<1x9x2xf32>, tensor<1x9x3xf32>, tensor<1x1x3xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c5_2(%x: tensor<5x1x2xf32>, %w: tensor<1x12x2xf32>, %r: tensor<1x12x3xf32>, %b: tensor<1x24xf32>) {
  // expected-error @+1 {{linear_before_reset is for kind gru, got kind lstm (rnn_c5)}}
  %y, %yh, %yc = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, linear_before_reset = true, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}

// -----

func.func @rnn_c5_3(%x: tensor<5x1x2xf32>, %w: tensor<1x9x2xf32>, %r: tensor<1x9x3xf32>) {
  // expected-error @+1 {{input_forget is for kind lstm, got kind gru (rnn_c5)}}
  %y, %yh, %yc = cuvil.rnn gru %x, %w, %r {direction = "forward", activations = ["sigmoid", "tanh"], alphas = array<f64: 0.0, 0.0>, betas = array<f64: 0.0, 0.0>, input_forget = true, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x9x2xf32>, tensor<1x9x3xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
  return
}
