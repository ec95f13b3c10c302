// SPDX-License-Identifier: Apache-2.0
// Splits the computation of a kernel into independent tiles.
#ifndef CUVIL_BACKEND_X86_TILEANDFUSE_H
#define CUVIL_BACKEND_X86_TILEANDFUSE_H

#include "cuvil/IR/DimExpr.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace cuvil::x86 {

/// Merges elementwise ops (on tensors) into their consumers where that does
/// not repeat work. `dropUnitDims` also drops dims of size 1, which changes
/// ranks and adds reshapes at the borders.
mlir::LogicalResult fuseElementwise(mlir::func::FuncOp function,
                                    bool dropUnitDims = true);

/// Rewrites what computes `output`, a tensor of size `dims`, as a loop over the
/// tiles [begin, end) (index values), each of which writes a part of it that no
/// other does. Returns the number of tiles; null, and changes nothing, where
/// tiles can't be formed without computing something several times.
DimExpr tileAndFuse(mlir::RewriterBase &rewriter, mlir::Value output,
                    llvm::ArrayRef<DimExpr> dims, mlir::Value begin,
                    mlir::Value end);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_TILEANDFUSE_H
