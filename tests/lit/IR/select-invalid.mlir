// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.select.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @select_c1(%m: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf16>) {
  // expected-error @+1 {{expected equal element types, got f32 and f16 (select_c1)}}
  %r = cuvil.select %m, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf16>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c2(%m: tensor<3xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  // expected-error @+1 {{expected equal dims, got 3 and 4 at axis 0 (select_c2)}}
  %r = cuvil.select %m, %x, %y : (tensor<3xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @select_c2_2(%m: tensor<4xi1>, %x: tensor<?xf32, #cuvil.dims<[@n]>>, %y: tensor<5xf32>) {
  // expected-error @+1 {{expected equal dims, got 4 and 5 at axis 0 (select_c2)}}
  %r = cuvil.select %m, %x, %y : (tensor<4xi1>, tensor<?xf32, #cuvil.dims<[@n]>>, tensor<5xf32>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return
}
