// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.arg_pool.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @arg_pool_c1(%x: tensor<1x4xf32>) {
  // expected-error @+1 {{expected x of rank 3 to 5, got tensor<1x4xf32> (arg_pool_c1)}}
  %y = cuvil.arg_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x4xf32>) -> tensor<1x1x2xi64>
  return
}

// -----

func.func @arg_pool_c2(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected kernel with 1 entries, got 2 (arg_pool_c2)}}
  %y = cuvil.arg_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xi64>
  return
}

// -----

func.func @arg_pool_c2_2(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected out with 1 entries, got 0 (arg_pool_c2)}}
  %y = cuvil.arg_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xi64>
  return
}

// -----

func.func @arg_pool_c2_3(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected kernel above zero, got [0] (arg_pool_c2)}}
  %y = cuvil.arg_pool %x {kernel = array<i64: 0>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xi64>
  return
}

// -----

func.func @arg_pool_c2_4(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected strides above zero, got [-1] (arg_pool_c2)}}
  %y = cuvil.arg_pool %x {kernel = array<i64: 2>, strides = array<i64: -1>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xi64>
  return
}

// -----

func.func @arg_pool_size(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected out of at least zero, got [-1] (arg_pool_size)}}
  %y = cuvil.arg_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[-1]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xi64>
  return
}
