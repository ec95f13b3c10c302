// SPDX-License-Identifier: Apache-2.0
// A symbol that no argument gives is an error.
// RUN: not cuvil-opt %s --cuvil-to-linalg 2>&1 | FileCheck %s

// CHECK: error: the value of dimension '@n' is unknown: no argument gives its symbols
func.func @unknown() -> tensor<1xi64> {
  %0 = cuvil.shape_pack {dims = #cuvil.dims<[@n]>} : () -> tensor<1xi64>
  return %0 : tensor<1xi64>
}
