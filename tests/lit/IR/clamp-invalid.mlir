// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.clamp.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @clamp_c1(%x: tensor<4xf32>, %lo: tensor<1xf32>, %hi: tensor<f32>) {
  // expected-error @+1 {{expected low of type tensor<f32>, got tensor<1xf32> (clamp_c1)}}
  %y = cuvil.clamp %x, %lo, %hi : (tensor<4xf32>, tensor<1xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp_c1_2(%x: tensor<4xf32>, %lo: tensor<f32>, %hi: tensor<f64>) {
  // expected-error @+1 {{expected high of type tensor<f32>, got tensor<f64> (clamp_c1)}}
  %y = cuvil.clamp %x, %lo, %hi : (tensor<4xf32>, tensor<f32>, tensor<f64>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp_xtype(%x: tensor<4xi1>, %lo: tensor<i1>, %hi: tensor<i1>) {
  // expected-error @+1 {{operand #0 must be}}
  %y = cuvil.clamp %x, %lo, %hi : (tensor<4xi1>, tensor<i1>, tensor<i1>) -> tensor<4xi1>
  return
}
