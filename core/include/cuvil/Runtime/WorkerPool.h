// SPDX-License-Identifier: Apache-2.0
// The process's worker threads and the team that helps one run.
#ifndef CUVIL_RUNTIME_WORKERPOOL_H
#define CUVIL_RUNTIME_WORKERPOOL_H

#include <cstdint>
#include <memory>

namespace cuvil {

class WorkerTeam;
class WorkerPoolImpl;

/// Work of one step, cut into tiles that may run in any order and on any
/// thread.
struct TileWork {
  /// Runs tiles [begin, end); returns 0 or an error code.
  int32_t (*body)(void *state, unsigned worker, int64_t begin, int64_t end);
  void *state;
  int64_t tiles;
};

/// Helpers reserved for one run. Made by WorkerPool::acquire, used by one
/// thread (the leader, worker 0) and given back by its destructor.
class TeamLease {
public:
  TeamLease() = default;
  explicit TeamLease(WorkerTeam *team) : team(team) {}
  TeamLease(TeamLease &&other) noexcept : team(other.team) {
    other.team = nullptr;
  }
  TeamLease &operator=(TeamLease &&other) noexcept {
    WorkerTeam *old = team;
    team = other.team;
    other.team = old;
    return *this;
  }
  ~TeamLease();

  explicit operator bool() const { return team; }
  /// Runs the work with all helpers and waits for its end. Returns 0 or the
  /// error of the first failing piece, independent of the number of helpers.
  int32_t run(const TileWork &work);

private:
  WorkerTeam *team = nullptr;
};

/// The threads of the process, made when first needed and kept. A forked
/// child starts with none and makes its own.
class WorkerPool {
public:
  /// Threads that one run may use, its caller included.
  static unsigned getSize();
  /// Reserves up to `helpers` idle threads; none idle gives an empty lease.
  static TeamLease acquire(unsigned helpers);
};

/// Runs the work on the calling thread alone, as worker 0.
int32_t runAlone(const TileWork &work);

} // namespace cuvil

#endif // CUVIL_RUNTIME_WORKERPOOL_H
