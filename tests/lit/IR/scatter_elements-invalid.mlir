// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.scatter_elements.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @scatter_elements_c1(%x: tensor<4xf32>, %i: tensor<2x1xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{expected indices of rank 1, got tensor<2x1xi64> (scatter_elements_c1)}}
  %y = cuvil.scatter_elements none %x, %i, %u {axis = 0 : i64} : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_c1_2(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 1, got axis 3 (scatter_elements_c1)}}
  %y = cuvil.scatter_elements none %x, %i, %u {axis = 3 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_c2(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf16>) {
  // expected-error @+1 {{expected equal element types, got f32 and f16 (scatter_elements_c2)}}
  %y = cuvil.scatter_elements none %x, %i, %u {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_elements_c2_2(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<3xf32>) {
  // expected-error @+1 {{expected updates with dims [2], got [3] (scatter_elements_c2)}}
  %y = cuvil.scatter_elements none %x, %i, %u {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<4xf32>
  return
}
