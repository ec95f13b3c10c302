// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.assert.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @assert_c1() {
  // expected-error @+1 {{expected as many left as right sides, got 1 and 2 (assert_c1)}}
  cuvil.assert eq {lhs = #cuvil.dims<[@n]>, rhs = #cuvil.dims<[@m, 1]>, message = "sizes differ"} : () -> ()
  return
}

// -----

func.func @assert_xkind() {
  // expected-error @+1 {{attribute 'relation' failed to satisfy constraint}}
  cuvil.assert gt {lhs = #cuvil.dims<[@n]>, rhs = #cuvil.dims<[@m]>, message = "sizes differ"} : () -> ()
  return
}
