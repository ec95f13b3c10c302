// SPDX-License-Identifier: Apache-2.0
// Measures contraction kernels as a share of a fused multiply-add probe.
#include "Kernels.h"

#include <immintrin.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace cuvil::x86;
using namespace cuvil::x86::test;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Best time of a few calls, about a fifth of a second in all.
template <typename F> static double best(F &&f) {
  f();
  double result = 1e9, begin = now();
  for (int i = 0; i < 200 && (i < 5 || now() - begin < 0.2); ++i) {
    double start = now();
    f();
    result = std::min(result, now() - start);
  }
  return result;
}

#define CUVIL_PROBE(NAME, TARGET, TYPE, SET, FMA)                              \
  __attribute__((target(TARGET), noinline)) static float NAME(int trips) {     \
    TYPE s[12], x = SET(1.0f), y = SET(1e-9f);                                 \
    for (TYPE & v : s)                                                         \
      v = y;                                                                   \
    for (int i = 0; i < trips; ++i)                                            \
      _Pragma("GCC unroll 12") for (int j = 0; j < 12; ++j) s[j] =             \
          FMA(s[j], x, y);                                                     \
    float sum = 0;                                                             \
    for (TYPE & v : s)                                                         \
      sum += ((float *)&v)[0];                                                 \
    return sum;                                                                \
  }
CUVIL_PROBE(probe512, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps)
CUVIL_PROBE(probe256, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps)

/// Gflop/s of independent multiply-adds.
static double peak(const CpuTarget &target) {
  constexpr int trips = 200000;
  volatile float sink;
  double time = best([&] {
    sink = target.isa == IsaLevel::AVX512 ? probe512(trips) : probe256(trips);
  });
  return 2.0 * 12 * target.vectorWidth * trips / time / 1e9;
}

static std::vector<float> randoms(int64_t count) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<float> values(-1, 1);
  std::vector<float> result(count);
  for (float &value : result)
    value = values(generator);
  return result;
}

static void report(const char *name, RegisterTile tile, double flops,
                   double time, Jit &code, const CpuTarget &target) {
  double probe = peak(target);
  std::printf("%-28s %2ldx%ld %9.1f us %7.1f GF/s %5.1f%% of %5.0f  compile "
              "%.0f ms\n",
              name, long(tile.mr), long(tile.nv), time * 1e6,
              flops / time / 1e9, 100 * flops / time / 1e9 / probe, probe,
              code.compileSeconds() * 1e3);
  std::fflush(stdout);
}

static void gemm(const CpuTarget &target, const char *name, int64_t m,
                 int64_t n, int64_t k, std::optional<GemmTiling> tiling = {},
                 BLayout layout = BLayout::Packed, int64_t batch = 1) {
  GemmCase c;
  c.m = m, c.n = n, c.k = k, c.bias = true, c.relu = true, c.tiling = tiling;
  c.layout = layout, c.batch = batch;
  GemmKernel kernel(target, c);
  auto a = randoms(batch * m * k), b = randoms(batch * k * n),
       bias = randoms(n);
  std::vector<float> packed(kernel.packedSize()), out(batch * m * n);
  const float *bUsed = b.data();
  if (layout == BLayout::Packed) {
    kernel.pack(b.data(), packed.data());
    bUsed = packed.data();
  }
  int64_t items = kernel.items();
  double time = best([&] {
    kernel.runItems(a.data(), bUsed, out.data(), bias.data(), 0, items);
  });
  report(name, kernel.tiling().tile, 2.0 * batch * m * n * k, time,
         kernel.code(), target);
}

static void conv(const CpuTarget &target, const char *name, int64_t ic,
                 int64_t oc, int64_t size, int64_t kernelSize, int64_t stride,
                 bool depthwise = false,
                 std::optional<ConvTiling> tiling = {}) {
  ConvCase c;
  c.ic = ic, c.oc = oc, c.ih = c.iw = size, c.bias = true, c.relu = true;
  c.window.kernelH = c.window.kernelW = kernelSize;
  c.window.strideH = c.window.strideW = stride;
  c.window.padTop = c.window.padLeft = c.padBottom = c.padRight =
      kernelSize / 2;
  c.groups = depthwise ? ic : 1;
  c.tiling = tiling;
  ConvKernel kernel(target, c, depthwise);
  int64_t depth = ic / c.groups * kernelSize * kernelSize;
  auto x = randoms(ic * size * size), w = randoms(oc * depth),
       bias = randoms(oc);
  std::vector<float> packed = w, out(oc * c.oh() * c.ow());
  if (!depthwise)
    kernel.pack(w.data(), packed.data());
  double time = best(
      [&] { kernel.run(x.data(), packed.data(), out.data(), bias.data()); });
  report(name, depthwise ? RegisterTile{4, 1} : kernel.tiling().tile,
         2.0 * oc * c.oh() * c.ow() * depth, time, kernel.code(), target);
}

int main(int argc, char **argv) {
  auto host = CpuTarget::host();
  if (!host) {
    std::fprintf(stderr, "%s\n", llvm::toString(host.takeError()).c_str());
    return 1;
  }
  const CpuTarget &target = *host;
  if (target.isa == IsaLevel::SSE2) {
    std::fprintf(stderr, "needs AVX2 or AVX-512\n");
    return 1;
  }
  std::string only = argc > 1 ? argv[1] : "";
  auto wanted = [&](const char *group) {
    return only.empty() || only == group;
  };
  std::printf("%s, L1 %ld K, L2 %ld K\n", target.cpu.c_str(),
              long(target.l1Bytes >> 10), long(target.l2Bytes >> 10));
  if (wanted("gemm")) {
    gemm(target, "gemm 128x768x768", 128, 768, 768);
    gemm(target, "gemm 128x3072x768", 128, 3072, 768);
    gemm(target, "gemm 128x768x3072", 128, 768, 3072);
    gemm(target, "gemv 1x768x3072", 1, 768, 3072);
    gemm(target, "gemm 12x 128x128x64 B^T", 128, 128, 64, {},
         BLayout::Transposed, 12);
    gemm(target, "gemm 12x 128x64x128", 128, 64, 128, {}, BLayout::RowMajor,
         12);
  }
  if (wanted("conv")) {
    conv(target, "3x3 56x56 64-64", 64, 64, 56, 3, 1);
    conv(target, "3x3 28x28 128-128", 128, 128, 28, 3, 1);
    conv(target, "3x3 14x14 256-256", 256, 256, 14, 3, 1);
    conv(target, "3x3 7x7 512-512", 512, 512, 7, 3, 1);
    conv(target, "1x1 56x56 64-256", 64, 256, 56, 1, 1);
    conv(target, "1x1 56x56 256-64", 256, 64, 56, 1, 1);
    conv(target, "1x1 14x14 1024-256", 1024, 256, 14, 1, 1);
    conv(target, "1x1 14x14 256-1024", 256, 1024, 14, 1, 1);
    conv(target, "1x1 7x7 512-2048", 512, 2048, 7, 1, 1);
    conv(target, "7x7/2 224x224 3-64", 3, 64, 224, 7, 2);
  }
  if (wanted("depthwise")) {
    conv(target, "dw 3x3 112x112 x32", 32, 32, 112, 3, 1, true);
    conv(target, "dw 3x3/2 112x112 x96", 96, 96, 112, 3, 2, true);
    conv(target, "dw 3x3 14x14 x384", 384, 384, 14, 3, 1, true);
  }
  if (wanted("tiles"))
    for (RegisterTile tile : contractionTiles(target))
      for (int64_t chunk : {192, 256, 384, 768})
        for (int64_t rows : {1, 8}) {
          std::string name = "tile chunk " + std::to_string(chunk) + " rows " +
                             std::to_string(rows * tile.mr);
          gemm(target, name.c_str(), 128, 768, 768,
               GemmTiling{tile, chunk, rows * tile.mr});
        }
  if (wanted("convtiles"))
    for (RegisterTile tile : contractionTiles(target))
      for (int64_t chunk : {64, 128, 256})
        for (bool packs : {false, true}) {
          std::string name = "chunk " + std::to_string(chunk) +
                             (packs ? " packed" : " in place");
          conv(target, ("56 256-64 " + name).c_str(), 256, 64, 56, 1, 1, false,
               ConvTiling{tile, chunk, 64, packs});
          conv(target, ("14 1024-256 " + name).c_str(), 1024, 256, 14, 1, 1,
               false, ConvTiling{tile, chunk * 2, 256, packs});
        }
  return 0;
}
