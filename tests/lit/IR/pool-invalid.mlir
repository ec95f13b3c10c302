// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.pool.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @pool_c1(%x: tensor<1x4xf32>) {
  // expected-error @+1 {{expected x of rank 3 to 5, got tensor<1x4xf32> (pool_c1)}}
  %y = cuvil.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pool_c2(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected kernel with 1 entries, got 2 (pool_c2)}}
  %y = cuvil.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pool_c2_2(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected out with 1 entries, got 0 (pool_c2)}}
  %y = cuvil.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pool_c2_3(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected kernel above zero, got [0] (pool_c2)}}
  %y = cuvil.pool max %x {kernel = array<i64: 0>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pool_c2_4(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected strides above zero, got [-1] (pool_c2)}}
  %y = cuvil.pool max %x {kernel = array<i64: 2>, strides = array<i64: -1>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pool_size(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{expected out of at least zero, got [-1] (pool_size)}}
  %y = cuvil.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[-1]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pool_c3(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{kind lp needs p (pool_c3)}}
  %y = cuvil.pool lp %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pool_c3_2(%x: tensor<1x1x4xf32>) {
  // expected-error @+1 {{kind max takes no p (pool_c3)}}
  %y = cuvil.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>, p = 2 : i64} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
  return
}

// -----

func.func @pool_c4(%x: tensor<1x1x4xi32>) {
  // expected-error @+1 {{kind avg needs a float type, got i32 (pool_c4)}}
  %y = cuvil.pool avg %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xi32>) -> tensor<1x1x2xi32>
  return
}
