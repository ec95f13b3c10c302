// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.dequantize.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @dequantize_c1(%q: tensor<4xi8>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @+1 {{expected equal element types, got i8 and ui8 (dequantize_c1)}}
  %y = cuvil.dequantize %q, %s, %z : (tensor<4xi8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  return
}

// -----

func.func @dequantize_c1_2(%q: tensor<4xf32>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @+1 {{expected x of an integer type, got tensor<4xf32> (dequantize_c1)}}
  %y = cuvil.dequantize %q, %s, %z : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
  return
}

// -----

func.func @dequantize_c2(%q: tensor<4xi64>, %s: tensor<f32>, %z: tensor<i64>) {
  // expected-error @+1 {{expected zero_point of an 8 or 16 bit integer type, got tensor<i64> (dequantize_c2)}}
  %y = cuvil.dequantize %q, %s, %z : (tensor<4xi64>, tensor<f32>, tensor<i64>) -> tensor<4xf32>
  return
}

// -----

func.func @dequantize_c3(%q: tensor<4xi8>, %s: tensor<4xf32>, %z: tensor<4xi8>) {
  // expected-error @+1 {{scale of rank 1 needs axis (dequantize_c3)}}
  %y = cuvil.dequantize %q, %s, %z : (tensor<4xi8>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xf32>
  return
}
