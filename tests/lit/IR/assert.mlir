// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.assert, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @symbolic(
// CHECK: cuvil.assert eq {lhs = #cuvil.dims<[@n]>, message = "sizes differ", rhs = #cuvil.dims<[@m]>} : () -> ()
func.func @symbolic() {
  cuvil.assert eq {lhs = #cuvil.dims<[@n]>, rhs = #cuvil.dims<[@m]>, message = "sizes differ"} : () -> ()
  return
}

// CHECK-LABEL: @static(
// CHECK: cuvil.assert bcast
func.func @static() {
  cuvil.assert bcast {lhs = #cuvil.dims<[1, 2]>, rhs = #cuvil.dims<[3, 2]>, message = "m"} : () -> ()
  return
}
