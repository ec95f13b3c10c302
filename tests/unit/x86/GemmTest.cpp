// SPDX-License-Identifier: Apache-2.0
// Compares matrix multiplication kernels with plain loops.
#include "Kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace cuvil::x86;
using namespace cuvil::x86::test;

namespace {
template <typename T> std::vector<T> randoms(int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<T> values(-1, 1);
  std::vector<T> result(count);
  for (T &value : result)
    value = values(generator);
  return result;
}

template <typename T> void check(const CpuTarget &target, GemmCase c) {
  SCOPED_TRACE(isaName(target.isa).str() + " batch " + std::to_string(c.batch) +
               " m " + std::to_string(c.m) + " n " + std::to_string(c.n) +
               " k " + std::to_string(c.k) + " layout " +
               std::to_string(int(c.layout)) +
               (c.dynamic ? " dynamic" : " static"));
  c.f64 = sizeof(T) == 8;
  GemmKernel kernel(target, c);
  if (!canRun(target))
    return;
  bool shared = c.layout == BLayout::Packed;
  bool transposed = c.layout == BLayout::Transposed || c.packTransposed;
  auto a = randoms<T>(c.batch * c.m * c.k, 1);
  auto b = randoms<T>((shared ? 1 : c.batch) * c.k * c.n, 2);
  auto bias = randoms<T>(c.n, 3);
  // Values behind the result must survive.
  auto out = randoms<T>(c.batch * c.m * c.n + 64, 4);
  auto before = out;
  std::vector<T> packed;
  const T *bUsed = b.data();
  if (shared) {
    packed.assign(kernel.packedSize(), T(NAN));
    kernel.pack(b.data(), packed.data());
    bUsed = packed.data();
  }
  kernel.run(a.data(), bUsed, out.data(), bias.data());

  double tolerance = (c.f64 ? 1e-14 : 1e-6) * (4 + double(c.k));
  int64_t bad = 0;
  for (int64_t t = 0; t < c.batch; ++t)
    for (int64_t i = 0; i < c.m; ++i)
      for (int64_t j = 0; j < c.n; ++j) {
        int64_t index = (t * c.m + i) * c.n + j;
        double sum = c.residual ? before[index] : c.bias ? bias[j] : 0;
        const T *bHere = b.data() + (shared ? 0 : t * c.k * c.n);
        for (int64_t k = 0; k < c.k; ++k)
          sum += double(a[(t * c.m + i) * c.k + k]) *
                 double(transposed ? bHere[j * c.k + k] : bHere[k * c.n + j]);
        if (c.relu && sum < 0)
          sum = 0;
        if (!(std::abs(out[index] - sum) <= tolerance) && bad++ < 3)
          ADD_FAILURE() << "at " << t << "," << i << "," << j << ": "
                        << out[index] << " instead of " << sum;
      }
  EXPECT_EQ(bad, 0);
  for (size_t i = c.batch * c.m * c.n; i < out.size(); ++i)
    ASSERT_EQ(out[i], before[i]) << "written behind the end";
}

class Gemm : public testing::TestWithParam<int> {
protected:
  CpuTarget target = CpuTarget::generic(IsaLevel(GetParam()));
};
} // namespace

TEST_P(Gemm, PackedOddShapes) {
  for (auto [m, n, k] : {std::tuple{1, 1, 1},
                         {2, 3, 5},
                         {17, 33, 7},
                         {29, 97, 130},
                         {14, 64, 401},
                         {5, 47, 0}})
    for (bool dynamic : {false, true}) {
      GemmCase c;
      c.m = m, c.n = n, c.k = k, c.dynamic = dynamic;
      c.bias = true, c.relu = true;
      check<float>(target, c);
    }
}

TEST_P(Gemm, EmptyResults) {
  for (bool dynamic : {false, true}) {
    GemmCase c;
    c.m = 0, c.n = 9, c.k = 4, c.dynamic = dynamic;
    check<float>(target, c);
    c.m = 9, c.n = 0;
    check<float>(target, c);
  }
}

TEST_P(Gemm, LongDepthIsChunked) {
  for (bool dynamic : {false, true}) {
    GemmCase c;
    c.m = 23, c.n = 50, c.k = 1031, c.dynamic = dynamic;
    c.residual = true, c.relu = true;
    check<float>(target, c);
    c.loopEpilogue = true;
    check<float>(target, c);
  }
}

TEST_P(Gemm, PackFromTransposed) {
  GemmCase c;
  c.m = 7, c.n = 131, c.k = 53, c.packTransposed = true;
  check<float>(target, c);
}

TEST_P(Gemm, UnpackedBatched) {
  for (BLayout layout : {BLayout::RowMajor, BLayout::Transposed})
    for (auto [m, n, k] : {std::tuple{1, 70, 33},
                           {4, 19, 64},
                           {31, 67, 45},
                           {16, 128, 64},
                           {3, 5, 777}})
      for (bool dynamic : {false, true}) {
        GemmCase c;
        c.batch = 3, c.m = m, c.n = n, c.k = k, c.dynamic = dynamic;
        c.layout = layout, c.bias = true, c.loopEpilogue = true;
        check<float>(target, c);
      }
}

TEST_P(Gemm, DoublePrecision) {
  GemmCase c;
  c.m = 13, c.n = 37, c.k = 71, c.bias = true;
  check<double>(target, c);
  c.layout = BLayout::Transposed, c.dynamic = true;
  check<double>(target, c);
}

TEST_P(Gemm, InnerLoopHoldsNoSpill) {
  for (RegisterTile tile : contractionTiles(target)) {
    GemmCase c;
    c.m = 8 * tile.mr, c.n = 768, c.k = 768, c.bias = true;
    c.tiling = GemmTiling{tile, 256, 4 * tile.mr};
    GemmKernel kernel(target, c);
    EXPECT_EQ(countSpillsInInnerLoops(kernel.code().assembly()), 0)
        << isaName(target.isa).str() << " " << tile.mr << "x" << tile.nv;
  }
}

INSTANTIATE_TEST_SUITE_P(Isa, Gemm, testing::Values(0, 1, 2),
                         [](const testing::TestParamInfo<int> &info) {
                           return isaName(IsaLevel(info.param)).str();
                         });
