// SPDX-License-Identifier: Apache-2.0
// A program made ready to run: checked, linked, planned, initialised.
#ifndef CUVIL_RUNTIME_LOADEDPROGRAM_H
#define CUVIL_RUNTIME_LOADEDPROGRAM_H

#include "cuvil/Runtime/Program.h"
#include "cuvil/c_api.h"
#include <atomic>

namespace cuvil {

class ProgramState;

/// Limits and switches of a loaded program.
struct LoadOptions {
  /// Threads per run, the caller included; 0 = the pool's size.
  unsigned threads = 0;
  /// Offsets and memory of a call are made now. Refused when a size is only
  /// known during a call.
  bool preallocate = false;
};

/// Time spent in one step during an instrumented run.
struct StepTime {
  const ProgramStep *step;
  uint64_t calls = 0;
  double seconds = 0;
  int64_t flops = 0;
  int64_t bytes = 0;
};

struct RunOptions {
  /// Set from outside to end the run at the next step; may be null.
  const std::atomic<int32_t> *cancel = nullptr;
  /// Filled when not null: one entry a step of main and its nested blocks.
  std::vector<StepTime> *times = nullptr;
};

/// Immutable after load; `run` may be called from many threads at once.
class LoadedProgram {
public:
  /// Verifies, links the kernels, plans memory and runs init.
  static StatusOr<std::shared_ptr<LoadedProgram>>
  load(std::unique_ptr<Program> program, const LoadOptions &options);
  ~LoadedProgram();

  /// The description, without the constants that only init has used.
  const Program &getProgram() const;
  const ProgramBuffer &getInput(size_t i) const;
  const ProgramBuffer &getOutput(size_t i) const;
  size_t getNumInputs() const;
  size_t getNumOutputs() const;

  /// Runs main. Inputs are borrowed; outputs as documented in c_api.h.
  Status run(const cuvil_dl_tensor *const *inputs, size_t numInputs,
             cuvil_output *outputs, size_t numOutputs,
             const RunOptions &options = {});

  /// Bytes of the arena for the last planned sizes, and of what init wrote.
  int64_t getArenaBytes() const;
  int64_t getPersistentBytes() const;

private:
  LoadedProgram();
  std::unique_ptr<ProgramState> state;
};

/// Wraps a program as an executable, so that another program can invoke it.
/// It is loaded together with that other program.
ExecutablePtr wrapProgram(std::unique_ptr<Program> program);
/// The program inside a wrapped executable; null for any other.
const Program *getWrappedProgram(const cuvil_executable *executable);

} // namespace cuvil

#endif // CUVIL_RUNTIME_LOADEDPROGRAM_H
