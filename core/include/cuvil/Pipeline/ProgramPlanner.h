// SPDX-License-Identifier: Apache-2.0
// Turns a function of fusion regions and control flow into a step program.
#ifndef CUVIL_PIPELINE_PROGRAMPLANNER_H
#define CUVIL_PIPELINE_PROGRAMPLANNER_H

#include "cuvil/IR/CuvilOps.h"
#include "cuvil/plugin.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include <string>

namespace cuvil {

/// A buffer a planned call touches, relative to its region.
struct BufferRef {
  enum Kind { Input, Output, Extra } kind;
  unsigned index;
};

/// A buffer of the region's own: `persistent` ones are written by init calls
/// (packed weights), the others live within one call of the program.
struct ExtraBuffer {
  mlir::Type element;
  llvm::SmallVector<DimExpr> dims;
  bool persistent = false;
};

/// One kernel launch.
struct PlannedCall {
  /// Name of the kernel in the library that the provider emits.
  std::string kernel;
  /// In the order of cuvil_kernel_args.buffers, written ones last.
  llvm::SmallVector<BufferRef> buffers;
  unsigned numWrites = 1;
  /// cuvil_kernel_args.sizes.
  llvm::SmallVector<DimExpr> sizes;
  DimExpr tiles;
  /// Bytes per worker; null = none.
  DimExpr scratch;
  /// True: runs once per load, before anything else (its inputs must be
  /// constants or persistent).
  bool init = false;
  DimExpr flops, bytes;
};

/// How a backend runs one fusion region.
struct RegionPlan {
  llvm::SmallVector<ExtraBuffer> extras;
  llvm::SmallVector<PlannedCall> calls;
};

/// What a backend that uses step programs supplies.
class KernelProvider {
public:
  virtual ~KernelProvider() = default;
  /// Plans one region; on failure has emitted an error at the op.
  /// `constantInputs[i]` tells which operands are constants or persistent.
  virtual mlir::FailureOr<RegionPlan> plan(FusionOp region,
                                           llvm::ArrayRef<bool> constantInputs) = 0;
};

/// Builds the program of `function`, whose body holds only constants, fusion
/// regions, cuvil.if, cuvil.while, sym_bind, assert and (for the outer program)
/// invoke. Regions that only rename (reshape, refine) become aliases, regions
/// that depend on constants alone move to init. `executables` resolves
/// cuvil.invoke callees; empty for a backend's own program.
mlir::FailureOr<cuvil_program *>
planProgram(mlir::func::FuncOp function, KernelProvider &provider,
            llvm::function_ref<cuvil_executable *(llvm::StringRef callee)> executables = {});

} // namespace cuvil

#endif // CUVIL_PIPELINE_PROGRAMPLANNER_H
