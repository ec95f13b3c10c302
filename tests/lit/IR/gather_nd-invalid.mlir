// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.gather_nd.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @gather_nd_c1(%x: tensor<2x2xf32>, %i: tensor<i64>) {
  // expected-error @+1 {{expected indices of rank >= 1 with a static last dim, got tensor<i64> (gather_nd_c1)}}
  %y = cuvil.gather_nd %x, %i : (tensor<2x2xf32>, tensor<i64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c1_2(%x: tensor<2x2xf32>, %i: tensor<3x?xi64, #cuvil.dims<[3, @n]>>) {
  // expected-error @+1 {{expected indices of rank >= 1 with a static last dim, got tensor<3x?xi64, #cuvil.dims<[3, @n]>> (gather_nd_c1)}}
  %y = cuvil.gather_nd %x, %i : (tensor<2x2xf32>, tensor<3x?xi64, #cuvil.dims<[3, @n]>>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c1_3(%x: tensor<2x2xf32>, %i: tensor<3x3xi64>) {
  // expected-error @+1 {{expected 0 <= batch_dims < 2 and batch_dims + 3 <= 2, got batch_dims 0 (gather_nd_c1)}}
  %y = cuvil.gather_nd %x, %i : (tensor<2x2xf32>, tensor<3x3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c1_4(%x: tensor<2x2xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{expected 0 <= batch_dims < 2 and batch_dims + 1 <= 2, got batch_dims -1 (gather_nd_c1)}}
  %y = cuvil.gather_nd %x, %i {batch_dims = -1 : i64} : (tensor<2x2xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c1_5(%x: tensor<2x2xf32>, %i: tensor<0x9223372036854775807xi64>) {
  // expected-error @+1 {{expected 0 <= batch_dims < 2 and batch_dims + 9223372036854775807 <= 2, got batch_dims 0 (gather_nd_c1)}}
  %y = cuvil.gather_nd %x, %i : (tensor<2x2xf32>, tensor<0x9223372036854775807xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @gather_nd_c2(%x: tensor<2x2xf32>, %i: tensor<3x1xi64>) {
  // expected-error @+1 {{expected equal dims, got 2 and 3 at axis 0 (gather_nd_c2)}}
  %y = cuvil.gather_nd %x, %i {batch_dims = 1 : i64} : (tensor<2x2xf32>, tensor<3x1xi64>) -> tensor<3xf32>
  return
}
