// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.concat.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @concat_c1() {
  // expected-error @+1 {{expected at least one operand, got none (concat_c1)}}
  %y = cuvil.concat {axis = 0 : i64} : () -> tensor<1xf32>
  return
}

// -----

func.func @concat_c1_2(%a: tensor<2xf32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 1, got axis -1 (concat_c1)}}
  %y = cuvil.concat %a {axis = -1 : i64} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @concat_c1_3(%a: tensor<f32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 0, got axis 0 (concat_c1)}}
  %y = cuvil.concat %a {axis = 0 : i64} : (tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @concat_c2(%a: tensor<2xf32>, %b: tensor<3xi32>) {
  // expected-error @+1 {{expected equal element types, got f32 and i32 (concat_c2)}}
  %y = cuvil.concat %a, %b {axis = 0 : i64} : (tensor<2xf32>, tensor<3xi32>) -> tensor<5xf32>
  return
}

// -----

func.func @concat_c2_2(%a: tensor<2xf32>, %b: tensor<3x1xf32>) {
  // expected-error @+1 {{expected rank 1, got operand #1 of tensor<3x1xf32> (concat_c2)}}
  %y = cuvil.concat %a, %b {axis = 0 : i64} : (tensor<2xf32>, tensor<3x1xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @concat_c3(%a: tensor<2x4xf32>, %b: tensor<3x5xf32>) {
  // expected-error @+1 {{expected equal dims, got 4 and 5 at axis 1 (concat_c3)}}
  %y = cuvil.concat %a, %b {axis = 0 : i64} : (tensor<2x4xf32>, tensor<3x5xf32>) -> tensor<5x4xf32>
  return
}

// -----

func.func @concat_size(%a: tensor<9223372036854775807xi8>, %b: tensor<2xi8>) {
  // expected-error @+1 {{overflows or divides by zero (concat_size)}}
  %y = cuvil.concat %a, %b {axis = 0 : i64} : (tensor<9223372036854775807xi8>, tensor<2xi8>) -> tensor<5xi8>
  return
}
