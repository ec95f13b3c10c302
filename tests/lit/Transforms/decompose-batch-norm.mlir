// RUN: cuvil-opt %s -cuvil-decompose-batch-norm | FileCheck %s

// CHECK-LABEL: @main
// CHECK: %[[F:.*]] = cuvil.binary mul %arg1, %{{.*}} : (tensor<2xf32>
// CHECK: %[[O:.*]] = cuvil.binary sub %arg2
// CHECK: cuvil.broadcast %[[F]]
// CHECK: cuvil.binary mul %arg0
// CHECK: cuvil.broadcast %[[O]]
// CHECK: cuvil.binary add
// CHECK-NOT: cuvil.normalize batch
// f16 stays whole: it computes in f32 inside.
// CHECK-LABEL: @narrow
// CHECK: cuvil.normalize batch
func.func @main(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) -> tensor<1x2x4xf32> {
  %y = cuvil.normalize batch %x, %s, %b, %m, %v {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return %y : tensor<1x2x4xf32>
}
func.func @narrow(%x: tensor<1x2x4xf16>, %s: tensor<2xf16>) -> tensor<1x2x4xf16> {
  %y = cuvil.normalize batch %x, %s, %s, %s, %s {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<1x2x4xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<1x2x4xf16>
  return %y : tensor<1x2x4xf16>
}
