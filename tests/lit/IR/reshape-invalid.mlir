// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.reshape.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @reshape_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected 6 elements as in the operand, got 5 in [5] (reshape_c1)}}
  %y = cuvil.reshape %x {shape = #cuvil.dims<[5]>} : (tensor<2x3xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @reshape_c1_2(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  // expected-error @+1 {{expected @n elements as in the operand, got @n + 2 in [@n + 2] (reshape_c1)}}
  %y = cuvil.reshape %x {shape = #cuvil.dims<[@n + 2]>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return
}

// -----

func.func @reshape_size(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected shape of at least zero, got [-2, -3] (reshape_size)}}
  %y = cuvil.reshape %x {shape = #cuvil.dims<[-2, -3]>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
