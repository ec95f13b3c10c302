// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.dot.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @dot_c1(%a: tensor<2x3xf32>, %b: tensor<3x4xf16>) {
  // expected-error @+1 {{expected equal element types, got f32 and f16 (dot_c1)}}
  %y = cuvil.dot %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_c2(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{expected rhs_batch with 1 entries, got 0 (dot_c2)}}
  %y = cuvil.dot %a, %b {lhs_batch = array<i64: 0>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_c2_2(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{expected rhs_contract with 2 entries, got 1 (dot_c2)}}
  %y = cuvil.dot %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1, 0>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_c2_3(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{expected distinct lhs_batch and lhs_contract, got [1, 1] (dot_c2)}}
  %y = cuvil.dot %a, %b {lhs_batch = array<i64: 1>, rhs_batch = array<i64: 1>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_c2_4(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @+1 {{expected rhs_batch and rhs_contract in [0, 2), got [-1] (dot_c2)}}
  %y = cuvil.dot %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: -1>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_c3(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @+1 {{expected equal dims, got 3 at lhs axis 1 and 2 at rhs axis 0 (dot_c3)}}
  %y = cuvil.dot %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}
