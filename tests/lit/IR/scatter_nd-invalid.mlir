// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.scatter_nd.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @scatter_nd_c1(%x: tensor<4xf32>, %i: tensor<2x2xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{expected a last dim of indices of at most 1, got 2 (scatter_nd_c1)}}
  %y = cuvil.scatter_nd add %x, %i, %u : (tensor<4xf32>, tensor<2x2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_c1_2(%x: tensor<4xf32>, %i: tensor<i64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{expected indices of rank >= 1 with a static last dim, got tensor<i64> (scatter_nd_c1)}}
  %y = cuvil.scatter_nd add %x, %i, %u : (tensor<4xf32>, tensor<i64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_c2(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf64>) {
  // expected-error @+1 {{expected equal element types, got f32 and f64 (scatter_nd_c2)}}
  %y = cuvil.scatter_nd add %x, %i, %u : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf64>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_c2_2(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<3xf32>) {
  // expected-error @+1 {{expected updates with dims [2], got [3] (scatter_nd_c2)}}
  %y = cuvil.scatter_nd add %x, %i, %u : (tensor<4xf32>, tensor<2x1xi64>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_nd_xkind(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{attribute 'reduction' failed to satisfy constraint}}
  %y = cuvil.scatter_nd sub %x, %i, %u : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}
