// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.pad.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @pad_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected low with 1 entries, got 2 (pad_c1)}}
  %y = cuvil.pad edge %x {low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c1_2(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected high with 1 entries, got 0 (pad_c1)}}
  %y = cuvil.pad edge %x {low = #cuvil.dims<[1]>, high = #cuvil.dims<[]>} : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c2(%x: tensor<3xf32>) {
  // expected-error @+1 {{mode constant needs a value operand (pad_c2)}}
  %y = cuvil.pad constant %x {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c2_2(%x: tensor<3xf32>, %v: tensor<f32>) {
  // expected-error @+1 {{mode wrap takes no value operand (pad_c2)}}
  %y = cuvil.pad wrap %x, %v {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_c2_3(%x: tensor<3xf32>, %v: tensor<1xf32>) {
  // expected-error @+1 {{expected value of type tensor<f32>, got tensor<1xf32> (pad_c2)}}
  %y = cuvil.pad constant %x, %v {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>, tensor<1xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @pad_size(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected result dims of at least zero, got [-2] (pad_size)}}
  %y = cuvil.pad edge %x {low = #cuvil.dims<[-3]>, high = #cuvil.dims<[-2]>} : (tensor<3xf32>) -> tensor<6xf32>
  return
}
