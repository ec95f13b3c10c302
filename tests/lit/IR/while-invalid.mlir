// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.while.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @while_c1(%i: tensor<i64>, %go: tensor<i1>) {
  // expected-error @+1 {{expected 1 condition region arguments, got 0 (while_c1)}}
  %r = cuvil.while %i : (tensor<i64>) -> tensor<i64> {
    cuvil.condition %go, %i : tensor<i1>, tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    cuvil.yield %a : tensor<i64>
  }
  return
}

// -----

func.func @while_c1_2(%i: tensor<i64>, %go: tensor<i1>) {
  // expected-error @+1 {{body region arguments #0 has type tensor<i32>, expected tensor<i64> up to dims (while_c1)}}
  %r = cuvil.while %i : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    cuvil.condition %go, %a : tensor<i1>, tensor<i64>
  } do {
  ^bb0(%a: tensor<i32>):
    cuvil.yield %i : tensor<i64>
  }
  return
}

// -----

func.func @while_c2(%i: tensor<i64>, %go: tensor<2xi1>) {
  // expected-error @+1 {{expected a condition of one element (while_c2)}}
  %r = cuvil.while %i : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    cuvil.condition %go, %a : tensor<2xi1>, tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    cuvil.yield %a : tensor<i64>
  }
  return
}

// -----

func.func @while_c2_2(%i: tensor<i64>, %go: tensor<i1>) {
  // expected-error @+1 {{expected the condition region to end in cuvil.condition (while_c2)}}
  %r = cuvil.while %i : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    cuvil.yield %a : tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    cuvil.yield %a : tensor<i64>
  }
  return
}

// -----

func.func @while_c2_3(%i: tensor<i64>, %go: tensor<i1>) {
  // expected-error @+1 {{expected 1 yielded values, got 2 (while_c2)}}
  %r = cuvil.while %i : (tensor<i64>) -> tensor<i64> {
  ^bb0(%a: tensor<i64>):
    cuvil.condition %go, %a : tensor<i1>, tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    cuvil.yield %a, %a : tensor<i64>, tensor<i64>
  }
  return
}

// -----

func.func @while_c2_4(%i: tensor<i64>, %go: tensor<i1>) {
  // expected-error @+1 {{results #0 has type tensor<f64>, expected tensor<i64> up to dims (while_c2)}}
  %r = cuvil.while %i : (tensor<i64>) -> tensor<f64> {
  ^bb0(%a: tensor<i64>):
    cuvil.condition %go, %a : tensor<i1>, tensor<i64>
  } do {
  ^bb0(%a: tensor<i64>):
    cuvil.yield %a : tensor<i64>
  }
  return
}
