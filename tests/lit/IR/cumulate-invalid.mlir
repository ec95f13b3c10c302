// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.cumulate.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @cumulate_c1(%x: tensor<3xf32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 1, got axis -1 (cumulate_c1)}}
  %y = cuvil.cumulate sum %x {axis = -1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @cumulate_xtype(%x: tensor<3xi1>) {
  // expected-error @+1 {{operand #0 must be}}
  %y = cuvil.cumulate sum %x {axis = 0 : i64} : (tensor<3xi1>) -> tensor<3xi1>
  return
}
