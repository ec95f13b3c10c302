// SPDX-License-Identifier: Apache-2.0
// Compiles a fusion region to one kernel by way of linalg.
#ifndef CUVIL_BACKEND_X86_REGIONKERNEL_H
#define CUVIL_BACKEND_X86_REGIONKERNEL_H

#include "CpuTarget.h"

#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace cuvil::x86 {

/// A kernel and what a launch of it needs. Its buffers are the region's inputs,
/// then its outputs.
struct RegionKernel {
  /// In the dialects that `lowerToLLVMDialect` takes.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  llvm::SmallVector<DimExpr> sizes;
  DimExpr tiles;
  /// Null where none is needed.
  DimExpr scratch;
};

/// Registers the dialects and interfaces that the functions below use.
void registerRegionDialects(mlir::DialectRegistry &registry);

/// The region as a function on plain tensors in `module`; sizes and traps are
/// calls that a kernel's frame replaces.
mlir::FailureOr<mlir::func::FuncOp> convertRegion(FusionOp region,
                                                  mlir::ModuleOp module);
/// Canonicalises and removes common subexpressions.
llvm::LogicalResult simplifyRegion(mlir::ModuleOp module);

/// Builds the kernel of any region. On failure has emitted an error at the op.
mlir::FailureOr<RegionKernel> buildRegionKernel(FusionOp region,
                                                llvm::StringRef name,
                                                const CpuTarget &target);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_REGIONKERNEL_H
