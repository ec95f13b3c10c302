// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.fill.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @fill_c1(%c: tensor<1xf32>) {
  // expected-error @+1 {{expected x of rank 0, got tensor<1xf32> (fill_c1)}}
  %y = cuvil.fill %c {shape = #cuvil.dims<[2]>} : (tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @fill_c2(%c: tensor<f32>) {
  // expected-error @+1 {{expected shape of at least zero, got [2, -1] (fill_c2)}}
  %y = cuvil.fill %c {shape = #cuvil.dims<[2, -1]>} : (tensor<f32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @fill_c2_2(%c: tensor<f32>) {
  // expected-error @+1 {{expected shape of at least zero, got [-1 * @n + -1] (fill_c2)}}
  %y = cuvil.fill %c {shape = #cuvil.dims<[-1 * @n + -1]>} : (tensor<f32>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return
}

// -----

func.func @fill_size(%c: tensor<f32>) {
  // expected-error @+1 {{result dims [4294967296, 4294967296] exceed the address space (fill_size)}}
  %y = cuvil.fill %c {shape = #cuvil.dims<[4294967296, 4294967296]>} : (tensor<f32>) -> tensor<4294967296x4294967296xf32>
  return
}

// -----

func.func @fill_size_2(%c: tensor<f32>) {
  // expected-error @+1 {{result dim 9223372036854775807 + 1 overflows or divides by zero (fill_size)}}
  %y = cuvil.fill %c {shape = #cuvil.dims<[9223372036854775807 + 1]>} : (tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @fill_size_3(%c: tensor<f32>) {
  // expected-error @+1 {{result dim floordiv(4, 0) overflows or divides by zero (fill_size)}}
  %y = cuvil.fill %c {shape = #cuvil.dims<[floordiv(4, 0)]>} : (tensor<f32>) -> tensor<1xf32>
  return
}
