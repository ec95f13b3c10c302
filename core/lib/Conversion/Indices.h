// SPDX-License-Identifier: Apache-2.0
// Run-time indices: negative ones, and those that are out of range.
#ifndef CUVIL_LIB_CONVERSION_INDICES_H
#define CUVIL_LIB_CONVERSION_INDICES_H

#include "Support.h"

namespace cuvil::lowering {

/// An index counted from the front, and whether it is in [0, size) (an i1).
struct Position {
  mlir::Value position, inside;
};
Position resolveIndex(Builder &b, mlir::Value raw, mlir::Value size);

/// Traps when an element of `indices` (with `dims`) is out of range. With
/// several sizes, size i is that of column i of the last axis.
void checkIndices(Builder &b, LoweringContext &lowering, mlir::Value indices,
                  llvm::ArrayRef<DimExpr> dims,
                  llvm::ArrayRef<mlir::Value> sizes);

} // namespace cuvil::lowering

#endif // CUVIL_LIB_CONVERSION_INDICES_H
