// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.constant, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @dense(
// CHECK: cuvil.constant {{.*}}dense<[1.000000e+00, 2.000000e+00]>
func.func @dense() {
  %c = cuvil.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
  return
}

// CHECK-LABEL: @weight(
// CHECK: value = #cuvil.weight<7> : tensor<2x3xf16>
func.func @weight() {
  %c = cuvil.constant {value = #cuvil.weight<7> : tensor<2x3xf16>} : () -> tensor<2x3xf16>
  return
}
