// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.arg_reduce.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @arg_reduce_c1(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 2, got axis 2 (arg_reduce_c1)}}
  %y = cuvil.arg_reduce max %x {axis = 2 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @arg_reduce_c1_2(%x: tensor<f32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 0, got axis 0 (arg_reduce_c1)}}
  %y = cuvil.arg_reduce max %x {axis = 0 : i64} : (tensor<f32>) -> tensor<i64>
  return
}

// -----

func.func @arg_reduce_xtype(%x: tensor<2xi1>) {
  // expected-error @+1 {{operand #0 must be}}
  %y = cuvil.arg_reduce max %x {axis = 0 : i64} : (tensor<2xi1>) -> tensor<i64>
  return
}
