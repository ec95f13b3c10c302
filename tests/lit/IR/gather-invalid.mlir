// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.gather.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @gather_c1(%x: tensor<5x2xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{expected 0 <= axis < rank 2, got axis 2 (gather_c1)}}
  %y = cuvil.gather %x, %i {axis = 2 : i64} : (tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @gather_c1_2(%x: tensor<f32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{expected 0 <= axis < rank 0, got axis 0 (gather_c1)}}
  %y = cuvil.gather %x, %i {axis = 0 : i64} : (tensor<f32>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_c2(%x: tensor<5x2xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{expected 0 <= batch_dims <= 0 (the lesser of the axis and the rank of indices), got 1 (gather_c2)}}
  %y = cuvil.gather %x, %i {axis = 0 : i64, batch_dims = 1 : i64} : (tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @gather_c2_2(%x: tensor<5x2xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{expected 0 <= batch_dims <= 0 (the lesser of the axis and the rank of indices), got -1 (gather_c2)}}
  %y = cuvil.gather %x, %i {axis = 0 : i64, batch_dims = -1 : i64} : (tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
  return
}

// -----

func.func @gather_c3(%x: tensor<5x2xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{expected equal dims, got 5 and 3 at axis 0 (gather_c3)}}
  %y = cuvil.gather %x, %i {axis = 1 : i64, batch_dims = 1 : i64} : (tensor<5x2xf32>, tensor<3x1xi64>) -> tensor<5x1xf32>
  return
}
