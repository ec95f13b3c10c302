// SPDX-License-Identifier: Apache-2.0
// Control flow, symbols and errors of the interpreter.
#include "cuvil/Eval/Interpreter.h"
#include "Programs.h"
#include <thread>

using namespace cuvil;

namespace {

class InterpreterTest : public testing::Test {
protected:
  void load(const char *text) {
    module = parse(*context, text);
    ASSERT_TRUE(module);
    interpreter = Interpreter::create(getMain(*module), error);
  }
  bool run(std::vector<EvalTensor> arguments,
           llvm::ArrayRef<llvm::SmallVector<int64_t>> dims = {}) {
    return interpreter &&
           succeeded(interpreter->run(arguments, dims, results, error));
  }
  std::vector<int64_t> result(size_t i = 0) { return results[i].toI64(); }

  std::unique_ptr<mlir::MLIRContext> context = makeTestContext();
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<Interpreter> interpreter;
  std::vector<EvalTensor> results;
  EvalError error;
};

EvalTensor ints(std::vector<int64_t> values, llvm::ArrayRef<int64_t> dims) {
  EvalTensor tensor(CUVIL_I64, dims);
  tensor.setI64(values);
  return tensor;
}

EvalTensor boolean(bool value) {
  EvalTensor tensor(CUVIL_BOOL, {});
  tensor.setI64({value});
  return tensor;
}

} // namespace

// A value that grows: its size is a symbol of the loop's own, and the loop
// runs inside another one, where the same symbols are bound again.
static const char *const kGrowing = R"(
func.func @main(%n: tensor<i64>) -> (tensor<i64>, tensor<?xi64, #cuvil.dims<[@e]>>) {
  %zero = cuvil.constant {value = dense<0> : tensor<i64>} : () -> tensor<i64>
  %one = cuvil.constant {value = dense<1> : tensor<i64>} : () -> tensor<i64>
  %none = cuvil.constant {value = dense<> : tensor<0xi64>} : () -> tensor<0xi64>
  %i, %r = cuvil.while %zero, %none : (tensor<i64>, tensor<0xi64>) -> (tensor<i64>, tensor<?xi64, #cuvil.dims<[@e]>>) {
  ^bb0(%a: tensor<i64>, %v: tensor<?xi64, #cuvil.dims<[@c]>>):
    %go = cuvil.compare lt %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    cuvil.condition %go, %a, %v : tensor<i1>, tensor<i64>, tensor<?xi64, #cuvil.dims<[@c]>>
  } do {
  ^bb0(%a: tensor<i64>, %v: tensor<?xi64, #cuvil.dims<[@b]>>):
    %j, %w = cuvil.while %zero, %v : (tensor<i64>, tensor<?xi64, #cuvil.dims<[@b]>>) -> (tensor<i64>, tensor<?xi64, #cuvil.dims<[@x]>>) {
    ^bb0(%p: tensor<i64>, %q: tensor<?xi64, #cuvil.dims<[@y]>>):
      %go = cuvil.compare lt %p, %a : (tensor<i64>, tensor<i64>) -> tensor<i1>
      cuvil.condition %go, %p, %q : tensor<i1>, tensor<i64>, tensor<?xi64, #cuvil.dims<[@y]>>
    } do {
    ^bb0(%p: tensor<i64>, %q: tensor<?xi64, #cuvil.dims<[@z]>>):
      %p1 = cuvil.reshape %p {shape = #cuvil.dims<[1]>} : (tensor<i64>) -> tensor<1xi64>
      %q1 = cuvil.concat %q, %p1 {axis = 0 : i64} : (tensor<?xi64, #cuvil.dims<[@z]>>, tensor<1xi64>) -> tensor<?xi64, #cuvil.dims<[@z + 1]>>
      %p2 = cuvil.binary add %p, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
      cuvil.yield %p2, %q1 : tensor<i64>, tensor<?xi64, #cuvil.dims<[@z + 1]>>
    }
    %a2 = cuvil.binary add %a, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    cuvil.yield %a2, %w : tensor<i64>, tensor<?xi64, #cuvil.dims<[@x]>>
  }
  return %i, %r : tensor<i64>, tensor<?xi64, #cuvil.dims<[@e]>>
}
)";

TEST_F(InterpreterTest, LoopsBindSizesPerIteration) {
  load(kGrowing);
  ASSERT_TRUE(run({ints({4}, {})})) << error.message;
  EXPECT_EQ(result(0), (std::vector<int64_t>{4}));
  EXPECT_EQ(result(1), (std::vector<int64_t>{0, 0, 1, 0, 1, 2}));
  ASSERT_TRUE(run({ints({0}, {})})) << error.message;
  EXPECT_EQ(result(1), (std::vector<int64_t>{}));
}

TEST_F(InterpreterTest, RunsOnSeveralThreads) {
  load(kGrowing);
  std::vector<std::thread> threads;
  std::atomic<int> right = 0;
  for (int64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::vector<EvalTensor> outputs;
      EvalError failure;
      if (succeeded(interpreter->run(ints({t}, {}), {}, outputs, failure)) &&
          outputs[1].getNumElements() == t * (t - 1) / 2)
        ++right;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 4);
}

TEST_F(InterpreterTest, BranchesOfDifferentSizes) {
  load(R"(
func.func @main(%c: tensor<i1>, %x: tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<1xi64> {
  %r = cuvil.if %c : (tensor<i1>) -> tensor<?xi64, #cuvil.dims<[@r]>> {
    %y = cuvil.concat %x, %x {axis = 0 : i64} : (tensor<?xi64, #cuvil.dims<[@n]>>, tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[2 * @n]>>
    cuvil.yield %y : tensor<?xi64, #cuvil.dims<[2 * @n]>>
  } else {
    cuvil.yield %x : tensor<?xi64, #cuvil.dims<[@n]>>
  }
  %s = cuvil.shape_pack {dims = #cuvil.dims<[@r]>} : () -> tensor<1xi64>
  return %s : tensor<1xi64>
})");
  ASSERT_TRUE(run({boolean(true), ints({1, 2, 3}, {3})})) << error.message;
  EXPECT_EQ(result(), (std::vector<int64_t>{6}));
  ASSERT_TRUE(run({boolean(false), ints({1, 2, 3}, {3})})) << error.message;
  EXPECT_EQ(result(), (std::vector<int64_t>{3}));
}

TEST_F(InterpreterTest, InvokesAndFusions) {
  load(R"(
func.func @main(%x: tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[@n]>> {
  %y = cuvil.fusion "Neg" (%x) : (tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[@n]>> {
  ^bb0(%a: tensor<?xi64, #cuvil.dims<[@n]>>):
    %b = cuvil.unary neg %a : (tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[@n]>>
    cuvil.yield %b : tensor<?xi64, #cuvil.dims<[@n]>>
  }
  %z = cuvil.invoke @part on "ref" (%y) : (tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[@n]>>
  return %z : tensor<?xi64, #cuvil.dims<[@n]>>
}
func.func private @part(%x: tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[@n]>> {
  %y = cuvil.binary mul %x, %x : (tensor<?xi64, #cuvil.dims<[@n]>>, tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[@n]>>
  return %y : tensor<?xi64, #cuvil.dims<[@n]>>
})");
  ASSERT_TRUE(run({ints({1, -2, 3}, {3})})) << error.message;
  EXPECT_EQ(result(), (std::vector<int64_t>{1, 4, 9}));
}

TEST_F(InterpreterTest, TakesSizesFromResults) {
  // What a part of a program gets: sizes named elsewhere.
  load(R"(
func.func @main(%x: tensor<?xi64, #cuvil.dims<[floordiv(@h, 2)]>>) -> (tensor<?xi64, #cuvil.dims<[floordiv(@h, 2) + 1]>>, tensor<?xi64, #cuvil.dims<[@m]>>) {
  %one = cuvil.constant {value = dense<7> : tensor<1xi64>} : () -> tensor<1xi64>
  %s = cuvil.constant {value = dense<5> : tensor<i64>} : () -> tensor<i64>
  %y = cuvil.concat %x, %one {axis = 0 : i64} : (tensor<?xi64, #cuvil.dims<[floordiv(@h, 2)]>>, tensor<1xi64>) -> tensor<?xi64, #cuvil.dims<[floordiv(@h, 2) + 1]>>
  %z = cuvil.fill %s {shape = #cuvil.dims<[@m]>} : (tensor<i64>) -> tensor<?xi64, #cuvil.dims<[@m]>>
  return %y, %z : tensor<?xi64, #cuvil.dims<[floordiv(@h, 2) + 1]>>, tensor<?xi64, #cuvil.dims<[@m]>>
})");
  ASSERT_TRUE(run({ints({1, 2}, {2})}, {{3}, {2}})) << error.message;
  EXPECT_EQ(result(0), (std::vector<int64_t>{1, 2, 7}));
  EXPECT_EQ(result(1), (std::vector<int64_t>{5, 5}));
  EXPECT_FALSE(run({ints({1, 2}, {2})}, {{4}, {2}}));
  EXPECT_FALSE(run({ints({1, 2}, {2})}));
  EXPECT_NE(error.message.find("@m"), std::string::npos) << error.message;
}

TEST_F(InterpreterTest, ErrorsNameTheOp) {
  load(R"(
func.func @main(%x: tensor<2xi64>, %i: tensor<1xi64>) -> tensor<1xi64> {
  %y = cuvil.gather %x, %i {axis = 0 : i64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64> loc("/model/gather")
  return %y : tensor<1xi64>
})");
  EXPECT_FALSE(run({ints({1, 2}, {2}), ints({2}, {1})}));
  EXPECT_EQ(error.code, CUVIL_OUT_OF_RANGE);
  EXPECT_EQ(error.message,
            "cuvil.gather: index 2 is out of range for an axis of size 2");
  ASSERT_TRUE(error.where);
  EXPECT_FALSE(run({ints({1, 2}, {2})}));
  EXPECT_FALSE(run({ints({1, 2}, {2}), ints({0, 0}, {2})}));
  EXPECT_EQ(error.code, CUVIL_INVALID_ARGUMENT);
}

TEST_F(InterpreterTest, RefusesHugeAndNegativeResults) {
  load(R"(
func.func @main(%n: tensor<1xi64>, %x: tensor<i64>) -> tensor<?x4096xi64, #cuvil.dims<[@n, 4096]>> {
  cuvil.sym_bind %n {symbols = ["n"]} : (tensor<1xi64>) -> ()
  %y = cuvil.fill %x {shape = #cuvil.dims<[@n, 4096]>} : (tensor<i64>) -> tensor<?x4096xi64, #cuvil.dims<[@n, 4096]>>
  return %y : tensor<?x4096xi64, #cuvil.dims<[@n, 4096]>>
})");
  EXPECT_FALSE(run({ints({-1}, {1}), ints({0}, {})}));
  EXPECT_EQ(error.code, CUVIL_INVALID_ARGUMENT);
  EXPECT_FALSE(run({ints({int64_t(1) << 60}, {1}), ints({0}, {})}));
  EXPECT_EQ(error.code, CUVIL_RESOURCE_EXHAUSTED);
}
