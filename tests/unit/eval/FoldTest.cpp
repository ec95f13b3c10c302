// SPDX-License-Identifier: Apache-2.0
// Folding of ops on constants.
#include "cuvil/Eval/Fold.h"
#include "Programs.h"

using namespace cuvil;

/// Folds the op before the return of @main.
static llvm::FailureOr<mlir::DenseElementsAttr> foldLast(const char *body) {
  static mlir::MLIRContext *context = makeTestContext().release();
  static std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  modules.push_back(parse(*context, body));
  mlir::Block &block = getMain(*modules.back()).getBody().front();
  return foldConstant(block.getTerminator()->getPrevNode());
}

TEST(Fold, EvaluatesOnDenseConstants) {
  auto value = foldLast(R"(func.func @main() -> tensor<2xi64> {
    %a = cuvil.constant {value = dense<[3, -7]> : tensor<2xi64>} : () -> tensor<2xi64>
    %b = cuvil.constant {value = dense<2> : tensor<2xi64>} : () -> tensor<2xi64>
    %r = cuvil.binary floordiv %a, %b : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    return %r : tensor<2xi64> })");
  ASSERT_TRUE(succeeded(value));
  std::vector<int64_t> values(value->getValues<int64_t>().begin(),
                              value->getValues<int64_t>().end());
  EXPECT_EQ(values, (std::vector<int64_t>{1, -4}));
}

TEST(Fold, MakesPackedBools) {
  auto value = foldLast(R"(func.func @main() -> tensor<3xi1> {
    %a = cuvil.constant {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf32>} : () -> tensor<3xf32>
    %b = cuvil.constant {value = dense<2.0> : tensor<3xf32>} : () -> tensor<3xf32>
    %r = cuvil.compare lt %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
    return %r : tensor<3xi1> })");
  ASSERT_TRUE(succeeded(value));
  std::vector<bool> values(value->getValues<bool>().begin(),
                           value->getValues<bool>().end());
  EXPECT_EQ(values, (std::vector<bool>{true, false, false}));
}

TEST(Fold, LeavesErrorsToTheProgram) {
  EXPECT_TRUE(failed(foldLast(R"(func.func @main() -> tensor<i32> {
    %a = cuvil.constant {value = dense<1> : tensor<i32>} : () -> tensor<i32>
    %b = cuvil.constant {value = dense<0> : tensor<i32>} : () -> tensor<i32>
    %r = cuvil.binary div %a, %b : (tensor<i32>, tensor<i32>) -> tensor<i32>
    return %r : tensor<i32> })")));
}

TEST(Fold, NeedsConstantOperands) {
  EXPECT_TRUE(
      failed(foldLast(R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %r = cuvil.unary neg %x : (tensor<f32>) -> tensor<f32>
    return %r : tensor<f32> })")));
}
