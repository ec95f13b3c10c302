// SPDX-License-Identifier: Apache-2.0
// Kernels of small regions against values computed here.
#include "RegionRunner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

using namespace cuvil::x86;
using namespace cuvil::x86::test;

namespace {

using Floats = std::vector<float>;

Floats pattern(int64_t count, float scale = 1.0f) {
  Floats values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = scale * (static_cast<float>((i * 37 + 11) % 101) / 50.0f - 1.0f);
  return values;
}

void expectNear(const Floats &got, const Floats &want, float tolerance = 1e-5f) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isnan(want[i])) {
      EXPECT_TRUE(std::isnan(got[i])) << "at " << i;
      continue;
    }
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::fabs(want[i])))
        << "at " << i;
  }
}

class RegionTest : public testing::TestWithParam<CpuTarget> {};

TEST_P(RegionTest, ElementwiseChain) {
  RegionRunner runner("%a: tensor<3x37xf32>, %b: tensor<3x37xf32>",
                      "tensor<3x37xf32>", R"(
    %s = cuvil.binary add %a, %b : (tensor<3x37xf32>, tensor<3x37xf32>) -> tensor<3x37xf32>
    %r = cuvil.unary relu %s : (tensor<3x37xf32>) -> tensor<3x37xf32>
    %e = cuvil.unary exp %r : (tensor<3x37xf32>) -> tensor<3x37xf32>
    cuvil.yield %e : tensor<3x37xf32>)", GetParam());
  Floats a = pattern(111), b = pattern(111, 0.5f), want(111);
  for (int i = 0; i < 111; ++i)
    want[i] = std::exp(std::max(0.0f, a[i] + b[i]));
  expectNear(valuesOf<float>(runner.run({bytesOf(a), bytesOf(b)})[0]), want);
}

TEST_P(RegionTest, DynamicElementwise) {
  std::string t = "tensor<?x?xf32, #cuvil.dims<[@n, @m]>>";
  RegionRunner runner("%a: " + t, t,
                      "%s = cuvil.unary tanh %a : (" + t + ") -> " + t +
                          "\n cuvil.yield %s : " + t, GetParam());
  for (auto [n, m] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 4}, {4, 0}, {1, 1}, {17, 17}, {300, 129}, {3, 5000}}) {
    Floats a = pattern(n * m, 2.0f), want(n * m);
    for (int64_t i = 0; i < n * m; ++i)
      want[i] = std::tanh(a[i]);
    expectNear(valuesOf<float>(
                   runner.run({bytesOf(a)}, {{"n", n}, {"m", m}})[0]),
               want);
  }
}

std::string softmax(const std::string &t, const std::string &r,
                    const std::string &shape) {
  return "%m = cuvil.reduce max %x {axes = array<i64: 1>, keepdims = true} : (" +
         t + ") -> " + r +
         "\n%mb = cuvil.broadcast %m {shape = " + shape +
         ", mapping = array<i64: 0, 1>} : (" + r + ") -> " + t +
         "\n%d = cuvil.binary sub %x, %mb : (" + t + ", " + t + ") -> " + t +
         "\n%e = cuvil.unary exp %d : (" + t + ") -> " + t +
         "\n%s = cuvil.reduce sum %e {axes = array<i64: 1>, keepdims = true} : (" +
         t + ") -> " + r + "\n%sb = cuvil.broadcast %s {shape = " + shape +
         ", mapping = array<i64: 0, 1>} : (" + r + ") -> " + t +
         "\n%y = cuvil.binary div %e, %sb : (" + t + ", " + t + ") -> " + t +
         "\ncuvil.yield %y : " + t;
}

Floats softmaxOf(const Floats &x, int64_t rows, int64_t cols) {
  Floats want(x.size());
  for (int64_t r = 0; r < rows; ++r) {
    double top = -INFINITY, sum = 0;
    for (int64_t c = 0; c < cols; ++c)
      top = std::max<double>(top, x[r * cols + c]);
    for (int64_t c = 0; c < cols; ++c)
      sum += std::exp(x[r * cols + c] - top);
    for (int64_t c = 0; c < cols; ++c)
      want[r * cols + c] = std::exp(x[r * cols + c] - top) / sum;
  }
  return want;
}

TEST_P(RegionTest, Softmax) {
  for (auto [rows, cols] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1}, {5, 10}, {64, 77}, {12, 1000}, {3, 20000}}) {
    std::string n = std::to_string(rows), m = std::to_string(cols);
    RegionRunner runner("%x: tensor<" + n + "x" + m + "xf32>",
                        "tensor<" + n + "x" + m + "xf32>",
                        softmax("tensor<" + n + "x" + m + "xf32>",
                                "tensor<" + n + "x1xf32>",
                                "#cuvil.dims<[" + n + ", " + m + "]>"),
                        GetParam());
    Floats x = pattern(rows * cols, 5.0f);
    expectNear(valuesOf<float>(runner.run({bytesOf(x)})[0]),
               softmaxOf(x, rows, cols));
    if (rows >= 12)
      EXPECT_GT(runner.tiles(), 1);
  }
}

TEST_P(RegionTest, DynamicSoftmax) {
  std::string t = "tensor<?x?xf32, #cuvil.dims<[@n, @m]>>";
  std::string r = "tensor<?x1xf32, #cuvil.dims<[@n, 1]>>";
  RegionRunner runner("%x: " + t, t, softmax(t, r, "#cuvil.dims<[@n, @m]>"),
                      GetParam());
  for (auto [rows, cols] : std::vector<std::pair<int64_t, int64_t>>{
           {0, 5}, {1, 1}, {17, 17}, {40, 129}, {2, 9000}}) {
    Floats x = pattern(rows * cols, 5.0f);
    expectNear(valuesOf<float>(
                   runner.run({bytesOf(x)}, {{"n", rows}, {"m", cols}})[0]),
               softmaxOf(x, rows, cols));
  }
}

TEST_P(RegionTest, TransposeThenBias) {
  RegionRunner runner("%x: tensor<19x33xf32>, %b: tensor<19xf32>",
                      "tensor<33x19xf32>", R"(
    %t = cuvil.transpose %x {perm = array<i64: 1, 0>} : (tensor<19x33xf32>) -> tensor<33x19xf32>
    %bb = cuvil.broadcast %b {shape = #cuvil.dims<[33, 19]>, mapping = array<i64: 1>} : (tensor<19xf32>) -> tensor<33x19xf32>
    %y = cuvil.binary add %t, %bb : (tensor<33x19xf32>, tensor<33x19xf32>) -> tensor<33x19xf32>
    cuvil.yield %y : tensor<33x19xf32>)", GetParam());
  Floats x = pattern(19 * 33), b = pattern(19, 3.0f), want(19 * 33);
  for (int i = 0; i < 33; ++i)
    for (int j = 0; j < 19; ++j)
      want[i * 19 + j] = x[j * 33 + i] + b[j];
  expectNear(valuesOf<float>(runner.run({bytesOf(x), bytesOf(b)})[0]), want);
}

TEST_P(RegionTest, ConcatSlicePad) {
  RegionRunner concat("%a: tensor<2x3xf32>, %b: tensor<2x5xf32>",
                      "tensor<2x8xf32>", R"(
    %y = cuvil.concat %a, %b {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x5xf32>) -> tensor<2x8xf32>
    cuvil.yield %y : tensor<2x8xf32>)", GetParam());
  Floats a = pattern(6), b = pattern(10, 2.0f), want;
  for (int r = 0; r < 2; ++r) {
    want.insert(want.end(), a.begin() + r * 3, a.begin() + r * 3 + 3);
    want.insert(want.end(), b.begin() + r * 5, b.begin() + r * 5 + 5);
  }
  expectNear(valuesOf<float>(concat.run({bytesOf(a), bytesOf(b)})[0]), want);

  RegionRunner slice("%a: tensor<10xf32>", "tensor<3xf32>", R"(
    %y = cuvil.slice %a {starts = #cuvil.dims<[8]>, sizes = #cuvil.dims<[3]>, steps = array<i64: -3>} : (tensor<10xf32>) -> tensor<3xf32>
    cuvil.yield %y : tensor<3xf32>)", GetParam());
  Floats c = pattern(10);
  expectNear(valuesOf<float>(slice.run({bytesOf(c)})[0]), {c[8], c[5], c[2]});

  RegionRunner pad("%a: tensor<3xf32>, %v: tensor<f32>", "tensor<6xf32>", R"(
    %y = cuvil.pad constant %a, %v {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
    cuvil.yield %y : tensor<6xf32>)", GetParam());
  expectNear(valuesOf<float>(pad.run({bytesOf(Floats{1, 2, 3}),
                                      bytesOf(Floats{9})})[0]),
             {9, 1, 2, 3, 9, 9});
}

TEST_P(RegionTest, BoolAndIntegers) {
  RegionRunner runner("%a: tensor<37xi8>, %b: tensor<37xi8>, %m: tensor<37xi1>",
                      "(tensor<37xi1>, tensor<37xi8>)", R"(
    %c = cuvil.compare lt %a, %b : (tensor<37xi8>, tensor<37xi8>) -> tensor<37xi1>
    %o = cuvil.binary and %c, %m : (tensor<37xi1>, tensor<37xi1>) -> tensor<37xi1>
    %y = cuvil.select %o, %a, %b : (tensor<37xi1>, tensor<37xi8>, tensor<37xi8>) -> tensor<37xi8>
    cuvil.yield %o, %y : tensor<37xi1>, tensor<37xi8>)", GetParam());
  std::vector<int8_t> a(37), b(37), m(37), mask(37), want(37);
  for (int i = 0; i < 37; ++i) {
    a[i] = i * 7;
    b[i] = 100 - i * 5;
    m[i] = i % 3 != 0;
    mask[i] = a[i] < b[i] && m[i];
    want[i] = mask[i] ? a[i] : b[i];
  }
  auto got = runner.run({bytesOf(a), bytesOf(b), bytesOf(m)});
  EXPECT_EQ(valuesOf<int8_t>(got[0]), mask);
  EXPECT_EQ(valuesOf<int8_t>(got[1]), want);
}

TEST_P(RegionTest, DivisionByZeroIsReported) {
  RegionRunner runner("%a: tensor<40xi32>, %b: tensor<40xi32>",
                      "tensor<40xi32>", R"(
    %y = cuvil.binary div %a, %b : (tensor<40xi32>, tensor<40xi32>) -> tensor<40xi32>
    cuvil.yield %y : tensor<40xi32>)", GetParam());
  std::vector<int32_t> a(40), b(40), want(40);
  for (int i = 0; i < 40; ++i) {
    a[i] = 1000 - i * 77;
    b[i] = i - 50;
    want[i] = a[i] / b[i];
  }
  EXPECT_EQ(valuesOf<int32_t>(runner.run({bytesOf(a), bytesOf(b)})[0]), want);
  EXPECT_EQ(runner.status(), CUVIL_OK);
  b[5] = 0;
  runner.run({bytesOf(a), bytesOf(b)});
  EXPECT_EQ(runner.status(), CUVIL_ARITHMETIC);
}

TEST_P(RegionTest, Reductions) {
  for (auto [axes, rows] : std::vector<std::pair<std::string, bool>>{
           {"1", true}, {"0", false}}) {
    RegionRunner runner("%x: tensor<19x133xf32>",
                        rows ? "tensor<19xf32>" : "tensor<133xf32>",
                        "%y = cuvil.reduce sum %x {axes = array<i64: " + axes +
                            ">} : (tensor<19x133xf32>) -> tensor<" +
                            (rows ? "19" : "133") +
                            "xf32>\ncuvil.yield %y : tensor<" +
                            (rows ? "19" : "133") + "xf32>",
                        GetParam());
    Floats x = pattern(19 * 133), want(rows ? 19 : 133);
    for (int i = 0; i < 19; ++i)
      for (int j = 0; j < 133; ++j)
        want[rows ? i : j] += x[i * 133 + j];
    expectNear(valuesOf<float>(runner.run({bytesOf(x)})[0]), want);
  }
  RegionRunner all("%x: tensor<7x11x13xf32>", "tensor<f32>",
                   R"(%y = cuvil.reduce max %x {axes = array<i64: 0, 1, 2>} : (tensor<7x11x13xf32>) -> tensor<f32>
                   cuvil.yield %y : tensor<f32>)", GetParam());
  Floats x = pattern(1001);
  expectNear(valuesOf<float>(all.run({bytesOf(x)})[0]),
             {*std::max_element(x.begin(), x.end())});
}

INSTANTIATE_TEST_SUITE_P(Isa, RegionTest, testing::ValuesIn(runnableTargets()),
                         [](const auto &info) {
                           return isaName(info.param.isa).str();
                         });

} // namespace
