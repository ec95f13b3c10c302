// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.refine.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @refine_c1(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  // expected-error @+1 {{expected shape with 1 entries, got 2 (refine_c1)}}
  %y = cuvil.refine %x {shape = #cuvil.dims<[4, 1]>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<4x1xf32>
  return
}

// -----

func.func @refine_c1_2(%x: tensor<?xf32, #cuvil.dims<[@n]>>) {
  // expected-error @+1 {{expected equal dims, got @n and @n + 1 at axis 0 (refine_c1)}}
  %y = cuvil.refine %x {shape = #cuvil.dims<[@n + 1]>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[@n + 1]>>
  return
}
