// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.normalize.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @normalize_c1(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{kind batch needs operand mean (normalize_c1)}}
  %y = cuvil.normalize batch %x, %s, %b {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c1_2(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{kind instance takes no operand mean (normalize_c1)}}
  %y = cuvil.normalize instance %x, %s, %b, %m {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c1_3(%x: tensor<1x2x4xf32>, %s: tensor<3xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{expected scale with dims [2], got [3] (normalize_c1)}}
  %y = cuvil.normalize instance %x, %s, %b {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x2x4xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c1_4(%x: tensor<2xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>) {
  // expected-error @+1 {{kind instance needs x of rank >= 2, got tensor<2xf32> (normalize_c1)}}
  %y = cuvil.normalize instance %x, %s, %b {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @normalize_c1_5(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{kind layer needs axis (normalize_c1)}}
  %y = cuvil.normalize layer %x {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c1_6(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{kind instance takes no axis (normalize_c1)}}
  %y = cuvil.normalize instance %x, %s, %b {eps = 1.0e-5 : f64, axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c2(%x: tensor<1x2x4xf32>, %s: tensor<2xf16>, %b: tensor<2xf32>) {
  // expected-error @+1 {{expected equal element types, got f32 and f16 (normalize_c2)}}
  %y = cuvil.normalize instance %x, %s, %b {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x2x4xf32>, tensor<2xf16>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c3(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{expected 0 <= axis < rank 3, got axis 3 (normalize_c3)}}
  %y = cuvil.normalize layer %x {eps = 1.0e-5 : f64, axis = 3 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c4(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{kind group needs groups (normalize_c4)}}
  %y = cuvil.normalize group %x {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c4_2(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{expected groups that divide the 2 channels, got 3 (normalize_c4)}}
  %y = cuvil.normalize group %x {eps = 1.0e-5 : f64, groups = 3 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c4_3(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{expected groups that divide the 2 channels, got 0 (normalize_c4)}}
  %y = cuvil.normalize group %x {eps = 1.0e-5 : f64, groups = 0 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c5(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{expected a finite eps >= 0, got -1.00 (normalize_c5)}}
  %y = cuvil.normalize group %x {eps = -1.0 : f64, groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @normalize_c5_2(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  // expected-error @+1 {{expected a finite eps >= 0, got INF (normalize_c5)}}
  %y = cuvil.normalize group %x {eps = 0x7FF0000000000000 : f64, groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  return
}
