// SPDX-License-Identifier: Apache-2.0
// From a program to a compiled model.
#ifndef CUVIL_LIB_CAPI_COMPILE_H
#define CUVIL_LIB_CAPI_COMPILE_H

#include "CompiledModel.h"
#include "Options.h"

namespace cuvil {

/// What the compiler library made of a model.
struct CompileOutput {
  std::unique_ptr<Program> program;
  std::string report; // JSON
};

/// Compiles an IR for a device string.
StatusOr<CompileOutput> compileIr(cuvil_ir *ir, const std::string &device,
                                  const CompileOptions &options,
                                  cuvil_progress_fn progress, void *state);

/// Loads a program and completes its report. `cache` says where it came from.
StatusOr<std::shared_ptr<CompiledModel>>
makeModel(CompileOutput compiled, const CompileOptions &options,
          const std::string &cache);

} // namespace cuvil

#endif // CUVIL_LIB_CAPI_COMPILE_H
