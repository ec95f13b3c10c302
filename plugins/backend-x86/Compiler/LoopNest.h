// SPDX-License-Identifier: Apache-2.0
// What a linalg op does, as loops over linearly addressed operands.
#ifndef CUVIL_BACKEND_X86_LOOPNEST_H
#define CUVIL_BACKEND_X86_LOOPNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cuvil::x86 {

/// Sums and products of sizes that fold where both sides are known.
mlir::OpFoldResult addSizes(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::OpFoldResult x, mlir::OpFoldResult y);
mlir::OpFoldResult mulSizes(mlir::OpBuilder &b, mlir::Location loc,
                            mlir::OpFoldResult x, mlir::OpFoldResult y);

/// The type an element has in memory: bool takes a byte.
mlir::Type storageType(mlir::Type element);

struct NestLoop {
  mlir::OpFoldResult size;
  bool reduction = false;
};

/// One operand of the op. A memref's element at some point of the nest lies at
/// pointer + sum(strides[loop] * iv[loop]) + sum(rest), in elements.
struct NestAccess {
  /// The operand itself where it is a scalar.
  mlir::Value scalar;
  bool isInit = false;
  mlir::Type element;
  mlir::Value pointer;
  llvm::SmallVector<mlir::OpFoldResult> strides;
  /// Parts of the address that are not linear in the op's dims.
  llvm::SmallVector<std::pair<mlir::AffineExpr, mlir::OpFoldResult>> rest;

  bool isMemref() const { return pointer != nullptr; }
  /// The constant of `strides`, where it is one.
  std::optional<int64_t> strideAlong(unsigned loop) const;
};

/// The loops and operands of a generic op. Loops of size 1 are dropped, and
/// neighbours that every operand runs through as one are merged.
class LoopNest {
public:
  /// Emits what computes sizes and addresses before `op`.
  LoopNest(mlir::OpBuilder &b, mlir::linalg::GenericOp op);

  mlir::Block &body() const { return *block; }
  bool hasReduction() const;

  /// The value of a dim of the op, given those of the loops.
  mlir::Value dimValue(mlir::OpBuilder &b, unsigned dim,
                       llvm::ArrayRef<mlir::Value> ivs) const;
  /// The address of an access.
  mlir::Value address(mlir::OpBuilder &b, const NestAccess &access,
                      llvm::ArrayRef<mlir::Value> ivs) const;
  /// Whether the address depends on a loop in another way than by `strides`.
  bool irregularAlong(const NestAccess &access, unsigned loop) const;
  /// The loop that runs through a dim; -1 where the dim's size is 1.
  int loopOf(unsigned dim) const { return loopOfDim[dim]; }

  llvm::SmallVector<NestLoop> loops;
  llvm::SmallVector<NestAccess> accesses;

private:
  void addAccess(mlir::OpBuilder &b, mlir::OpOperand &operand);
  void mergeLoops();

  mlir::linalg::GenericOp op;
  mlir::Block *block;
  mlir::Location loc;
  llvm::SmallVector<int> loopOfDim;
  /// Dims whose own value is needed: their loops stay as they are.
  llvm::SmallVector<bool> pinned;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_LOOPNEST_H
