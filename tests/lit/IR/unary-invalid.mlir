// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.unary.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @unary_c1(%x: tensor<4xi32>) {
  // expected-error @+1 {{kind exp does not accept element type i32 (unary_c1)}}
  %y = cuvil.unary exp %x : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

func.func @unary_c1_2(%x: tensor<4xi1>) {
  // expected-error @+1 {{kind relu does not accept element type i1 (unary_c1)}}
  %y = cuvil.unary relu %x : (tensor<4xi1>) -> tensor<4xi1>
  return
}

// -----

func.func @unary_c1_3(%x: tensor<4xf32>) {
  // expected-error @+1 {{kind popcount does not accept element type f32 (unary_c1)}}
  %y = cuvil.unary popcount %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unary_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{kind elu needs alpha (unary_c2)}}
  %y = cuvil.unary elu %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unary_c2_2(%x: tensor<4xf32>) {
  // expected-error @+1 {{kind elu takes no beta (unary_c2)}}
  %y = cuvil.unary elu %x {alpha = 1.0 : f64, beta = 1.0 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unary_xkind(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'kind' failed to satisfy constraint}}
  %y = cuvil.unary foo %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @unary_xtype(%x: tensor<4xf32>) {
  // expected-error @+1 {{has type}}
  %y = cuvil.unary exp %x : (tensor<4xf32>) -> tensor<5xf32>
  return
}
