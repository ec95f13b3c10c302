// SPDX-License-Identifier: Apache-2.0
// Loads vectors of every n-th element of a row, with zeros outside the row.
#ifndef CUVIL_BACKEND_X86_STRIDEDROWS_H
#define CUVIL_BACKEND_X86_STRIDEDROWS_H

#include "KernelBuilder.h"

#include "llvm/ADT/SmallVector.h"

namespace cuvil::x86 {

/// Reads W elements at positions first, first + stride, ... of rows that share
/// a width. Positions outside [0, width) give zero and are not read. The masks
/// are computed once and serve many rows.
class StridedReader {
public:
  StridedReader(KernelBuilder &kb, mlir::Value first, mlir::Value width,
                int64_t stride);

  /// Restricts the reader to nothing where `valid` (i1) is false.
  StridedReader onlyIf(mlir::Value valid) const;

  /// A reader for places where every position that it touches is inside. For
  /// stride 2 these are two whole vectors.
  StridedReader unmasked() const;

  /// `row` points at position 0.
  mlir::Value load(mlir::Value row) const;

private:
  KernelBuilder *kb;
  mlir::Value first;
  int64_t stride;
  /// One mask per vector read; for strides above 2, per element taken. Null
  /// where everything is read.
  llvm::SmallVector<mlir::Value> masks;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_STRIDEDROWS_H
