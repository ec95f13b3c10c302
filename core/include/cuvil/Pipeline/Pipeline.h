// SPDX-License-Identifier: Apache-2.0
// The stages of a compilation, in order, and what runs in each.
#ifndef CUVIL_PIPELINE_PIPELINE_H
#define CUVIL_PIPELINE_PIPELINE_H

#include "cuvil/Graph/Graph.h"
#include "mlir/Pass/PassManager.h"

namespace cuvil {

/// Names of the stages in the order they run; public attachment points.
llvm::ArrayRef<llvm::StringRef> getStageNames();

/// What the caller chose.
struct PipelineOptions {
  /// False: one op per region and nothing folded.
  bool fusion = true;
  /// A device that cannot take an op is an error.
  bool strict = false;
  /// Passed on to backends.
  llvm::SmallVector<std::pair<std::string, std::string>> backend;
};

/// Adds the passes of one stage.
void buildStage(llvm::StringRef stage, mlir::OpPassManager &manager,
                const PipelineOptions &options);

/// Runs the pipeline on a module; the `compile` of cuvil_compiler_api.
cuvil_status *compileIr(cuvil_ir *ir, const cuvil_target *targets, size_t numTargets,
                        const cuvil_options *options, cuvil_progress_fn progress,
                        void *progressState, cuvil_program **program, char **report);

} // namespace cuvil

#endif // CUVIL_PIPELINE_PIPELINE_H
