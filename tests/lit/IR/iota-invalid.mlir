// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.iota.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @iota_c1() {
  // expected-error @+1 {{expected 0 <= axis < rank 1, got axis 1 (iota_c1)}}
  %y = cuvil.iota {shape = #cuvil.dims<[4]>, axis = 1 : i64, to = i64} : () -> tensor<4xi64>
  return
}

// -----

func.func @iota_c1_2() {
  // expected-error @+1 {{expected 0 <= axis < rank 0, got axis 0 (iota_c1)}}
  %y = cuvil.iota {shape = #cuvil.dims<[]>, axis = 0 : i64, to = i64} : () -> tensor<i64>
  return
}

// -----

func.func @iota_c1_3() {
  // expected-error @+1 {{expected 0 <= axis < rank 1, got axis -1 (iota_c1)}}
  %y = cuvil.iota {shape = #cuvil.dims<[4]>, axis = -1 : i64, to = i64} : () -> tensor<4xi64>
  return
}

// -----

func.func @iota_c2() {
  // expected-error @+1 {{expected a numeric element type, got i1 (iota_c2)}}
  %y = cuvil.iota {shape = #cuvil.dims<[4]>, axis = 0 : i64, to = i1} : () -> tensor<4xi64>
  return
}

// -----

func.func @iota_size() {
  // expected-error @+1 {{expected shape of at least zero, got [-4] (iota_size)}}
  %y = cuvil.iota {shape = #cuvil.dims<[-4]>, axis = 0 : i64, to = i64} : () -> tensor<4xi64>
  return
}
