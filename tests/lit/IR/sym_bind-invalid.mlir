// SPDX-License-Identifier: Apache-2.0
// One violation of each constraint of cuvil.sym_bind.
// RUN: cuvil-opt %s -verify-diagnostics -split-input-file

func.func @sym_bind_c1(%x: tensor<2xi64>) {
  // expected-error @+1 {{expected x of rank 0 or 1 with 1 elements as there are symbols, got tensor<2xi64> (sym_bind_c1)}}
  cuvil.sym_bind %x {symbols = ["n"]} : (tensor<2xi64>) -> ()
  return
}

// -----

func.func @sym_bind_c1_2(%x: tensor<1x1xi64>) {
  // expected-error @+1 {{expected x of rank 0 or 1 with 1 elements as there are symbols, got tensor<1x1xi64> (sym_bind_c1)}}
  cuvil.sym_bind %x {symbols = ["n"]} : (tensor<1x1xi64>) -> ()
  return
}

// -----

func.func @sym_bind_c1_3(%x: tensor<?xi64, #cuvil.dims<[@k]>>) {
  // expected-error @+1 {{expected x of rank 0 or 1 with 1 elements as there are symbols, got tensor<?xi64, #cuvil.dims<[@k]>> (sym_bind_c1)}}
  cuvil.sym_bind %x {symbols = ["n"]} : (tensor<?xi64, #cuvil.dims<[@k]>>) -> ()
  return
}
