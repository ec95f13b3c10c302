// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.broadcast.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @broadcast_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected mapping with 1 entries, got 0 (broadcast_c1)}}
  %y = cuvil.broadcast %x {shape = #cuvil.dims<[2, 3]>, mapping = array<i64>} : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c1_2(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected mapping in [0, 2), got [2] (broadcast_c1)}}
  %y = cuvil.broadcast %x {shape = #cuvil.dims<[2, 3]>, mapping = array<i64: 2>} : (tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c1_3(%x: tensor<3x2xf32>) {
  // expected-error @+1 {{expected strictly increasing mapping, got [1, 0] (broadcast_c1)}}
  %y = cuvil.broadcast %x {shape = #cuvil.dims<[2, 3]>, mapping = array<i64: 1, 0>} : (tensor<3x2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c2(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected operand dim 1 or 3 for result axis 1, got 2 (broadcast_c2)}}
  %y = cuvil.broadcast %x {shape = #cuvil.dims<[2, 3]>, mapping = array<i64: 1>} : (tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_size(%x: tensor<1xf32>) {
  // expected-error @+1 {{expected shape of at least zero, got [-3] (broadcast_size)}}
  %y = cuvil.broadcast %x {shape = #cuvil.dims<[-3]>, mapping = array<i64: 0>} : (tensor<1xf32>) -> tensor<3xf32>
  return
}
