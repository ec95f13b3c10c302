// RUN: cuvil-opt %s -cuvil-fold-constants -canonicalize | FileCheck %s
// RUN: cuvil-opt %s -cuvil-fold-constants=max-bytes=8 -canonicalize | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: @main
// CHECK: cuvil.constant {value = dense<[2.000000e+00, 4.000000e+00, 6.000000e+00]>
// CHECK-NOT: cuvil.binary
// SMALL: cuvil.binary
func.func @main() -> tensor<3xf32> {
  %a = cuvil.constant {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
  %b = cuvil.binary add %a, %a : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %b : tensor<3xf32>
}
