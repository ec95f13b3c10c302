// SPDX-License-Identifier: Apache-2.0
// Folding of ops whose operands are dense constants.
#ifndef CUVIL_EVAL_FOLD_H
#define CUVIL_EVAL_FOLD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace cuvil {

/// The value of a pure one-result op whose operands are all cuvil.constant ops
/// with dense values or weights and whose dims are static; fails (without a
/// diagnostic) where it is not one or its evaluation meets a run-time error.
llvm::FailureOr<mlir::DenseElementsAttr> foldConstant(mlir::Operation *op);

} // namespace cuvil

#endif // CUVIL_EVAL_FOLD_H
