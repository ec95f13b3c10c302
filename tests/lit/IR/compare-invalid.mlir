// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.compare.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @compare_c1(%x: tensor<4xf32>, %y: tensor<4xi32>) {
  // expected-error @+1 {{expected equal element types, got f32 and i32 (compare_c1)}}
  %m = cuvil.compare lt %x, %y : (tensor<4xf32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_c2(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+1 {{expected equal dims, got 4 and 3 at axis 0 (compare_c2)}}
  %m = cuvil.compare lt %x, %y : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_c3(%x: tensor<4xi1>, %y: tensor<4xi1>) {
  // expected-error @+1 {{expected eq or ne on bool, got lt (compare_c3)}}
  %m = cuvil.compare lt %x, %y : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return
}
