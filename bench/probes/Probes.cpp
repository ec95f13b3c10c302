// SPDX-License-Identifier: Apache-2.0
// Measures the machine's peak of f32 multiply-adds and its memory bandwidth.
//
// Usage: cuvil-probes THREADS. Prints one JSON object.
#include <algorithm>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <immintrin.h>
#include <memory>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;
constexpr int kRounds = 5;
constexpr int64_t kSteps = 20'000'000;
// Far larger than any cache.
constexpr size_t kFloats = size_t(64) << 20;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

volatile float sink;

// Twelve independent chains hide the latency of two units.
__attribute__((target("avx512f"))) double runAvx512() {
  __m512 a[12];
  for (__m512 &v : a)
    v = _mm512_set1_ps(1.0f);
  const __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(0.001f);
  for (int64_t i = 0; i < kSteps; ++i)
#pragma GCC unroll 12
    for (__m512 &v : a)
      v = _mm512_fmadd_ps(v, x, y);
  __m512 sum = a[0];
  for (int i = 1; i < 12; ++i)
    sum = _mm512_add_ps(sum, a[i]);
  sink = _mm512_cvtss_f32(sum);
  return double(kSteps) * 12 * 16 * 2;
}

__attribute__((target("avx2,fma"))) double runAvx2() {
  __m256 a[12];
  for (__m256 &v : a)
    v = _mm256_set1_ps(1.0f);
  const __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(0.001f);
  for (int64_t i = 0; i < kSteps; ++i)
#pragma GCC unroll 12
    for (__m256 &v : a)
      v = _mm256_fmadd_ps(v, x, y);
  __m256 sum = a[0];
  for (int i = 1; i < 12; ++i)
    sum = _mm256_add_ps(sum, a[i]);
  sink = _mm256_cvtss_f32(sum);
  return double(kSteps) * 12 * 8 * 2;
}

double runSse() {
  __m128 a[12];
  for (__m128 &v : a)
    v = _mm_set1_ps(1.0f);
  const __m128 x = _mm_set1_ps(0.999f), y = _mm_set1_ps(0.001f);
  for (int64_t i = 0; i < kSteps; ++i)
#pragma GCC unroll 12
    for (__m128 &v : a)
      v = _mm_add_ps(_mm_mul_ps(v, x), y);
  __m128 sum = a[0];
  for (int i = 1; i < 12; ++i)
    sum = _mm_add_ps(sum, a[i]);
  sink = _mm_cvtss_f32(sum);
  return double(kSteps) * 12 * 4 * 2;
}

/// Best rate (units a second) of `work` on all threads at once.
double measure(int threads, const std::function<double(int)> &work) {
  double best = 0;
  for (int round = 0; round < kRounds; ++round) {
    std::barrier together(threads + 1);
    std::vector<double> done(threads);
    std::vector<std::jthread> pool;
    for (int t = 0; t < threads; ++t)
      pool.emplace_back([&, t] {
        together.arrive_and_wait();
        done[t] = work(t);
        together.arrive_and_wait();
      });
    together.arrive_and_wait();
    auto start = Clock::now();
    together.arrive_and_wait();
    double seconds = secondsSince(start), total = 0;
    for (double units : done)
      total += units;
    best = std::max(best, total / seconds);
  }
  return best;
}

double readAll(const float *data, size_t n) {
  // Eight sums keep several lines in flight.
  __m128 sums[8] = {};
  for (size_t i = 0; i + 32 <= n; i += 32)
#pragma GCC unroll 8
    for (int k = 0; k < 8; ++k)
      sums[k] = _mm_add_ps(sums[k], _mm_loadu_ps(data + i + 4 * k));
  for (int k = 1; k < 8; ++k)
    sums[0] = _mm_add_ps(sums[0], sums[k]);
  sink = _mm_cvtss_f32(sums[0]);
  return double(n) * sizeof(float);
}

} // namespace

int main(int argc, char **argv) {
  int threads = argc > 1 ? std::atoi(argv[1]) : 1;
  if (threads < 1) {
    std::fprintf(stderr, "usage: cuvil-probes THREADS\n");
    return 2;
  }
  const char *isa = "sse2";
  double (*run)() = runSse;
  if (__builtin_cpu_supports("avx512f")) {
    isa = "avx512";
    run = runAvx512;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    isa = "avx2";
    run = runAvx2;
  }
  double flops = measure(threads, [&](int) { return run(); });
  auto data = std::make_unique<float[]>(kFloats);
  std::fill_n(data.get(), kFloats, 1.0f);
  size_t part = kFloats / threads;
  double bytes = measure(
      threads, [&](int t) { return readAll(data.get() + t * part, part); });
  std::printf("{\"isa\": \"%s\", \"threads\": %d, \"fma_gflops\": %.1f, "
              "\"read_gbytes\": %.2f}\n",
              isa, threads, flops / 1e9, bytes / 1e9);
  return 0;
}
