// SPDX-License-Identifier: Apache-2.0
// Lowering of cuvil.resize.
// RUN: cuvil-opt %s --cuvil-to-linalg | FileCheck %s
// RUN: cuvil-opt %s --cuvil-to-linalg \
// RUN:   | mlir-opt --one-shot-bufferize=bufferize-function-boundaries \
// RUN:       --convert-linalg-to-loops -o /dev/null

// CHECK-LABEL: @nearest(
// CHECK: math.floor
// CHECK: arith.fptosi
// CHECK: tensor.extract %arg0
func.func @nearest(%a0: tensor<1x1x2xf32>) -> (tensor<1x1x4xf32>) {
  %0 = cuvil.resize nearest %a0 {shape = #cuvil.dims<[1, 1, 4]>, scales = array<f64: 1.0, 1.0, 2.0>, coordinate = "asymmetric", rounding = "floor"} : (tensor<1x1x2xf32>) -> (tensor<1x1x4xf32>)
  return %0 : tensor<1x1x4xf32>
}

// CHECK-LABEL: @linear(
// CHECK: tensor.extract %arg0
// CHECK: linalg.yield
// CHECK: tensor.extract
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @linear(%a0: tensor<?x4x4xf32, #cuvil.dims<[@n, 4, 4]>>) -> (tensor<?x8x6xf32, #cuvil.dims<[@n, 8, 6]>>) {
  %0 = cuvil.resize linear %a0 {shape = #cuvil.dims<[@n, 8, 6]>, scales = array<f64: 0.0, 0.0, 0.0>} : (tensor<?x4x4xf32, #cuvil.dims<[@n, 4, 4]>>) -> (tensor<?x8x6xf32, #cuvil.dims<[@n, 8, 6]>>)
  return %0 : tensor<?x8x6xf32, #cuvil.dims<[@n, 8, 6]>>
}

// CHECK-LABEL: @antialias(
// CHECK: scf.for
// CHECK: arith.divf
func.func @antialias(%a0: tensor<1x1x8xf32>) -> (tensor<1x1x3xf32>) {
  %0 = cuvil.resize cubic %a0 {shape = #cuvil.dims<[1, 1, 3]>, scales = array<f64: 0.0, 0.0, 0.0>, antialias = true} : (tensor<1x1x8xf32>) -> (tensor<1x1x3xf32>)
  return %0 : tensor<1x1x3xf32>
}
