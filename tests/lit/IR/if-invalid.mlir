// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.if.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @if_c1(%c: tensor<2xi1>) {
  // expected-error @+1 {{expected a condition of one element, got tensor<2xi1> (if_c1)}}
  cuvil.if %c : (tensor<2xi1>) -> () {
    cuvil.yield
  } else {
    cuvil.yield
  }
  return
}

// -----

func.func @if_c2(%c: tensor<i1>, %a: tensor<2xf32>) {
  // expected-error @+1 {{expected 1 yielded values, got 0 (if_c2)}}
  %r = cuvil.if %c : (tensor<i1>) -> tensor<2xf32> {
    cuvil.yield %a : tensor<2xf32>
  } else {
    cuvil.yield
  }
  return
}

// -----

func.func @if_c2_2(%c: tensor<i1>, %a: tensor<2xf32>, %b: tensor<2x1xf32>) {
  // expected-error @+1 {{yielded values #0 has type tensor<2x1xf32>, expected tensor<2xf32> up to dims (if_c2)}}
  %r = cuvil.if %c : (tensor<i1>) -> tensor<2xf32> {
    cuvil.yield %a : tensor<2xf32>
  } else {
    cuvil.yield %b : tensor<2x1xf32>
  }
  return
}

// -----

func.func @if_c2_3(%c: tensor<i1>, %a: tensor<2xf32>) {
  // expected-error @+1 {{expected the else region to end in cuvil.yield (if_c2)}}
  %r = cuvil.if %c : (tensor<i1>) -> tensor<2xf32> {
    cuvil.yield %a : tensor<2xf32>
  } else {
    cuvil.condition %c : tensor<i1>
  }
  return
}
