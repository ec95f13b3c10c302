// SPDX-License-Identifier: Apache-2.0
// Worker threads: reserved once per run, woken once, spinning between steps.
#include "cuvil/Runtime/WorkerPool.h"
#include "cuvil/Runtime/CpuCount.h"
#include <algorithm>
#include <atomic>
#include <climits>
#include <csignal>
#include <linux/futex.h>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace cuvil {
namespace {

// How long to spin before sleeping, in time stamps: about 25 us and 3 us.
constexpr uint64_t kSpinTicks = 60000;
constexpr uint64_t kSpinLeavingTicks = 7000;
// Pieces per thread: enough to even out, few enough to stay cheap.
constexpr int64_t kPiecesPerThread = 4;
constexpr uint64_t kClosed = ~uint64_t(0);

/// Spins until the condition holds or the time is up; returns the condition.
template <typename Condition> bool spin(uint64_t ticks, Condition condition) {
  uint64_t start = __builtin_ia32_rdtsc();
  while (true) {
    for (int i = 0; i < 8; ++i) {
      if (condition())
        return true;
      __builtin_ia32_pause();
    }
    if (__builtin_ia32_rdtsc() - start > ticks)
      return condition();
  }
}

void futexWait(std::atomic<uint32_t> &word, uint32_t expected) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}
void futexWake(std::atomic<uint32_t> &word, int count) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

int64_t pieceBegin(int64_t tiles, int64_t pieces, int64_t i) {
  int64_t base = tiles / pieces, rest = tiles % pieces;
  return i * base + std::min(i, rest);
}

} // namespace

/// One run's helpers and the step they work on. `word` holds the number of
/// the step (high half) and how many of its pieces are still unclaimed (low
/// half); a piece belongs to who decrements it. The leader changes `work` only
/// when all pieces of the last step are done, so a claim makes it readable.
class WorkerTeam {
public:
  void open(WorkerPoolImpl *owner, unsigned helpers) {
    pool = owner;
    numHelpers = helpers;
    references.store(helpers + 1, std::memory_order_relaxed);
    word.store(0, std::memory_order_release);
  }

  int32_t run(const TileWork &next) {
    if (next.tiles <= 0)
      return 0;
    work = next;
    pieces = std::min<int64_t>(next.tiles, (numHelpers + 1) * kPiecesPerThread);
    done.store(0, std::memory_order_relaxed);
    failure.store(UINT64_MAX, std::memory_order_relaxed);
    step = step + 1 == UINT32_MAX ? 1 : step + 1;
    word.store(uint64_t(step) << 32 | uint64_t(pieces));
    signal();
    claimAll(0);
    waitForPieces();
    uint64_t failed = failure.load(std::memory_order_acquire);
    return failed == UINT64_MAX ? 0 : int32_t(uint32_t(failed));
  }

  void close() {
    word.store(kClosed);
    signal();
  }

  /// A helper's life in the team.
  void help(unsigned worker) {
    while (true) {
      uint64_t seen = claimAll(worker);
      if (seen == kClosed)
        return;
      if (spin(kSpinTicks, [&] {
            return word.load(std::memory_order_acquire) != seen;
          }))
        continue;
      sleepers.fetch_add(1);
      uint32_t e = epoch.load();
      if (word.load() == seen)
        futexWait(epoch, e);
      sleepers.fetch_sub(1);
    }
  }

  /// True for the last one to leave.
  bool leave() {
    return references.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

  WorkerPoolImpl *pool = nullptr;
  unsigned numHelpers = 0;

private:
  void signal() {
    epoch.fetch_add(1);
    if (sleepers.load())
      futexWake(epoch, INT_MAX);
  }

  /// Works until no piece is left; returns the word that said so.
  uint64_t claimAll(unsigned worker) {
    uint64_t seen = word.load(std::memory_order_acquire);
    while (seen != kClosed && uint32_t(seen)) {
      if (!word.compare_exchange_weak(seen, seen - 1,
                                      std::memory_order_acq_rel,
                                      std::memory_order_acquire))
        continue;
      runPiece(worker, pieces - int64_t(uint32_t(seen)));
      seen = word.load(std::memory_order_acquire);
    }
    return seen;
  }

  void runPiece(unsigned worker, int64_t piece) {
    uint32_t total = pieces;
    // A later piece than a failed one cannot change the outcome.
    if (uint64_t(piece) < failure.load(std::memory_order_relaxed) >> 32) {
      int32_t code = work.body(work.state, worker,
                               pieceBegin(work.tiles, pieces, piece),
                               pieceBegin(work.tiles, pieces, piece + 1));
      if (code) {
        uint64_t mine = uint64_t(piece) << 32 | uint32_t(code);
        uint64_t old = failure.load(std::memory_order_relaxed);
        while (mine < old && !failure.compare_exchange_weak(old, mine))
          ;
      }
    }
    if (done.fetch_add(1) + 1 == total && leaderSleeps.load())
      futexWake(done, 1);
  }

  void waitForPieces() {
    uint32_t total = pieces;
    if (spin(kSpinTicks, [&] {
          return done.load(std::memory_order_acquire) == total;
        }))
      return;
    leaderSleeps.store(1);
    for (uint32_t now; (now = done.load()) != total;)
      futexWait(done, now);
    leaderSleeps.store(0);
  }

  alignas(64) std::atomic<uint64_t> word{kClosed};
  alignas(64) std::atomic<uint32_t> done{0};
  std::atomic<uint32_t> leaderSleeps{0};
  std::atomic<uint64_t> failure{UINT64_MAX};
  alignas(64) std::atomic<uint32_t> epoch{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<uint32_t> references{0};
  alignas(64) TileWork work = {};
  int64_t pieces = 0;
  uint32_t step = 0;
};

/// Lives until the process ends (threads may still look at it).
class WorkerPoolImpl {
public:
  explicit WorkerPoolImpl(unsigned size) : size(size) {}

  static WorkerPoolImpl &get();

  WorkerTeam *acquire(unsigned wanted) {
    wanted = std::min(wanted, size - 1);
    if (wanted == 0)
      return nullptr;
    // Helpers of a run that has just ended are about to become idle.
    spin(kSpinLeavingTicks, [&] {
      return numIdle.load() >= wanted ||
             leaving.load(std::memory_order_relaxed) <= 0;
    });
    std::lock_guard<std::mutex> lock(mutex);
    while (idle.size() < wanted && started + 1 < size && startWorker())
      ;
    unsigned n = std::min<size_t>(wanted, idle.size());
    if (n == 0)
      return nullptr;
    WorkerTeam *team;
    if (freeTeams.empty()) {
      team = new WorkerTeam;
    } else {
      team = freeTeams.back();
      freeTeams.pop_back();
    }
    team->open(this, n);
    for (unsigned i = 0; i < n; ++i) {
      Worker *worker = idle.back();
      idle.pop_back();
      worker->number = i + 1;
      worker->team.store(team);
      worker->mailbox.store(1);
      if (worker->sleeps.load())
        futexWake(worker->mailbox, 1);
    }
    numIdle.store(idle.size());
    return team;
  }

  /// Ends the leader's part; helpers leave on their own.
  void release(WorkerTeam *team) {
    leaving.fetch_add(team->numHelpers, std::memory_order_relaxed);
    team->close();
    if (team->leave())
      recycle(team);
  }

  const unsigned size;

private:
  struct Worker {
    WorkerPoolImpl *pool;
    std::atomic<WorkerTeam *> team{nullptr};
    unsigned number = 0;
    std::atomic<uint32_t> mailbox{0};
    std::atomic<uint32_t> sleeps{0};
  };

  void recycle(WorkerTeam *team) {
    std::lock_guard<std::mutex> lock(mutex);
    freeTeams.push_back(team);
  }

  bool startWorker() {
    auto *worker = new Worker;
    worker->pool = this;
    // Signals are for the threads of the application.
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_t thread;
    int rc = pthread_create(&thread, &attributes, runWorker, worker);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &old, nullptr);
    if (rc != 0) {
      delete worker;
      return false;
    }
    ++started;
    idle.push_back(worker);
    // Vectors that the hot path appends to never grow there.
    idle.reserve(size);
    freeTeams.reserve(size + 1);
    return true;
  }

  static void *runWorker(void *argument) {
    auto *self = static_cast<Worker *>(argument);
    pthread_setname_np(pthread_self(), "cuvil-worker");
    while (true) {
      if (!spin(kSpinTicks, [&] { return self->mailbox.load() != 0; })) {
        self->sleeps.store(1);
        while (!self->mailbox.load())
          futexWait(self->mailbox, 0);
        self->sleeps.store(0);
      }
      self->mailbox.store(0);
      WorkerTeam *team = self->team.load();
      team->help(self->number);
      if (team->leave())
        self->pool->recycle(team);
      std::lock_guard<std::mutex> lock(self->pool->mutex);
      self->pool->idle.push_back(self);
      self->pool->numIdle.store(self->pool->idle.size());
      self->pool->leaving.fetch_sub(1, std::memory_order_relaxed);
    }
    return nullptr;
  }

  std::mutex mutex;
  std::vector<Worker *> idle;
  std::vector<WorkerTeam *> freeTeams;
  unsigned started = 0;
  std::atomic<size_t> numIdle{0};
  std::atomic<int> leaving{0};
};

namespace {
std::atomic<WorkerPoolImpl *> currentPool{nullptr};
} // namespace

WorkerPoolImpl &WorkerPoolImpl::get() {
  WorkerPoolImpl *pool = currentPool.load(std::memory_order_acquire);
  if (pool)
    return *pool;
  static const int registered = pthread_atfork(nullptr, nullptr, [] {
    // The parent's threads do not exist here; its pool is left behind.
    currentPool.store(nullptr);
  });
  (void)registered;
  auto *fresh = new WorkerPoolImpl(getDefaultThreadCount());
  if (currentPool.compare_exchange_strong(pool, fresh))
    return *fresh;
  delete fresh;
  return *pool;
}

unsigned WorkerPool::getSize() { return WorkerPoolImpl::get().size; }

TeamLease WorkerPool::acquire(unsigned helpers) {
  return TeamLease(WorkerPoolImpl::get().acquire(helpers));
}

TeamLease::~TeamLease() {
  if (team)
    team->pool->release(team);
}

int32_t TeamLease::run(const TileWork &work) { return team->run(work); }

int32_t runAlone(const TileWork &work) {
  return work.tiles > 0 ? work.body(work.state, 0, 0, work.tiles) : 0;
}

} // namespace cuvil
