// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.sym_bind, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @vector(
// CHECK: cuvil.sym_bind %{{.*}} {symbols = ["n", "m"]} : (tensor<2xi64>) -> ()
func.func @vector(%x: tensor<2xi64>) {
  cuvil.sym_bind %x {symbols = ["n", "m"]} : (tensor<2xi64>) -> ()
  return
}

// CHECK-LABEL: @scalar(
// CHECK: (tensor<i32>) -> ()
func.func @scalar(%x: tensor<i32>) {
  cuvil.sym_bind %x {symbols = ["n"]} : (tensor<i32>) -> ()
  return
}
