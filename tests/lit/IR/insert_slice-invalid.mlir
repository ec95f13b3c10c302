// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.insert_slice.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @insert_slice_c1(%x: tensor<5xf32>, %p: tensor<2xf16>) {
  // expected-error @+1 {{expected equal element types, got f32 and f16 (insert_slice_c1)}}
  %y = cuvil.insert_slice %x, %p {starts = #cuvil.dims<[1]>, steps = array<i64: 1>} : (tensor<5xf32>, tensor<2xf16>) -> tensor<5xf32>
  return
}

// -----

func.func @insert_slice_c1_2(%x: tensor<5xf32>, %p: tensor<1x2xf32>) {
  // expected-error @+1 {{expected part of rank 1, got tensor<1x2xf32> (insert_slice_c1)}}
  %y = cuvil.insert_slice %x, %p {starts = #cuvil.dims<[1]>, steps = array<i64: 1>} : (tensor<5xf32>, tensor<1x2xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @insert_slice_c1_3(%x: tensor<5xf32>, %p: tensor<2xf32>) {
  // expected-error @+1 {{expected starts with 1 entries, got 0 (insert_slice_c1)}}
  %y = cuvil.insert_slice %x, %p {starts = #cuvil.dims<[]>, steps = array<i64: 1>} : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @insert_slice_c2(%x: tensor<5xf32>, %p: tensor<2xf32>) {
  // expected-error @+1 {{expected steps above zero, got [-1] (insert_slice_c2)}}
  %y = cuvil.insert_slice %x, %p {starts = #cuvil.dims<[1]>, steps = array<i64: -1>} : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @insert_slice_c3(%x: tensor<5xf32>, %p: tensor<2xf32>) {
  // expected-error @+1 {{indices 4 to 5 at axis 0 leave the dim 5 (insert_slice_c3)}}
  %y = cuvil.insert_slice %x, %p {starts = #cuvil.dims<[4]>, steps = array<i64: 1>} : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>
  return
}
