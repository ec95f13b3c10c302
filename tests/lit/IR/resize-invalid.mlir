// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.resize.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @resize_c1(%x: tensor<1x1x2xf32>) {
  // expected-error @+1 {{expected shape with 3 entries, got 2 (resize_c1)}}
  %y = cuvil.resize nearest %x {shape = #cuvil.dims<[1, 4]>, scales = array<f64: 1.0, 1.0, 2.0>} : (tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @resize_c1_2(%x: tensor<1x1x2xf32>) {
  // expected-error @+1 {{expected scales with 3 entries, got 1 (resize_c1)}}
  %y = cuvil.resize nearest %x {shape = #cuvil.dims<[1, 1, 4]>, scales = array<f64: 1.0>} : (tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @resize_c2(%x: tensor<1x1x2xi8>) {
  // expected-error @+1 {{kind linear needs a float type, got i8 (resize_c2)}}
  %y = cuvil.resize linear %x {shape = #cuvil.dims<[1, 1, 4]>, scales = array<f64: 1.0, 1.0, 2.0>} : (tensor<1x1x2xi8>) -> tensor<1x1x4xi8>
  return
}

// -----

func.func @resize_size(%x: tensor<1x1x2xf32>) {
  // expected-error @+1 {{expected shape of at least zero, got [1, 1, -4] (resize_size)}}
  %y = cuvil.resize nearest %x {shape = #cuvil.dims<[1, 1, -4]>, scales = array<f64: 1.0, 1.0, 2.0>} : (tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @resize_xkind(%x: tensor<1x1x2xf32>) {
  // expected-error @+1 {{attribute 'coordinate' failed to satisfy constraint}}
  %y = cuvil.resize nearest %x {shape = #cuvil.dims<[1, 1, 4]>, scales = array<f64: 1.0, 1.0, 2.0>, coordinate = "none"} : (tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
  return
}
