// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.quantize.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @quantize_c1(%x: tensor<4xf32>, %s: tensor<f16>, %z: tensor<ui8>) {
  // expected-error @+1 {{expected equal element types, got f32 and f16 (quantize_c1)}}
  %q = cuvil.quantize %x, %s, %z : (tensor<4xf32>, tensor<f16>, tensor<ui8>) -> tensor<4xui8>
  return
}

// -----

func.func @quantize_c2(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<i32>) {
  // expected-error @+1 {{expected zero_point of an 8 or 16 bit integer type, got tensor<i32> (quantize_c2)}}
  %q = cuvil.quantize %x, %s, %z : (tensor<4xf32>, tensor<f32>, tensor<i32>) -> tensor<4xi32>
  return
}

// -----

func.func @quantize_c2_2(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<1xi8>) {
  // expected-error @+1 {{expected zero_point with dims [], got [1] (quantize_c2)}}
  %q = cuvil.quantize %x, %s, %z : (tensor<4xf32>, tensor<f32>, tensor<1xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @quantize_c3(%x: tensor<4xf32>, %s: tensor<1x1xf32>, %z: tensor<1x1xi8>) {
  // expected-error @+1 {{expected scale of rank 0 or 1, got tensor<1x1xf32> (quantize_c3)}}
  %q = cuvil.quantize %x, %s, %z : (tensor<4xf32>, tensor<1x1xf32>, tensor<1x1xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @quantize_c3_2(%x: tensor<4xf32>, %s: tensor<4xf32>, %z: tensor<4xi8>) {
  // expected-error @+1 {{scale of rank 1 needs axis (quantize_c3)}}
  %q = cuvil.quantize %x, %s, %z : (tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @quantize_c3_3(%x: tensor<4xf32>, %s: tensor<f32>, %z: tensor<ui8>) {
  // expected-error @+1 {{scale of rank 0 takes no axis (quantize_c3)}}
  %q = cuvil.quantize %x, %s, %z {axis = 0 : i64} : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
  return
}

// -----

func.func @quantize_c3_4(%x: tensor<4xf32>, %s: tensor<4xf32>, %z: tensor<4xi8>) {
  // expected-error @+1 {{expected 0 <= axis < rank 1, got axis 1 (quantize_c3)}}
  %q = cuvil.quantize %x, %s, %z {axis = 1 : i64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xi8>) -> tensor<4xi8>
  return
}

// -----

func.func @quantize_c3_5(%x: tensor<4xf32>, %s: tensor<3xf32>, %z: tensor<3xi8>) {
  // expected-error @+1 {{expected scale with dims [4], got [3] (quantize_c3)}}
  %q = cuvil.quantize %x, %s, %z {axis = 0 : i64} : (tensor<4xf32>, tensor<3xf32>, tensor<3xi8>) -> tensor<4xi8>
  return
}
