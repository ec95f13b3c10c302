// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.shape_pack.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @shape_pack_c1() {
  // expected-error @+1 {{scalar needs exactly one expression, got 2 (shape_pack_c1)}}
  %s = cuvil.shape_pack {dims = #cuvil.dims<[@n, 3]>, scalar = true} : () -> tensor<i64>
  return
}

// -----

func.func @shape_pack_xtype() {
  // expected-error @+1 {{has type}}
  %s = cuvil.shape_pack {dims = #cuvil.dims<[@n, 3]>} : () -> tensor<3xi64>
  return
}
