// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.reverse.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @reverse_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected axes in [0, 1), got [1] (reverse_c1)}}
  %y = cuvil.reverse %x {axes = array<i64: 1>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @reverse_c1_2(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected distinct axes, got [0, 0] (reverse_c1)}}
  %y = cuvil.reverse %x {axes = array<i64: 0, 0>} : (tensor<3xf32>) -> tensor<3xf32>
  return
}
