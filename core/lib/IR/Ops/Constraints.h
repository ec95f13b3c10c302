// SPDX-License-Identifier: Apache-2.0
// The checks that the constraints of many ops share.
#ifndef CUVIL_LIB_IR_OPS_CONSTRAINTS_H
#define CUVIL_LIB_IR_OPS_CONSTRAINTS_H

#include "cuvil/IR/CuvilOps.h"
#include "llvm/Support/FormatVariadic.h"

namespace cuvil {

/// Emits `<message> (<mnemonic>_<tag>)` at the op and fails.
llvm::LogicalResult emitViolation(mlir::Operation *op, llvm::StringRef tag,
                                  const llvm::Twine &message);

/// The same with a formatv pattern.
template <typename... Args>
llvm::LogicalResult violation(mlir::Operation *op, llvm::StringRef tag,
                              const char *pattern, Args &&...args) {
  return emitViolation(op, tag,
                       llvm::formatv(pattern, std::forward<Args>(args)...));
}

/// `[a, b]` for messages.
std::string str(llvm::ArrayRef<int64_t> values);
std::string str(llvm::ArrayRef<DimExpr> dims);

mlir::RankedTensorType getTensor(mlir::Value value);
mlir::Type getElement(mlir::Value value);
int64_t getRank(mlir::Value value);

/// 0 <= axis < rank.
llvm::LogicalResult checkAxis(mlir::Operation *op, llvm::StringRef tag,
                              int64_t axis, int64_t rank);
/// Every axis in [0, rank), none twice. `name` is the attribute.
llvm::LogicalResult checkAxes(mlir::Operation *op, llvm::StringRef tag,
                              llvm::StringRef name,
                              llvm::ArrayRef<int64_t> axes, int64_t rank);
/// An attribute list (or the like) of the expected length.
llvm::LogicalResult checkCount(mlir::Operation *op, llvm::StringRef tag,
                               llvm::StringRef name, int64_t got,
                               int64_t expected);
/// Every entry of an attribute list positive.
llvm::LogicalResult checkPositive(mlir::Operation *op, llvm::StringRef tag,
                                  llvm::StringRef name,
                                  llvm::ArrayRef<int64_t> values);
llvm::LogicalResult checkRank(mlir::Operation *op, llvm::StringRef tag,
                              llvm::StringRef name, mlir::Value value,
                              int64_t rank);
/// Two operands of one element type.
llvm::LogicalResult checkSameElement(mlir::Operation *op, llvm::StringRef tag,
                                     mlir::Value a, mlir::Value b);
/// Two dim lists of one length, equal pair by pair.
llvm::LogicalResult checkSameDims(mlir::Operation *op, DimContext &context,
                                  llvm::StringRef tag,
                                  llvm::ArrayRef<DimExpr> a,
                                  llvm::ArrayRef<DimExpr> b);
/// As checkSameDims, naming the operand whose dims are checked.
llvm::LogicalResult checkDims(mlir::Operation *op, DimContext &context,
                              llvm::StringRef tag, llvm::StringRef name,
                              mlir::Value value,
                              llvm::ArrayRef<DimExpr> expected);
/// Dims that the op makes: none below zero.
llvm::LogicalResult checkNotNegative(mlir::Operation *op, DimContext &context,
                                     llvm::StringRef tag, llvm::StringRef name,
                                     llvm::ArrayRef<DimExpr> dims);

/// Appends a result type. Fails with the tag `size` when a dim is negative or
/// overflows, or when the bytes of a static result exceed 2^63 - 1.
llvm::LogicalResult addResult(mlir::Operation *op,
                              llvm::SmallVectorImpl<mlir::Type> &types,
                              llvm::ArrayRef<DimExpr> dims, mlir::Type element);

/// Whether a type is one of the numeric (not bool) element types.
bool isNumeric(mlir::Type element);
bool isInteger(mlir::Type element);
bool isBool(mlir::Type element);

} // namespace cuvil

#endif // CUVIL_LIB_IR_OPS_CONSTRAINTS_H
