// SPDX-License-Identifier: Apache-2.0
// The borders of a call: refused inputs, layouts, outputs of the caller.
#include "TestProgram.h"
#include <cstring>

using namespace cuvil;
using namespace cuvil::test;

namespace {

constexpr uint32_t kMain = Program::kMain;

/// z[n, 2] = x[n, 2] + y[n, 2], with y also bound by n.
std::shared_ptr<LoadedProgram> makeSum() {
  TestProgram p;
  uint32_t n = p.symbol("n", 1, 0);
  uint32_t x = p.input(0, {sym(n), num(2)}, "x");
  uint32_t y = p.input(1, {sym(n), num(2)}, "y");
  uint32_t z = p.output(0, {sym(n), num(2)}, "z");
  p.call(kMain, addTwo, {x, y, z}, {.sizes = {mul(sym(n), num(2))}});
  auto program = p.load();
  EXPECT_TRUE(program.ok());
  return *program;
}

struct Sum : testing::Test {
  std::shared_ptr<LoadedProgram> program = makeSum();
  Tensor<float> x{{2, 2}, {1, 2, 3, 4}}, y{{2, 2}, {10, 20, 30, 40}};

  std::string errorOf(const cuvil_dl_tensor *a, const cuvil_dl_tensor *b) {
    Status status;
    runOne(*program, {a, b}, &status);
    EXPECT_EQ(status.code(), CUVIL_INVALID_ARGUMENT);
    return status.message();
  }
};

TEST_F(Sum, EveryWrongInputIsNamed) {
  Tensor<float> rank({2}, {1, 2}), rows({3, 2}, std::vector<float>(6));
  Tensor<float> columns({2, 3}, std::vector<float>(6));
  Tensor<double> type({2, 2}, {1, 2, 3, 4}, CUVIL_F64);
  EXPECT_EQ(errorOf(&rank.view, &y.view),
            "input 'x': expected rank 2, got 1 with sizes [2]");
  EXPECT_EQ(errorOf(&rows.view, &y.view),
            "input 'x' dim 0 is 3 but symbol 'n' was bound to 2 by input 'y' "
            "dim 0");
  EXPECT_EQ(errorOf(&x.view, &columns.view),
            "input 'y' dim 1: expected 2, got 3");
  EXPECT_EQ(errorOf(&type.view, &y.view),
            "input 'x': expected element type f32, got f64");
  EXPECT_EQ(errorOf(nullptr, &y.view), "input 'x' is missing");
  cuvil_dl_tensor gpu = x.view;
  gpu.device = {2, 0};
  EXPECT_NE(errorOf(&gpu, &y.view).find("memory of the CPU"),
            std::string::npos);
  cuvil_dl_tensor empty = x.view;
  empty.data = nullptr;
  EXPECT_EQ(errorOf(&empty, &y.view), "input 'x' has no data");
  const cuvil_dl_tensor *one[] = {&x.view};
  cuvil_output out = {sizeof(out), {}, nullptr, nullptr};
  EXPECT_STREQ(program->run(one, 1, &out, 1).message(),
               "expected 2 inputs, got 1");
  // And after all these errors it still runs.
  EXPECT_EQ(runOne(*program, {&x.view, &y.view}),
            (std::vector<float>{11, 22, 33, 44}));
}

TEST_F(Sum, StridedReversedAndMisalignedInputs) {
  int64_t transposed[] = {1, 2};
  cuvil_dl_tensor t = x.view;
  t.strides = transposed;
  EXPECT_EQ(runOne(*program, {&t, &y.view}),
            (std::vector<float>{11, 23, 32, 44}));
  int64_t reversed[] = {-2, -1};
  cuvil_dl_tensor r = x.view;
  r.strides = reversed;
  r.byte_offset = 12;
  EXPECT_EQ(runOne(*program, {&r, &y.view}),
            (std::vector<float>{14, 23, 32, 41}));
  int64_t broadcast[] = {0, 1};
  cuvil_dl_tensor b = x.view;
  b.strides = broadcast;
  EXPECT_EQ(runOne(*program, {&b, &y.view}),
            (std::vector<float>{11, 22, 31, 42}));
  std::vector<char> bytes(17);
  std::memcpy(bytes.data() + 1, x.data.data(), 16);
  cuvil_dl_tensor m = x.view;
  m.data = bytes.data() + 1;
  EXPECT_EQ(runOne(*program, {&m, &y.view}),
            (std::vector<float>{11, 22, 33, 44}));
}

TEST_F(Sum, WritesIntoTheCallersMemory) {
  Tensor<float> z({2, 2}, std::vector<float>(4));
  const cuvil_dl_tensor *inputs[] = {&x.view, &y.view};
  auto run = [&](const cuvil_dl_tensor &target) {
    cuvil_output out = {sizeof(out), target, nullptr, nullptr};
    Status status = program->run(inputs, 2, &out, 1);
    EXPECT_EQ(out.release, nullptr);
    return status;
  };
  EXPECT_TRUE(run(z.view).ok());
  EXPECT_EQ(z.data, (std::vector<float>{11, 22, 33, 44}));
  // Strided.
  int64_t strides[] = {1, 2};
  cuvil_dl_tensor t = z.view;
  t.strides = strides;
  EXPECT_TRUE(run(t).ok());
  EXPECT_EQ(z.data, (std::vector<float>{11, 33, 22, 44}));
  // An input's own memory, shifted: the input must be read first.
  std::vector<float> shared = {1, 2, 3, 4, 0};
  cuvil_dl_tensor in = x.view, out = x.view;
  in.data = shared.data();
  out.data = shared.data() + 1;
  inputs[0] = &in;
  EXPECT_TRUE(run(out).ok());
  EXPECT_EQ(shared, (std::vector<float>{1, 11, 22, 33, 44}));
  // Wrong shape or type.
  Tensor<float> wrong({4}, std::vector<float>(4));
  EXPECT_STREQ(run(wrong.view).message(),
               "output 'z': expected f32[2, 2] on the CPU, got f32[4]");
}

TEST(Binding, ExpressionsAreShownInErrors) {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  uint32_t x = p.input(0, {sym(n), add(mul(num(2), sym(n)), num(1))}, "x");
  uint32_t y = p.output(0, {sym(n), add(mul(num(2), sym(n)), num(1))}, "y");
  p.step(kMain, CUVIL_STEP_COPY, {x, y});
  auto program = p.load();
  ASSERT_TRUE(program.ok());
  Tensor<float> bad({2, 4}, std::vector<float>(8));
  Status status;
  runOne(**program, {&bad.view}, &status);
  EXPECT_STREQ(status.message(),
               "input 'x' dim 1: expected 2 * n + 1 = 5, got 4");
}

TEST(Verifier, RefusesMalformedPrograms) {
  auto messageOf = [](const std::function<void(TestProgram &)> &build) {
    TestProgram p;
    build(p);
    auto loaded = p.load();
    EXPECT_TRUE(loaded.failed());
    return loaded.ok() ? std::string() : loaded.takeError().message();
  };
  auto has = [](const std::string &text, const char *part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  has(messageOf([](TestProgram &p) { p.output(0, {num(1)}); }),
      "result 'y' is not written");
  has(messageOf([](TestProgram &p) {
        uint32_t t = p.temp({num(1)}), y = p.output(0, {num(1)});
        p.step(kMain, CUVIL_STEP_COPY, {t, y});
      }),
      "before it is written");
  has(messageOf([](TestProgram &p) {
        uint32_t x = p.input(0, {num(1)}), y = p.output(0, {num(1)});
        p.step(kMain, CUVIL_STEP_COPY, {x, y});
        p.step(kMain, CUVIL_STEP_COPY, {y, x});
      }),
      "read-only");
  has(messageOf([](TestProgram &p) {
        uint32_t x = p.input(0, {num(1)}), y = p.output(0, {num(1)});
        p.step(kMain, CUVIL_STEP_COPY, {x, y + 7});
      }),
      "does not exist");
  has(messageOf([](TestProgram &p) {
        uint32_t c = p.input(0, {}, "c", CUVIL_BOOL);
        uint32_t y = p.output(0, {}, "y", CUVIL_BOOL);
        uint32_t yes = p.block(), no = p.block();
        p.step(yes, CUVIL_STEP_COPY, {c, y});
        p.step(kMain, CUVIL_STEP_IF, {c}, {.block0 = yes, .block1 = no});
      }),
      "not written on every path");
  has(messageOf([](TestProgram &p) {
        uint32_t c = p.input(0, {}, "c", CUVIL_BOOL);
        uint32_t b = p.block();
        p.step(b, CUVIL_STEP_IF, {c}, {.block0 = b, .block1 = b});
        p.step(kMain, CUVIL_STEP_IF, {c}, {.block0 = b, .block1 = b});
      }),
      "used twice");
  has(messageOf([](TestProgram &p) {
        uint32_t s = p.symbol("s");
        uint32_t x = p.input(0, {num(1)}), y = p.output(0, {sym(s)});
        p.step(kMain, CUVIL_STEP_COPY, {x, y});
      }),
      "not bound yet");
  has(messageOf([](TestProgram &p) {
        p.output(0, {{CUVIL_DIM_ADD}});
      }),
      "malformed size expression");
  has(messageOf([](TestProgram &p) { p.input(3, {num(1)}); }),
      "numbered 0, 1, ...");
  has(messageOf([](TestProgram &p) {
        float bytes[2] = {};
        p.buffer(CUVIL_BUFFER_CONSTANT, -1, {num(3)}, CUVIL_F32, "c",
                 Constant::copy(CUVIL_F32, {2}, bytes, 8));
      }),
      "needs 12 bytes");
  has(messageOf([](TestProgram &p) {
        uint32_t y = p.output(0, {num(1)});
        uint32_t k = p.kernel(nullptr, "absent");
        p.step(kMain, CUVIL_STEP_CALL, {y}, {.kernel = k});
      }),
      "kernel 'absent'");
}

TEST(SizeExpr, EvaluatesWithChecks) {
  auto value = [](Code code, std::vector<int64_t> symbols = {}) {
    SizeExpr e(std::move(code));
    EXPECT_TRUE(e.isValid(symbols.size()));
    int64_t out = -999;
    return e.evaluate(symbols.data(), out) == SizeExpr::Error::None ? out
                                                                    : INT64_MIN;
  };
  EXPECT_EQ(value(op(CUVIL_DIM_FLOORDIV, num(-7), num(2))), -4);
  EXPECT_EQ(value(op(CUVIL_DIM_CEILDIV, num(-7), num(2))), -3);
  EXPECT_EQ(value(op(CUVIL_DIM_CEILDIV, num(7), num(2))), 4);
  EXPECT_EQ(value(op(CUVIL_DIM_MOD, num(-7), num(3))), 2);
  EXPECT_EQ(value(op(CUVIL_DIM_MOD, num(7), num(-3))), -2);
  EXPECT_EQ(value(op(CUVIL_DIM_BCAST, num(1), num(5))), 5);
  EXPECT_EQ(value(op(CUVIL_DIM_BCAST, num(3), num(5))), 3);
  Code select = num(0);
  for (int64_t v : {4, 5})
    select.insert(select.end(), {CUVIL_DIM_CONST, v});
  select.push_back(CUVIL_DIM_SELECT);
  EXPECT_EQ(value(select), 5);
  EXPECT_EQ(value(mul(sym(0), num(2)), {int64_t(1) << 62}), INT64_MIN);
  EXPECT_EQ(value(op(CUVIL_DIM_MOD, num(1), sym(0)), {0}), INT64_MIN);
  EXPECT_EQ(value(op(CUVIL_DIM_FLOORDIV, num(INT64_MIN), num(-1))), INT64_MIN);
  EXPECT_FALSE(SizeExpr({CUVIL_DIM_SYM, 3}).isValid(3));
  EXPECT_FALSE(SizeExpr({CUVIL_DIM_CONST}).isValid(0));
  EXPECT_FALSE(SizeExpr({CUVIL_DIM_CONST, 1, CUVIL_DIM_ADD}).isValid(0));
  EXPECT_FALSE(SizeExpr({CUVIL_DIM_CONST, 1, 99}).isValid(0));
  EXPECT_FALSE(SizeExpr(Code(200, CUVIL_DIM_CONST)).isValid(0));
}

} // namespace
