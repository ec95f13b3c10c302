// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.topk.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @topk_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 1, got axis 1 (topk_c1)}}
  %v, %i = cuvil.topk %x {k = #cuvil.dims<[2]>, axis = 1 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @topk_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected k with 1 entries, got 2 (topk_c2)}}
  %v, %i = cuvil.topk %x {k = #cuvil.dims<[2, 1]>, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @topk_c2_2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected k of at most 4, got 5 (topk_c2)}}
  %v, %i = cuvil.topk %x {k = #cuvil.dims<[5]>, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<5xf32>, tensor<5xi64>)
  return
}

// -----

func.func @topk_xtype(%x: tensor<4xi1>) {
  // expected-error @+1 {{operand #0 must be}}
  %v, %i = cuvil.topk %x {k = #cuvil.dims<[2]>, axis = 0 : i64} : (tensor<4xi1>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @topk_size(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected k of at least zero, got [-2] (topk_size)}}
  %v, %i = cuvil.topk %x {k = #cuvil.dims<[-2]>, axis = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}
