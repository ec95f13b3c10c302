// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.softmax.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @softmax_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 2, got axis 2 (softmax_c1)}}
  %y = cuvil.softmax %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @softmax_c1_2(%x: tensor<f32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 0, got axis 0 (softmax_c1)}}
  %y = cuvil.softmax %x {axis = 0 : i64} : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @softmax_xtype(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be}}
  %y = cuvil.softmax %x {axis = 0 : i64} : (tensor<2xi32>) -> tensor<2xi32>
  return
}
