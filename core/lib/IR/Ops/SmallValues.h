// SPDX-License-Identifier: Apache-2.0
// Help for `inferValue`: integer tensors whose elements are expressions.
#ifndef CUVIL_LIB_IR_OPS_SMALLVALUES_H
#define CUVIL_LIB_IR_OPS_SMALLVALUES_H

#include "cuvil/IR/CuvilOps.h"

namespace cuvil {

/// Larger tensors are data, not sizes.
inline constexpr int64_t maxValueElements = 256;

/// The element count of a static integer or bool tensor of rank 0 or 1 with
/// at most maxValueElements elements; nullopt for any other.
std::optional<int64_t> getSmallSize(mlir::Value tensor);

/// The elements of such an operand, as many as its type says.
llvm::FailureOr<llvm::SmallVector<DimExpr>> getSmallValue(DimContext &dims,
                                                          mlir::Value tensor);

/// Whether every value of the expression is one of the element type, so that
/// wrapping can't occur. 32-bit symbolic values are taken to fit: what is too
/// large for them fails as a size first.
bool fitsElement(DimExpr value, mlir::Type element);

/// Appends the values if they are as many as `result` holds and all fit.
llvm::LogicalResult setSmallValue(mlir::Value result,
                                  llvm::ArrayRef<DimExpr> values,
                                  llvm::SmallVectorImpl<DimExpr> &elements);

} // namespace cuvil

#endif // CUVIL_LIB_IR_OPS_SMALLVALUES_H
