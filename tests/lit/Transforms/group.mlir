// RUN: cuvil-opt %s -cuvil-group -split-input-file | FileCheck %s
// RUN: cuvil-opt %s -cuvil-group=fusion=false -split-input-file | FileCheck %s --check-prefix=ALONE

// A contraction takes its pointwise tail; the bias is spread inside.
// CHECK-LABEL: @tail
// CHECK: cuvil.fusion "Conv+Add+Relu"
// CHECK-NOT: cuvil.fusion
// CHECK: return
// ALONE-LABEL: @tail
// ALONE-COUNT-4: cuvil.fusion
func.func @tail(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x6x6xf32> {
  %c = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[0, 0]>, high = #cuvil.dims<[0, 0]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  %s = cuvil.broadcast %b {shape = #cuvil.dims<[1, 4, 6, 6]>, mapping = array<i64: 1>} : (tensor<4xf32>) -> tensor<1x4x6x6xf32>
  %a = cuvil.binary add %c, %s : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  %r = cuvil.unary relu %a : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %r : tensor<1x4x6x6xf32>
}

// -----

// A value with a second user stays outside the region of the first.
// CHECK-LABEL: @second_user
// CHECK: %[[E:.*]] = cuvil.fusion "Exp"
// CHECK: cuvil.fusion "Relu"(%[[E]])
func.func @second_user(%x: tensor<?xf32, #cuvil.dims<[@n]>>) -> (tensor<?xf32, #cuvil.dims<[@n]>>, tensor<?xf32, #cuvil.dims<[@n]>>) {
  %e = cuvil.unary exp %x : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  %r = cuvil.unary relu %e : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return %e, %r : tensor<?xf32, #cuvil.dims<[@n]>>, tensor<?xf32, #cuvil.dims<[@n]>>
}

// -----

// Renaming stands alone, two contractions never share a region, constants of a
// few elements are inside.
// CHECK-LABEL: @apart
// CHECK: cuvil.fusion "Dot"
// CHECK: cuvil.fusion "Dot+Mul"
// CHECK: cuvil.constant
// CHECK: cuvil.fusion "Reshape"
func.func @apart(%x: tensor<2x3xf32>, %w: tensor<3x3xf32>) -> tensor<6xf32> {
  %two = cuvil.constant {value = dense<2.0> : tensor<f32>} : () -> tensor<f32>
  %a = cuvil.dot %x, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %b = cuvil.dot %a, %w {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x3xf32>) -> tensor<2x3xf32>
  %f = cuvil.fill %two {shape = #cuvil.dims<[2, 3]>} : (tensor<f32>) -> tensor<2x3xf32>
  %m = cuvil.binary mul %b, %f : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = cuvil.reshape %m {shape = #cuvil.dims<[6]>} : (tensor<2x3xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}
