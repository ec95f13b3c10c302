// SPDX-License-Identifier: Apache-2.0
// Where bytes live: no overlap in time, no allocation per call.
#include "ShapePlan.h"
#include "TestProgram.h"
#include <atomic>
#include <cstdlib>
#include <random>

using namespace cuvil;
using namespace cuvil::test;

// Counts every allocation of the process while it is switched on.
namespace {
std::atomic<bool> counting{false};
std::atomic<int64_t> allocations{0};
void note() {
  if (counting.load(std::memory_order_relaxed))
    ++allocations;
}
} // namespace
#ifdef __SANITIZE_ADDRESS__
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
extern "C" {
void *__libc_malloc(size_t);
void *__libc_memalign(size_t, size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}
void *calloc(size_t n, size_t size) {
  note();
  return __libc_calloc(n, size);
}
void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}
}
#endif

namespace {

constexpr uint32_t kMain = Program::kMain;

int64_t countAllocations(const std::function<void()> &body) {
  allocations = 0;
  counting = true;
  body();
  counting = false;
  return allocations;
}

/// Three kernels with tiles, scratch and temporaries.
void buildChain(TestProgram &p, const Code &n) {
  uint32_t x = p.input(0, {n}), y = p.output(0, {n});
  uint32_t a = p.temp({n}), b = p.temp({n});
  p.call(kMain, addOne, {x, a}, {.sizes = {n}, .scratch = num(1000)});
  p.call(kMain, addOne, {a, b}, {.sizes = {n}});
  p.call(kMain, addTwo, {x, b, y}, {.sizes = {n}});
}

TEST(Memory, HookSeesAllocations) {
  if (kSanitized)
    GTEST_SKIP() << "the sanitizer has the allocator";
  EXPECT_GT(countAllocations([] { std::vector<int>(1000).back() = 1; }), 0);
}

TEST(Memory, StaticBatchAllocatesNothingFromTheFirstCall) {
  TestProgram p;
  buildChain(p, num(16));
  auto program = p.load({.preallocate = true});
  ASSERT_TRUE(program.ok()) << program.takeError().message();
  Tensor<float> x({16}, std::vector<float>(16, 1)), y = x;
  y.view.data = y.data.data();
  y.view.shape = y.shape.data();
  const cuvil_dl_tensor *inputs[] = {&x.view};
  cuvil_output output = {sizeof(output), y.view, nullptr, nullptr};
  bool ok = true;
  EXPECT_EQ(countAllocations([&] {
              for (int i = 0; i < 100; ++i)
                ok &= (*program)->run(inputs, 1, &output, 1).ok();
            }),
            0);
  EXPECT_TRUE(ok);
  EXPECT_EQ(y.data[0], 4);
}

TEST(Memory, KnownShapesAllocateNothing) {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  buildChain(p, sym(n));
  auto program = p.load();
  ASSERT_TRUE(program.ok());
  std::vector<Tensor<float>> xs;
  for (int64_t size : {5, 1000, 17})
    xs.emplace_back(std::vector<int64_t>{size}, std::vector<float>(size, 1));
  std::vector<float> out(1000);
  bool ok = true;
  auto runAll = [&] {
    for (Tensor<float> &x : xs) {
      cuvil_output output = {sizeof(output), x.view, nullptr, nullptr};
      output.tensor.data = out.data();
      output.tensor.shape = x.shape.data();
      cuvil_dl_tensor view = x.view;
      view.data = x.data.data();
      view.shape = x.shape.data();
      const cuvil_dl_tensor *inputs[] = {&view};
      ok &= (*program)->run(inputs, 1, &output, 1).ok();
    }
  };
  runAll();
  EXPECT_EQ(countAllocations([&] {
              for (int i = 0; i < 20; ++i)
                runAll();
            }),
            0);
  EXPECT_TRUE(ok);
}

TEST(Memory, StaticBatchRefusesOpenSizes) {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  buildChain(p, sym(n));
  Status status = p.load({.preallocate = true}).takeError();
  EXPECT_EQ(status.code(), CUVIL_UNSUPPORTED);
  EXPECT_NE(std::string(status.message()).find("'n'"), std::string::npos);
}

TEST(Memory, OffsetsNeverOverlapInTime) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<ArenaBuffer> buffers(1 + random() % 60);
    std::vector<int64_t> sizes, offsets(buffers.size());
    int64_t sum = 0;
    for (ArenaBuffer &buffer : buffers) {
      buffer.first = random() % 100;
      buffer.last = buffer.first + random() % 30;
      sizes.push_back(random() % 4 ? random() % 5000 : 0);
      sum += (sizes.back() + 63) / 64 * 64;
    }
    int64_t arena = assignOffsets(buffers, sizes, offsets);
    EXPECT_LE(arena, sum);
    for (size_t i = 0; i < buffers.size(); ++i) {
      EXPECT_EQ(offsets[i] % 64, 0);
      EXPECT_LE(offsets[i] + sizes[i], arena);
      for (size_t j = 0; j < i; ++j) {
        bool time = buffers[i].first <= buffers[j].last &&
                    buffers[j].first <= buffers[i].last;
        bool space = offsets[i] < offsets[j] + sizes[j] &&
                     offsets[j] < offsets[i] + sizes[i];
        EXPECT_FALSE(time && space) << i << " and " << j;
      }
    }
  }
}

/// out = sum of inputs + 1, over sizes[0] elements; sizes[1] inputs.
int32_t sumAll(const cuvil_kernel_args *args, int64_t, int64_t) {
  auto *out = static_cast<float *>(args->buffers[args->sizes[1]]);
  for (int64_t i = 0; i < args->sizes[0]; ++i) {
    float sum = 1;
    for (int64_t k = 0; k < args->sizes[1]; ++k)
      sum += static_cast<const float *>(args->buffers[k])[i];
    out[i] = sum;
  }
  return 0;
}

TEST(Memory, RandomProgramsKeepWhatIsStillNeeded) {
  // Random graphs of steps, nested branches and views: whatever shares memory
  // wrongly changes the result.
  std::mt19937 random(11);
  for (int round = 0; round < 100; ++round) {
    TestProgram p;
    int64_t n = 1 + random() % 40;
    uint32_t x = p.input(0, {num(n)}), y = p.output(0, {num(n)});
    uint32_t flag = p.input(1, {}, "f", CUVIL_BOOL);
    std::vector<std::pair<uint32_t, double>> known = {{x, 3.0}};
    auto pick = [&] { return known[random() % known.size()]; };
    auto emit = [&](uint32_t block, uint32_t target) {
      size_t count = 1 + random() % 3;
      std::vector<uint32_t> buffers;
      double value = 1;
      for (size_t i = 0; i < count; ++i) {
        auto [id, v] = pick();
        buffers.push_back(id);
        value += v;
      }
      buffers.push_back(target);
      p.call(block, sumAll, buffers,
             {.sizes = {num(n), num(int64_t(count))}});
      return value;
    };
    for (int i = 0; i < 25; ++i) {
      uint32_t target = p.temp({num(n)});
      switch (random() % 4) {
      case 0: {
        uint32_t yes = p.block(), no = p.block();
        uint32_t inner = p.temp({num(n)});
        double first = emit(yes, inner);
        auto saved = known;
        known.push_back({inner, first});
        double value = emit(yes, target);
        known = saved;
        p.step(no, CUVIL_STEP_COPY, {x, target});
        p.step(kMain, CUVIL_STEP_IF, {flag}, {.block0 = yes, .block1 = no});
        known.push_back({target, value});
        break;
      }
      case 1: {
        auto [id, value] = pick();
        p.step(kMain, CUVIL_STEP_ALIAS, {id, target});
        known.push_back({target, value});
        break;
      }
      default:
        known.push_back({target, emit(kMain, target)});
      }
      // Old values stay in play, or nothing would have to be kept.
      if (known.size() > 8)
        known.erase(known.begin() + random() % known.size());
    }
    double expected = emit(kMain, y);
    auto program = p.load();
    ASSERT_TRUE(program.ok()) << program.takeError().message();
    Tensor<float> input({n}, std::vector<float>(n, 3));
    Tensor<uint8_t> on({}, {1}, CUVIL_BOOL);
    for (float got : runOne(**program, {&input.view, &on.view}))
      ASSERT_FLOAT_EQ(got, expected) << "round " << round;
  }
}

} // namespace
