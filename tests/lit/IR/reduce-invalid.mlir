// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.reduce.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected axes in [0, 2), got [2] (reduce_c1)}}
  %y = cuvil.reduce sum %x {axes = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c1_2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected distinct axes, got [1, 1] (reduce_c1)}}
  %y = cuvil.reduce sum %x {axes = array<i64: 1, 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c1_3(%x: tensor<f32>) {
  // expected-error @+1 {{expected axes in [0, 0), got [0] (reduce_c1)}}
  %y = cuvil.reduce sum %x {axes = array<i64: 0>} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduce_c2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{kind and does not accept element type f32 (reduce_c2)}}
  %y = cuvil.reduce and %x {axes = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduce_c2_2(%x: tensor<2x3xi1>) {
  // expected-error @+1 {{kind sum does not accept element type i1 (reduce_c2)}}
  %y = cuvil.reduce sum %x {axes = array<i64: 1>} : (tensor<2x3xi1>) -> tensor<2xi1>
  return
}
