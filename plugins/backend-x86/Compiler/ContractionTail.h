// SPDX-License-Identifier: Apache-2.0
// What a region does with the result of its contraction, on vectors.
#ifndef CUVIL_BACKEND_X86_CONTRACTIONTAIL_H
#define CUVIL_BACKEND_X86_CONTRACTIONTAIL_H

#include "KernelFrame.h"
#include "Nanokernel.h"

#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/OwningOpRef.h"

namespace cuvil::x86 {

/// A size as i64: a constant that the builder folds, or one of args->sizes.
mlir::Value sizeValue(KernelFrame &frame, KernelBuilder &kb, DimExpr expr);

/// How many of a result's leading dims make up a kernel's batch and row
/// coordinates; the rest are its columns.
struct ResultSplit {
  unsigned batchDims, rowDims;
};

/// The pointwise ops after a contraction as the body of one linalg op, cloned
/// with vector types wherever a tile of results is finished.
class ContractionTail {
public:
  /// Null when the tail can't run on vectors of results: something in it is
  /// not pointwise in the contraction's dims or of another element type.
  /// `inputs[i]` is the region's operand that the i-th argument stands for.
  static std::optional<ContractionTail> build(FusionOp region,
                                              mlir::Operation *anchor,
                                              ResultSplit split);

  /// True when there is nothing to do.
  bool isEmpty() const { return !body; }
  /// Worth a loop over rows instead of a copy per accumulator.
  bool isLong() const;
  /// Loads the tail's operands from the kernel's buffers at each point.
  EpilogueFn makeEpilogue(KernelFrame &frame, KernelBuilder &kb) const;

private:
  /// One argument of the body.
  struct Operand {
    /// Number of the region's operand; -1 for the contraction's result.
    int input = -1;
    bool hasBatch = false, hasRow = false, hasCol = false;
    /// Elements from one row (batch entry) to the next.
    DimExpr rowStride, batchStride;
  };

  /// Owns the body.
  std::shared_ptr<mlir::OwningOpRef<mlir::ModuleOp>> module;
  mlir::Block *body = nullptr;
  llvm::SmallVector<Operand> operands;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_CONTRACTIONTAIL_H
