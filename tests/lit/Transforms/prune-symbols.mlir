// RUN: cuvil-opt %s -cuvil-prune-symbols | FileCheck %s

// CHECK-LABEL: @main
// CHECK-NOT: "unused"
// CHECK: cuvil.sym_bind %arg0 {symbols = ["n"]}
func.func @main(%s: tensor<i64>, %x: tensor<f32>) -> tensor<?xf32, #cuvil.dims<[@n]>> {
  cuvil.sym_bind %s {symbols = ["unused"]} : (tensor<i64>) -> ()
  cuvil.sym_bind %s {symbols = ["n"]} : (tensor<i64>) -> ()
  %y = cuvil.fill %x {shape = #cuvil.dims<[@n]>} : (tensor<f32>) -> tensor<?xf32, #cuvil.dims<[@n]>>
  return %y : tensor<?xf32, #cuvil.dims<[@n]>>
}
