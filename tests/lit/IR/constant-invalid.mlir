// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.constant.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @constant_c1() {
  // expected-error @+1 {{expected a dense tensor or a weight as value, got 1 : i64 (constant_c1)}}
  %c = cuvil.constant {value = 1 : i64} : () -> tensor<i64>
  return
}

// -----

func.func @constant_c1_2() {
  // expected-error @+1 {{expected a dense tensor or a weight as value, got dense<1> : vector<2xi64> (constant_c1)}}
  %c = cuvil.constant {value = dense<1> : vector<2xi64>} : () -> tensor<2xi64>
  return
}

// -----

func.func @constant_xtype() {
  // expected-error @+1 {{has type}}
  %c = cuvil.constant {value = dense<1> : tensor<2xi64>} : () -> tensor<3xi64>
  return
}
