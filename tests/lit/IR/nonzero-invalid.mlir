// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.nonzero.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @nonzero_c1(%x: tensor<f32>) {
  // expected-error @+1 {{expected x of rank >= 1, got tensor<f32> (nonzero_c1)}}
  %y = cuvil.nonzero %x {count = #cuvil.dims<[@n]>} : (tensor<f32>) -> tensor<1x?xi64, #cuvil.dims<[1, @n]>>
  return
}

// -----

func.func @nonzero_c2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected count with 1 entries, got 0 (nonzero_c2)}}
  %y = cuvil.nonzero %x {count = #cuvil.dims<[]>} : (tensor<4xf32>) -> tensor<1x?xi64, #cuvil.dims<[1, @n]>>
  return
}

// -----

func.func @nonzero_size(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected count of at least zero, got [-1] (nonzero_size)}}
  %y = cuvil.nonzero %x {count = #cuvil.dims<[-1]>} : (tensor<4xf32>) -> tensor<1x1xi64>
  return
}
