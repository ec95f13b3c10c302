// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.binary.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @binary_c1(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{expected equal element types, got f32 and f64 (binary_c1)}}
  %z = cuvil.binary add %x, %y : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @binary_c2(%x: tensor<4xf32>, %y: tensor<4x1xf32>) {
  // expected-error @+1 {{expected equal ranks, got dims [4] and [4, 1] (binary_c2)}}
  %z = cuvil.binary add %x, %y : (tensor<4xf32>, tensor<4x1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @binary_c2_2(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{expected equal dims, got 4 and 5 at axis 0 (binary_c2)}}
  %z = cuvil.binary add %x, %y : (tensor<4xf32>, tensor<5xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @binary_c2_3(%x: tensor<?xf32, #cuvil.dims<[@n]>>, %y: tensor<?xf32, #cuvil.dims<[(@n + 1)]>>) {
  // expected-error @+1 {{expected equal dims, got @n and @n + 1 at axis 0 (binary_c2)}}
  %z = cuvil.binary add %x, %y : (tensor<?xf32, #cuvil.dims<[@n]>>, tensor<?xf32, #cuvil.dims<[(@n + 1)]>>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return
}

// -----

func.func @binary_c3(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  // expected-error @+1 {{kind add does not accept element type i1 (binary_c3)}}
  %z = cuvil.binary add %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @binary_c3_2(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{kind shl does not accept element type f32 (binary_c3)}}
  %z = cuvil.binary shl %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @binary_c3_3(%x: tensor<4xi8>, %y: tensor<4xi8>) {
  // expected-error @+1 {{kind atan2 does not accept element type i8 (binary_c3)}}
  %z = cuvil.binary atan2 %x, %y : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return
}
