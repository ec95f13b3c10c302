// SPDX-License-Identifier: Apache-2.0
// Violations of the constraint of cuvil.invoke.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @invoke_c1(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected a function named missing (invoke_c1)}}
  %y = cuvil.invoke @missing on "cpu" (%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @part0(tensor<4xf32>) -> tensor<4xf32>

func.func @invoke_c1_2(%x: tensor<4xf32>) {
  // expected-error @+1 {{expected 1 operands, got 2 (invoke_c1)}}
  %y = cuvil.invoke @part0 on "cpu" (%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func private @part0(tensor<4xf32>) -> tensor<4xf32>

func.func @invoke_c1_3(%x: tensor<4xf32>) {
  // expected-error @+1 {{results #0 has type tensor<4xf16>, expected tensor<4xf32> up to dims (invoke_c1)}}
  %y = cuvil.invoke @part0 on "cpu" (%x) : (tensor<4xf32>) -> tensor<4xf16>
  return
}
