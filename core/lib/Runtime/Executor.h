// SPDX-License-Identifier: Apache-2.0
// Walks the steps of a section.
#ifndef CUVIL_LIB_RUNTIME_EXECUTOR_H
#define CUVIL_LIB_RUNTIME_EXECUTOR_H

#include "CallBinding.h"
#include "cuvil/Runtime/LoadedProgram.h"
#include "cuvil/Runtime/WorkerPool.h"
#include <mutex>

namespace cuvil {

/// What a run needs beside its context.
struct ExecutorHooks {
  unsigned threads = 1;
  const RunOptions *options = nullptr;
  CallBinding *binding = nullptr;       // null for init
  /// Memory of a persistent buffer (init only); null = no memory.
  std::function<void *(uint32_t buffer, int64_t bytes)> persistent;
  /// Serialises executables that cannot run concurrently, by step id.
  std::mutex *invokeLocks = nullptr;
};

class Executor {
public:
  Executor(const Program &program, const ProgramImage &image,
           const SectionImage &section, Context &context,
           const ExecutorHooks &hooks)
      : program(program), image(image), section(section), c(context),
        hooks(hooks) {}

  Status run();

private:
  Status runBlocks();
  Status runStep(const StepImage &step);
  Status prepare(const StepImage &step);
  Status allocate(uint32_t buffer);
  Status call(const StepImage &step);
  Status copy(const StepImage &step);
  Status alias(const StepImage &step);
  Status bind(const StepImage &step);
  Status check(const StepImage &step);
  Status invoke(const StepImage &step);
  void assign(const StepImage &step);
  void finishStep(const StepImage &step);
  Status explainInvalid(const StepImage &step);
  bool wantsHelpers(const StepImage &step, int64_t tiles);
  Status readCondition(const StepImage &step, bool &out) const;
  Status checkCancelled() const;

  void enter(const StepImage &owner, int which) {
    c.frames.push_back({&image.blocks[owner.desc->blocks[which]], 0, &owner,
                        owner.desc->kind == CUVIL_STEP_WHILE && which == 0});
  }

  const Program &program;
  const ProgramImage &image;
  const SectionImage &section;
  Context &c;
  const ExecutorHooks &hooks;
  TeamLease team;
  bool askedForTeam = false;
};

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_EXECUTOR_H
