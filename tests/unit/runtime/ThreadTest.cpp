// SPDX-License-Identifier: Apache-2.0
// Many callers, many workers, forks: always the serial answer.
#include "TestProgram.h"
#include "cuvil/Runtime/CpuCount.h"
#include "cuvil/Runtime/WorkerPool.h"
#include <chrono>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace cuvil;
using namespace cuvil::test;

namespace {

constexpr uint32_t kMain = Program::kMain;
constexpr int64_t kTiles = 13;

/// y = 2 x + 1 by tiles, through scratch.
int32_t tiledScale(const cuvil_kernel_args *a, int64_t begin, int64_t end) {
  int64_t from, to;
  tileRange(a, kTiles, begin, end, from, to);
  auto *x = static_cast<const float *>(a->buffers[0]);
  auto *y = static_cast<float *>(a->buffers[1]);
  auto *scratch = static_cast<float *>(a->scratch);
  for (int64_t i = from; i < to; ++i) {
    scratch[0] = 2 * x[i];
    scratch[1] = 1;
    y[i] = scratch[0] + scratch[1];
  }
  return 0;
}

/// Fails in the tiles from sizes[1] on, each with a code of its own.
int32_t failFrom(const cuvil_kernel_args *a, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    if (i >= a->sizes[1])
      return 100 + i;
  return 0;
}

std::shared_ptr<LoadedProgram> makeTiled(unsigned threads) {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  uint32_t x = p.input(0, {sym(n)}), y = p.output(0, {sym(n)});
  uint32_t t = p.temp({sym(n)});
  StepParts parts = {.sizes = {sym(n)}, .tiles = num(kTiles),
                     .scratch = num(8)};
  p.call(kMain, tiledScale, {x, t}, parts);
  p.call(kMain, tiledScale, {t, y}, parts);
  auto program = p.load({.threads = threads});
  EXPECT_TRUE(program.ok());
  return *program;
}

// The pool's size is fixed when it is made: more threads than this machine
// may have cores, so that they really interleave.
struct Environment : testing::Environment {
  void SetUp() override { setenv("CUVIL_NUM_THREADS", "4", 1); }
};
[[maybe_unused]] auto *const environment =
    testing::AddGlobalTestEnvironment(new Environment);

TEST(Threads, SixteenCallersWithMixedShapesEqualSerial) {
  auto program = makeTiled(0);
  ASSERT_EQ(WorkerPool::getSize(), 4u);
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 16; ++caller)
    callers.emplace_back([&, caller] {
      for (int call = 0; call < 1000; ++call) {
        int64_t n = (caller * 7 + call * 3) % 50;
        std::vector<float> values(n);
        std::iota(values.begin(), values.end(), float(caller));
        Tensor<float> x({n}, values), y({n}, std::vector<float>(n));
        const cuvil_dl_tensor *inputs[] = {&x.view};
        cuvil_output out = {sizeof(out), y.view, nullptr, nullptr};
        if (program->run(inputs, 1, &out, 1).failed())
          ++wrong;
        // Without elements there is no memory of ours to write to.
        if (out.release)
          out.release(out.owner);
        for (int64_t i = 0; i < n; ++i)
          wrong += y.data[i] != 4 * values[i] + 3;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, FirstFailingTileDecidesForAnyNumberOfThreads) {
  for (unsigned threads : {1, 2, 4})
    for (int round = 0; round < 50; ++round) {
      TestProgram p;
      uint32_t y = p.output(0, {num(1)});
      p.call(kMain, failFrom, {y},
             {.sizes = {num(1), num(5)}, .tiles = num(40)});
      auto program = p.load({.threads = threads});
      Status status;
      runOne(**program, {}, &status);
      ASSERT_EQ(status.code(), 105) << threads;
    }
}

TEST(Threads, PoolRunsEveryTileOnce) {
  for (int64_t tiles : {0, 1, 2, 3, 17, 1000}) {
    std::vector<std::atomic<int>> seen(tiles);
    TileWork work = {[](void *state, unsigned worker, int64_t b,
                        int64_t e) -> int32_t {
                       EXPECT_LT(worker, WorkerPool::getSize());
                       auto &seen =
                           *static_cast<std::vector<std::atomic<int>> *>(state);
                       for (int64_t i = b; i < e; ++i)
                         ++seen[i];
                       return 0;
                     },
                     &seen, tiles};
    TeamLease team = WorkerPool::acquire(3);
    EXPECT_EQ(team ? team.run(work) : runAlone(work), 0);
    for (auto &count : seen)
      EXPECT_EQ(count, 1);
  }
}

TEST(Threads, ForkedChildRunsOnItsOwnPool) {
  auto program = makeTiled(0);
  Tensor<float> x({100}, std::vector<float>(100, 1));
  EXPECT_EQ(runOne(*program, {&x.view})[99], 7);
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0)
    _exit(runOne(*program, {&x.view})[99] == 7 ? 0 : 1);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(runOne(*program, {&x.view})[99], 7);
}

TEST(Threads, CgroupQuotas) {
  namespace fs = std::filesystem;
  std::string pattern = (fs::temp_directory_path() / "cgroup-XXXXXX").string();
  fs::path root = mkdtemp(pattern.data());
  auto write = [&](const std::string &path, const std::string &text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text;
  };
  EXPECT_EQ(getCgroupQuota(root), 0u);
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(getCgroupQuota(root), 0u);
  write("sys/fs/cgroup/a/cpu.max", "250000 100000\n");
  EXPECT_EQ(getCgroupQuota(root), 3u);
  write("proc/self/cgroup", "4:cpu,cpuacct:/x\n");
  write("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "50000\n");
  EXPECT_EQ(getCgroupQuota(root), 2u);
  fs::remove_all(root);
}

} // namespace
