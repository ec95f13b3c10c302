// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.transpose.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @transpose_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected perm with 2 entries, got 1 (transpose_c1)}}
  %y = cuvil.transpose %x {perm = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @transpose_c1_2(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected distinct perm, got [0, 0] (transpose_c1)}}
  %y = cuvil.transpose %x {perm = array<i64: 0, 0>} : (tensor<2x3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @transpose_c1_3(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected perm in [0, 2), got [0, -1] (transpose_c1)}}
  %y = cuvil.transpose %x {perm = array<i64: 0, -1>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
