// SPDX-License-Identifier: Apache-2.0
// Text of cuvil.normalize, static and symbolic.
// RUN: cuvil-opt %s | cuvil-opt | FileCheck %s
// RUN: cuvil-opt %s --mlir-print-op-generic | cuvil-opt | FileCheck %s

// CHECK-LABEL: @batch(
// CHECK: cuvil.normalize batch %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {eps = 1.000000e-05 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>}
func.func @batch(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  %y = cuvil.normalize batch %x, %s, %b, %m, %v {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return
}

// CHECK-LABEL: @layer(
// CHECK: cuvil.normalize layer
func.func @layer(%x: tensor<?x2x4xf32, #cuvil.dims<[@n, 2, 4]>>, %s: tensor<2x4xf32>) {
  %y = cuvil.normalize layer %x, %s {eps = 1.0e-5 : f64, axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<?x2x4xf32, #cuvil.dims<[@n, 2, 4]>>, tensor<2x4xf32>) -> tensor<?x2x4xf32, #cuvil.dims<[@n, 2, 4]>>
  return
}

// CHECK-LABEL: @rms(
// CHECK: -> tensor<?x?xf32, #cuvil.dims<[@n, @d]>>
func.func @rms(%x: tensor<?x?xf32, #cuvil.dims<[@n, @d]>>, %s: tensor<?xf32, #cuvil.dims<[@d]>>) {
  %y = cuvil.normalize rms %x, %s {eps = 1.0e-5 : f64, axis = 1 : i64, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>} : (tensor<?x?xf32, #cuvil.dims<[@n, @d]>>, tensor<?xf32, #cuvil.dims<[@d]>>) -> tensor<?x?xf32, #cuvil.dims<[@n, @d]>>
  return
}

// CHECK-LABEL: @instance(
// CHECK: cuvil.normalize instance
func.func @instance(%x: tensor<1x2x4xf32>, %s: tensor<2xf32>, %b: tensor<2xf32>, %m: tensor<2xf32>, %v: tensor<2xf32>) {
  %y = cuvil.normalize instance %x, %s, %b {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
  return
}

// CHECK-LABEL: @group(
// CHECK: groups = 2 : i64
func.func @group(%x: tensor<?x4x?xf32, #cuvil.dims<[@n, 4, @k]>>) {
  %y = cuvil.normalize group %x {eps = 1.0e-5 : f64, groups = 2 : i64, operandSegmentSizes = array<i32: 1, 0, 0, 0, 0>} : (tensor<?x4x?xf32, #cuvil.dims<[@n, 4, @k]>>) -> tensor<?x4x?xf32, #cuvil.dims<[@n, 4, @k]>>
  return
}
