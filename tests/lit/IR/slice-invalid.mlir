// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.slice.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @slice_c1(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected starts with 1 entries, got 2 (slice_c1)}}
  %y = cuvil.slice %x {starts = #cuvil.dims<[1, 2]>, sizes = #cuvil.dims<[2]>, steps = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c1_2(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected sizes with 1 entries, got 0 (slice_c1)}}
  %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[]>, steps = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c1_3(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected steps with 1 entries, got 0 (slice_c1)}}
  %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[2]>, steps = array<i64>} : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c2(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected steps other than zero, got [0] (slice_c2)}}
  %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[2]>, steps = array<i64: 0>} : (tensor<5xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c3(%x: tensor<5xf32>) {
  // expected-error @+1 {{indices 1 to 5 at axis 0 leave the dim 5 (slice_c3)}}
  %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[3]>, steps = array<i64: 2>} : (tensor<5xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_c3_2(%x: tensor<5xf32>) {
  // expected-error @+1 {{indices -1 to 1 at axis 0 leave the dim 5 (slice_c3)}}
  %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[3]>, steps = array<i64: -1>} : (tensor<5xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @slice_c3_3(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  // expected-error @+1 {{indices @n to @n at axis 0 leave the dim @n (slice_c3)}}
  %y = cuvil.slice %x {starts = #cuvil.dims<[@n]>, sizes = #cuvil.dims<[1]>, steps = array<i64: 1>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_size(%x: tensor<5xf32>) {
  // expected-error @+1 {{expected sizes of at least zero, got [-1] (slice_size)}}
  %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[-1]>, steps = array<i64: 1>} : (tensor<5xf32>) -> tensor<1xf32>
  return
}
