// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.convert.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @convert_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected an element type, got i7 (convert_c1)}}
  %y = cuvil.convert %x {to = i7} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @convert_c1_2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected an element type, got tensor<2xf32> (convert_c1)}}
  %y = cuvil.convert %x {to = tensor<2xf32>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @convert_xround(%x: tensor<4xf32>) {
  // expected-error @+1 {{attribute 'round' failed to satisfy constraint}}
  %y = cuvil.convert %x {to = i8, round = "up"} : (tensor<4xf32>) -> tensor<4xi8>
  return
}
