// SPDX-License-Identifier: Apache-2.0
// Steps: calls, copies, views, branches, loops, sizes known late.
#include "TestProgram.h"
#include <cstring>
#include <thread>

using namespace cuvil;
using namespace cuvil::test;

namespace {

constexpr uint32_t kInit = Program::kInit, kMain = Program::kMain;

TEST(Executor, ChainOfKernelsWithSymbolicSize) {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  uint32_t x = p.input(0, {sym(n)}), y = p.output(0, {sym(n)});
  uint32_t a = p.temp({sym(n)}), b = p.temp({sym(n)});
  p.call(kMain, addOne, {x, a}, {.sizes = {sym(n)}});
  p.call(kMain, addOne, {a, b}, {.sizes = {sym(n)}});
  p.call(kMain, addTwo, {x, b, y}, {.sizes = {sym(n)}});
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  for (int64_t size : {0, 1, 7, 1000, 7}) {
    std::vector<float> values(size);
    for (int64_t i = 0; i < size; ++i)
      values[i] = i;
    Tensor<float> input({size}, values);
    std::vector<float> got = runOne(**program, {&input.view});
    ASSERT_EQ(got.size(), size_t(size));
    for (int64_t i = 0; i < size; ++i)
      EXPECT_EQ(got[i], 2 * i + 2);
  }
}

TEST(Executor, InitRunsOnceAndItsConstantsAreDropped) {
  static int calls;
  calls = 0;
  TestProgram p;
  uint32_t c = p.constant<float>({1, 2, 3}, CUVIL_F32);
  uint32_t packed = p.persistent({num(3)});
  uint32_t x = p.input(0, {num(3)}), y = p.output(0, {num(3)});
  p.call(kInit,
         [](const cuvil_kernel_args *a, int64_t b, int64_t e) {
           ++calls;
           return addOne(a, b, e);
         },
         {c, packed}, {.sizes = {num(3)}});
  p.call(kMain, addTwo, {x, packed, y}, {.sizes = {num(3)}});
  auto program = p.load();
  ASSERT_TRUE(program.ok());
  Tensor<float> input({3}, {10, 20, 30});
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(runOne(**program, {&input.view}),
              (std::vector<float>{12, 23, 34}));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ((*program)->getProgram().buffers[c].constant, nullptr);
  EXPECT_EQ((*program)->getPersistentBytes(), 12);
}

TEST(Executor, InitBindsSymbolsThatMainUses) {
  TestProgram p;
  uint32_t k = p.symbol("k");
  uint32_t c = p.constant<int64_t>({4}, CUVIL_I64);
  uint32_t x = p.input(0, {num(4)}), y = p.output(0, {sym(k)});
  p.step(kInit, CUVIL_STEP_BIND, {c}, {.symbols = {k}});
  p.call(kMain, addOne, {x, y}, {.sizes = {sym(k)}});
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  Tensor<float> input({4}, {1, 2, 3, 4});
  EXPECT_EQ(runOne(**program, {&input.view}),
            (std::vector<float>{2, 3, 4, 5}));
}

TEST(Executor, ViewsOfArgumentsTemporariesAndResults) {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  Code twice = mul(sym(n), num(2));
  uint32_t x = p.input(0, {sym(n), num(2)});
  uint32_t flat = p.temp({twice}), sum = p.temp({twice});
  uint32_t view = p.temp({sym(n), num(2)});
  uint32_t y = p.output(0, {num(2), sym(n)});
  p.step(kMain, CUVIL_STEP_ALIAS, {x, flat});
  p.call(kMain, addOne, {flat, sum}, {.sizes = {twice}});
  p.step(kMain, CUVIL_STEP_ALIAS, {sum, view});
  p.step(kMain, CUVIL_STEP_ALIAS, {view, y});
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  Tensor<float> input({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(runOne(**program, {&input.view}),
            (std::vector<float>{2, 3, 4, 5}));
  // The kernel wrote the result in place.
  EXPECT_EQ((*program)->getArenaBytes(), 0);
}

TEST(Executor, ArgumentAndConstantAsResultAreCopied) {
  TestProgram p;
  uint32_t x = p.input(0, {num(2)}), y = p.output(0, {num(2)});
  p.step(kMain, CUVIL_STEP_ALIAS, {x, y});
  auto program = p.load();
  ASSERT_TRUE(program.ok());
  Tensor<float> input({2}, {5, 6});
  EXPECT_EQ(runOne(**program, {&input.view}), (std::vector<float>{5, 6}));
}

TEST(Executor, IfTakesOneBranch) {
  TestProgram p;
  uint32_t c = p.input(0, {}, "c", CUVIL_BOOL), x = p.input(1, {num(2)});
  uint32_t y = p.output(0, {num(2)}), t = p.temp({num(2)});
  uint32_t yes = p.block(), no = p.block();
  p.call(yes, addOne, {x, t}, {.sizes = {num(2)}});
  p.step(yes, CUVIL_STEP_COPY, {t, y});
  p.step(no, CUVIL_STEP_COPY, {x, y});
  p.step(kMain, CUVIL_STEP_IF, {c}, {.block0 = yes, .block1 = no});
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  Tensor<float> input({2}, {5, 6});
  for (uint8_t flag : {1, 0, 1}) {
    Tensor<uint8_t> condition({}, {flag}, CUVIL_BOOL);
    EXPECT_EQ(runOne(**program, {&condition.view, &input.view})[0], 5 + flag);
  }
}

/// flag = counter < limit; sizes[0] = limit.
int32_t lessThan(const cuvil_kernel_args *a, int64_t, int64_t) {
  *static_cast<uint8_t *>(a->buffers[1]) =
      *static_cast<const int64_t *>(a->buffers[0]) < a->sizes[0];
  return 0;
}
int32_t increment(const cuvil_kernel_args *a, int64_t, int64_t) {
  *static_cast<int64_t *>(a->buffers[1]) =
      *static_cast<const int64_t *>(a->buffers[0]) + 1;
  return 0;
}
int32_t appendValue(const cuvil_kernel_args *a, int64_t, int64_t) {
  int64_t n = a->sizes[0];
  auto *from = static_cast<const float *>(a->buffers[0]);
  auto *to = static_cast<float *>(a->buffers[1]);
  std::memcpy(to, from, n * sizeof(float));
  to[n] = float(n);
  return 0;
}

/// Grows a tensor by one element per iteration, x[1] times.
void buildGrowingLoop(TestProgram &p) {
  uint32_t limit = p.symbol("limit"), m = p.symbol("m");
  uint32_t x = p.input(0, {num(1)}, "x", CUVIL_I64);
  uint32_t y = p.output(0, {sym(m)});
  uint32_t counter = p.temp({}, CUVIL_I64), next = p.temp({}, CUVIL_I64);
  uint32_t flag = p.temp({}, CUVIL_BOOL);
  uint32_t grown = p.temp({add(sym(m), num(1))});
  uint32_t carried = p.temp({sym(m)});
  uint32_t zero = p.constant<int64_t>({0}, CUVIL_I64);
  uint32_t none = p.constant<float>({}, CUVIL_F32);
  uint32_t condition = p.block(), body = p.block();
  p.step(kMain, CUVIL_STEP_BIND, {x}, {.symbols = {limit}});
  p.step(kMain, CUVIL_STEP_ASSIGN, {}, {.sizes = {num(0)}, .symbols = {m}});
  p.step(kMain, CUVIL_STEP_COPY, {zero, counter});
  p.step(kMain, CUVIL_STEP_COPY, {none, carried});
  p.call(condition, lessThan, {counter, flag}, {.sizes = {sym(limit)}});
  p.call(body, appendValue, {carried, grown}, {.sizes = {sym(m)}});
  p.call(body, increment, {counter, next});
  p.step(body, CUVIL_STEP_COPY, {next, counter});
  p.step(body, CUVIL_STEP_ASSIGN, {},
         {.sizes = {add(sym(m), num(1))}, .symbols = {m}});
  p.step(body, CUVIL_STEP_COPY, {grown, carried});
  p.step(kMain, CUVIL_STEP_WHILE, {flag},
         {.block0 = condition, .block1 = body});
  p.step(kMain, CUVIL_STEP_ALIAS, {carried, y});
}

TEST(Executor, LoopGrowsACarriedTensor) {
  TestProgram p;
  buildGrowingLoop(p);
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  for (int64_t n : {0, 1, 5, 100, 3}) {
    Tensor<int64_t> input({1}, {n}, CUVIL_I64);
    std::vector<float> got = runOne(**program, {&input.view});
    ASSERT_EQ(got.size(), size_t(n));
    for (int64_t i = 0; i < n; ++i)
      EXPECT_EQ(got[i], float(i));
  }
}

TEST(Executor, LoopStopsWhenCancelled) {
  TestProgram p;
  buildGrowingLoop(p);
  auto program = p.load();
  ASSERT_TRUE(program.ok());
  Tensor<int64_t> input({1}, {INT64_MAX}, CUVIL_I64);
  const cuvil_dl_tensor *inputs[] = {&input.view};
  cuvil_output output = {sizeof(cuvil_output), {}, nullptr, nullptr};
  std::atomic<int32_t> cancel{0};
  RunOptions options;
  options.cancel = &cancel;
  std::thread watcher([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    cancel = 1;
  });
  Status status = (*program)->run(inputs, 1, &output, 1, options);
  watcher.join();
  EXPECT_EQ(status.code(), CUVIL_CANCELLED);
}

TEST(Executor, ViewOfACarriedValueSeesItsOwnIteration) {
  // while (i < x[0]) { v = view(a); i = i + 1; a = i; b = v; }
  TestProgram p;
  uint32_t limit = p.symbol("limit");
  uint32_t x = p.input(0, {num(1)}, "x", CUVIL_I64);
  uint32_t y = p.output(0, {num(1)}, "y", CUVIL_I64);
  uint32_t zero = p.constant<int64_t>({0}, CUVIL_I64);
  uint32_t a = p.temp({num(1)}, CUVIL_I64), b = p.temp({num(1)}, CUVIL_I64);
  uint32_t i = p.temp({num(1)}, CUVIL_I64), next = p.temp({num(1)}, CUVIL_I64);
  uint32_t v = p.temp({num(1), num(1)}, CUVIL_I64);
  uint32_t flag = p.temp({}, CUVIL_BOOL);
  uint32_t condition = p.block(), body = p.block();
  p.step(kMain, CUVIL_STEP_BIND, {x}, {.symbols = {limit}});
  for (uint32_t carried : {a, b, i})
    p.step(kMain, CUVIL_STEP_COPY, {zero, carried});
  p.call(condition, lessThan, {i, flag}, {.sizes = {sym(limit)}});
  p.step(body, CUVIL_STEP_ALIAS, {a, v});
  p.call(body, increment, {i, next});
  p.step(body, CUVIL_STEP_COPY, {next, i});
  p.step(body, CUVIL_STEP_COPY, {next, a});
  p.step(body, CUVIL_STEP_COPY, {v, b});
  p.step(kMain, CUVIL_STEP_WHILE, {flag},
         {.block0 = condition, .block1 = body});
  p.step(kMain, CUVIL_STEP_ALIAS, {b, y});
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  Tensor<int64_t> input({1}, {5}, CUVIL_I64);
  EXPECT_EQ(runOne<int64_t>(**program, {&input.view})[0], 4);
}

TEST(Executor, ResultOfASizeThatAStepFinds) {
  TestProgram p;
  uint32_t k = p.symbol("k");
  uint32_t x = p.input(0, {num(4)}, "x", CUVIL_I64);
  uint32_t y = p.output(0, {sym(k)}), view = p.temp({num(1), sym(k)});
  uint32_t t = p.temp({sym(k)});
  p.step(kMain, CUVIL_STEP_BIND, {x}, {.symbols = {k}});
  p.call(kMain,
         [](const cuvil_kernel_args *a, int64_t, int64_t) -> int32_t {
           for (int64_t i = 0; i < a->sizes[0]; ++i)
             static_cast<float *>(a->buffers[0])[i] = 7;
           return 0;
         },
         {t}, {.sizes = {sym(k)}});
  p.step(kMain, CUVIL_STEP_ALIAS, {t, view});
  p.step(kMain, CUVIL_STEP_ALIAS, {view, y});
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  Tensor<int64_t> input({4}, {3, 0, 0, 0}, CUVIL_I64);
  EXPECT_EQ(runOne(**program, {&input.view}), (std::vector<float>{7, 7, 7}));
  Tensor<int64_t> negative({4}, {-3, 0, 0, 0}, CUVIL_I64);
  Status status;
  runOne(**program, {&negative.view}, &status);
  EXPECT_EQ(status.code(), CUVIL_INVALID_ARGUMENT);
  Tensor<int64_t> huge({4}, {int64_t(1) << 60, 0, 0, 0}, CUVIL_I64);
  runOne(**program, {&huge.view}, &status);
  EXPECT_EQ(status.code(), CUVIL_RESOURCE_EXHAUSTED);
}

TEST(Executor, FailingStepsNameTheirPlace) {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  uint32_t x = p.input(0, {sym(n)}), y = p.output(0, {sym(n)});
  p.step(kMain, CUVIL_STEP_CHECK, {},
         {.sizes = {sym(n), num(3)},
          .relation = CUVIL_CHECK_LE,
          .message = "too long",
          .location = "/layer/check"});
  p.call(kMain,
         [](const cuvil_kernel_args *, int64_t, int64_t) -> int32_t {
           return CUVIL_OUT_OF_RANGE;
         },
         {x, y}, {.location = "/layer/gather", .label = "Gather"});
  auto program = p.load();
  ASSERT_TRUE(program.ok());
  Status status;
  Tensor<float> large({4}, {1, 2, 3, 4}), small({1}, {1});
  runOne(**program, {&large.view}, &status);
  EXPECT_EQ(status.code(), CUVIL_INVALID_ARGUMENT);
  EXPECT_STREQ(status.message(), "too long: needs n (= 4) <= 3");
  EXPECT_STREQ(status.where(), "/layer/check");
  runOne(**program, {&small.view}, &status);
  EXPECT_EQ(status.code(), CUVIL_OUT_OF_RANGE);
  EXPECT_STREQ(status.message(),
               "'Gather': an index computed at run time is out of range");
  EXPECT_STREQ(status.where(), "/layer/gather");
}

TEST(Executor, HostCallbackAndProgramInsideProgram) {
  TestProgram inner;
  uint32_t n = inner.symbol("n", 0, 0);
  uint32_t ix = inner.input(0, {sym(n)}), iy = inner.output(0, {sym(n)});
  inner.call(kMain, addOne, {ix, iy}, {.sizes = {sym(n)}});
  cuvil_executable *executable = nullptr;
  ASSERT_EQ(inner.api->to_executable(
                static_cast<cuvil_program *>(inner.take().release()),
                &executable),
            nullptr);
  TestProgram p;
  uint32_t m = p.symbol("m", 0, 0);
  uint32_t x = p.input(0, {sym(m)}), y = p.output(0, {sym(m)});
  uint32_t t = p.temp({sym(m)});
  p.step(kMain, CUVIL_STEP_INVOKE, {x, t}, {.executable = executable});
  int calls = 0;
  p.step(kMain, CUVIL_STEP_HOST, {t, y},
         {.host = [](void *state, cuvil_dl_tensor *const *t,
                     size_t) -> cuvil_status * {
            ++*static_cast<int *>(state);
            for (int64_t i = 0; i < t[0]->shape[0]; ++i)
              static_cast<float *>(t[1]->data)[i] =
                  10 * static_cast<float *>(t[0]->data)[i];
            return nullptr;
          },
          .hostState = &calls});
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  Tensor<float> input({2}, {1, 2});
  EXPECT_EQ(runOne(**program, {&input.view}), (std::vector<float>{20, 30}));
  EXPECT_EQ(calls, 1);
}

TEST(Executor, BranchNotTakenMayHaveImpossibleSizes) {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  Code less = add(sym(n), num(-5));
  uint32_t x = p.input(0, {sym(n)}), c = p.input(1, {}, "c", CUVIL_BOOL);
  uint32_t y = p.output(0, {sym(n)}), t = p.temp({less});
  uint32_t yes = p.block(), no = p.block();
  p.call(yes, addOne, {x, t}, {.sizes = {less}});
  p.step(yes, CUVIL_STEP_COPY, {x, y});
  p.step(no, CUVIL_STEP_COPY, {x, y});
  p.step(kMain, CUVIL_STEP_IF, {c}, {.block0 = yes, .block1 = no});
  auto program = p.load();
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  Tensor<float> input({2}, {1, 2});
  Tensor<uint8_t> off({}, {0}, CUVIL_BOOL), on({}, {1}, CUVIL_BOOL);
  EXPECT_EQ(runOne(**program, {&input.view, &off.view}),
            (std::vector<float>{1, 2}));
  Status status;
  runOne(**program, {&input.view, &on.view}, &status);
  EXPECT_EQ(status.code(), CUVIL_INVALID_ARGUMENT);
  EXPECT_NE(std::string(status.message()).find("negative"), std::string::npos);
}

} // namespace
