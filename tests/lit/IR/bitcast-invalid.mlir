// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.bitcast.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @bitcast_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected numeric types of equal width, got f32 and i64 (bitcast_c1)}}
  %y = cuvil.bitcast %x {to = i64} : (tensor<4xf32>) -> tensor<4xi64>
  return
}

// -----

func.func @bitcast_c1_2(%x: tensor<4xi1>) {
  // expected-error @+1 {{expected numeric types of equal width, got i1 and i1 (bitcast_c1)}}
  %y = cuvil.bitcast %x {to = i1} : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @bitcast_c1_3(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected numeric types of equal width, got f32 and index (bitcast_c1)}}
  %y = cuvil.bitcast %x {to = index} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
