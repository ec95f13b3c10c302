// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.gather_elements.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @gather_elements_c1(%x: tensor<2x3xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{expected indices of rank 2, got tensor<2xi64> (gather_elements_c1)}}
  %y = cuvil.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_elements_c1_2(%x: tensor<2xf32>, %i: tensor<2xi64>) {
  // expected-error @+1 {{expected 0 <= axis < rank 1, got axis 1 (gather_elements_c1)}}
  %y = cuvil.gather_elements %x, %i {axis = 1 : i64} : (tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_elements_c2(%x: tensor<2x3xf32>, %i: tensor<3x2xi64>) {
  // expected-error @+1 {{expected indices of at most 2 at axis 0, got 3 (gather_elements_c2)}}
  %y = cuvil.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<3x2xi64>) -> tensor<3x2xf32>
  return
}
