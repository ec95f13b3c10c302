// SPDX-License-Identifier: Apache-2.0
// Compares convolution kernels with plain loops.
#include "Kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace cuvil::x86;
using namespace cuvil::x86::test;

namespace {
std::vector<float> randoms(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> result(count);
  for (float &value : result)
    value = values(generator);
  return result;
}

double expected(const ConvCase &c, const std::vector<float> &x,
                const std::vector<float> &w, int64_t n, int64_t oc, int64_t oy,
                int64_t ox) {
  const ConvWindow &window = c.window;
  int64_t icg = c.ic / c.groups, group = oc / (c.oc / c.groups);
  double sum = 0;
  for (int64_t ic = 0; ic < icg; ++ic)
    for (int64_t ky = 0; ky < window.kernelH; ++ky)
      for (int64_t kx = 0; kx < window.kernelW; ++kx) {
        int64_t y = oy * window.strideH - window.padTop + ky * window.dilationH;
        int64_t xx =
            ox * window.strideW - window.padLeft + kx * window.dilationW;
        if (y < 0 || y >= c.ih || xx < 0 || xx >= c.iw)
          continue;
        double value =
            x[((n * c.ic + group * icg + ic) * c.ih + y) * c.iw + xx];
        sum += value *
               w[((oc * icg + ic) * window.kernelH + ky) * window.kernelW + kx];
      }
  return sum;
}

void check(const CpuTarget &target, const ConvCase &c, bool depthwise = false) {
  const ConvWindow &window = c.window;
  SCOPED_TRACE(
      isaName(target.isa).str() + " n " + std::to_string(c.batch) + " g " +
      std::to_string(c.groups) + " ic " + std::to_string(c.ic) + " oc " +
      std::to_string(c.oc) + " " + std::to_string(c.ih) + "x" +
      std::to_string(c.iw) + " k " + std::to_string(window.kernelH) + "x" +
      std::to_string(window.kernelW) + " s " + std::to_string(window.strideH) +
      "x" + std::to_string(window.strideW) +
      (c.dynamic ? " dynamic" : " static"));
  ConvKernel kernel(target, c, depthwise);
  if (!canRun(target))
    return;
  int64_t pixels = c.oh() * c.ow();
  auto x = randoms(c.batch * c.ic * c.ih * c.iw, 1);
  auto w = randoms(c.oc * c.ic / c.groups * window.taps(), 2);
  auto bias = randoms(c.oc, 3);
  auto out = randoms(c.batch * c.oc * pixels + 64, 4);
  auto before = out;
  std::vector<float> packed = w;
  if (!depthwise) {
    packed.assign(w.size(), NAN);
    kernel.pack(w.data(), packed.data());
  }
  kernel.run(x.data(), packed.data(), out.data(), bias.data());

  double tolerance =
      1e-6 * (4 + double(c.ic / c.groups) * double(window.taps()));
  int64_t bad = 0;
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t oc = 0; oc < c.oc; ++oc)
      for (int64_t p = 0; p < pixels; ++p) {
        int64_t index = (n * c.oc + oc) * pixels + p;
        double sum = expected(c, x, w, n, oc, p / c.ow(), p % c.ow());
        sum += c.residual ? before[index] : c.bias ? bias[oc] : 0;
        if (c.relu && sum < 0)
          sum = 0;
        if (!(std::abs(out[index] - sum) <= tolerance) && bad++ < 3)
          ADD_FAILURE() << "at " << n << "," << oc << "," << p << ": "
                        << out[index] << " instead of " << sum;
      }
  EXPECT_EQ(bad, 0);
  for (size_t i = c.batch * c.oc * pixels; i < out.size(); ++i)
    ASSERT_EQ(out[i], before[i]) << "written behind the end";
}

ConvCase make(int64_t ic, int64_t oc, int64_t ih, int64_t iw, int64_t kernel,
              int64_t stride, int64_t pad) {
  ConvCase c;
  c.ic = ic, c.oc = oc, c.ih = ih, c.iw = iw;
  c.window.kernelH = c.window.kernelW = kernel;
  c.window.strideH = c.window.strideW = stride;
  c.window.padTop = c.window.padLeft = c.padBottom = c.padRight = pad;
  c.bias = true, c.relu = true;
  return c;
}

class Conv : public testing::TestWithParam<int> {
protected:
  CpuTarget target = CpuTarget::generic(IsaLevel(GetParam()));
};
} // namespace

TEST_P(Conv, Windows) {
  for (bool dynamic : {false, true})
    for (ConvCase c : {make(3, 8, 13, 17, 3, 1, 1), make(5, 7, 9, 9, 3, 2, 1),
                       make(3, 17, 21, 23, 7, 2, 3),
                       make(4, 6, 14, 15, 4, 3, 0), make(65, 20, 7, 7, 3, 1, 1),
                       make(1, 1, 1, 1, 3, 1, 1), make(2, 3, 5, 40, 5, 1, 2)}) {
      c.dynamic = dynamic;
      c.batch = 2;
      check(target, c);
    }
}

TEST_P(Conv, Pointwise) {
  for (bool dynamic : {false, true})
    for (bool packs : {false, true})
      for (ConvCase c :
           {make(19, 30, 7, 7, 1, 1, 0), make(8, 96, 8, 8, 1, 1, 0),
            make(300, 5, 5, 13, 1, 1, 0), make(6, 9, 9, 9, 1, 2, 0)}) {
        c.dynamic = dynamic;
        c.tiling = ConvTiling{{4, 2}, 128, 8, packs};
        c.residual = true;
        check(target, c);
      }
}

TEST_P(Conv, GroupsAndDilation) {
  ConvCase c = make(12, 18, 11, 12, 3, 1, 2);
  c.groups = 3;
  c.window.dilationH = c.window.dilationW = 2;
  c.loopEpilogue = true;
  check(target, c);
  c = make(6, 12, 10, 10, 3, 1, 1);
  c.groups = 6;
  check(target, c);
}

TEST_P(Conv, OneDimensionalAndUneven) {
  ConvCase c = make(7, 10, 1, 101, 5, 1, 2);
  c.window.kernelH = 1;
  c.window.padTop = c.padBottom = 0;
  check(target, c);
  c = make(7, 10, 20, 31, 3, 2, 0);
  c.padBottom = c.padRight = 1;
  c.window.strideW = 1;
  check(target, c);
}

TEST_P(Conv, Depthwise) {
  for (bool dynamic : {false, true})
    for (ConvCase c :
         {make(5, 5, 14, 14, 3, 1, 1), make(3, 3, 15, 33, 3, 2, 1),
          make(2, 2, 40, 150, 5, 1, 2), make(2, 2, 19, 20, 7, 1, 3),
          make(2, 2, 23, 21, 5, 3, 1), make(4, 4, 1, 1, 3, 1, 1),
          make(2, 2, 9, 9, 1, 1, 0), make(2, 2, 12, 12, 2, 4, 0)}) {
      c.groups = c.ic;
      c.batch = 2;
      c.dynamic = dynamic;
      check(target, c, /*depthwise=*/true);
      c.bias = c.relu = false, c.residual = true;
      check(target, c, /*depthwise=*/true);
    }
}

TEST_P(Conv, InnerLoopHoldsNoSpill) {
  for (ConvCase c :
       {make(64, 64, 56, 56, 3, 1, 1), make(256, 256, 14, 14, 3, 1, 1),
        make(512, 512, 7, 7, 3, 1, 1), make(64, 256, 56, 56, 1, 1, 0),
        make(3, 64, 224, 224, 7, 2, 3)}) {
    ConvKernel kernel(target, c);
    EXPECT_EQ(countSpillsInInnerLoops(kernel.code().assembly()), 0)
        << isaName(target.isa).str() << " " << kernel.tiling().tile.mr << "x"
        << kernel.tiling().tile.nv;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, Conv, testing::Values(0, 1, 2),
                         [](const testing::TestParamInfo<int> &info) {
                           return isaName(IsaLevel(info.param)).str();
                         });
