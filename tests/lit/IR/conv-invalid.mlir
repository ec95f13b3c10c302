// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.conv.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @conv_c1(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf16>) {
  // expected-error @+1 {{expected equal element types, got f32 and f16 (conv_c1)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf16>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c2(%x: tensor<1x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+1 {{expected x of rank 3 to 5, got tensor<1x3xf32> (conv_c2)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3xf32>, tensor<4x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c2_2(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+1 {{expected w of rank 4, got tensor<4x3x3xf32> (conv_c2)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c3(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{expected strides with 2 entries, got 1 (conv_c3)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c3_2(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{expected low with 2 entries, got 1 (conv_c3)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c3_3(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{expected strides above zero, got [1, 0] (conv_c3)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 0>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c3_4(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{expected dilations above zero, got [-1, 1] (conv_c3)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: -1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c3_5(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{expected input_dilations above zero, got [0, 1] (conv_c3)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 0, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c4(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{expected groups above zero, got 0 (conv_c4)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 0 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c4_2(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{expected 6 channels (groups 2 times 3), got 3 (conv_c4)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c4_3(%x: tensor<1x3x8x8xf32>, %w: tensor<4x1x3x3xf32>) {
  // expected-error @+1 {{expected output channels divisible by groups 3, got 4 (conv_c4)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 3 : i64} : (tensor<1x3x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c5(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<3xf32>) {
  // expected-error @+1 {{expected bias with dims [4], got [3] (conv_c5)}}
  %y = cuvil.conv %x, %w, %b {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_c6(%x: tensor<1x3x1x1xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{expected output dims of at least zero, got [1, 4, -1, -1] (conv_c6)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[0, 0]>, high = #cuvil.dims<[0, 0]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x1x1xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @conv_size(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+1 {{overflows or divides by zero (conv_size)}}
  %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 9223372036854775807, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}
