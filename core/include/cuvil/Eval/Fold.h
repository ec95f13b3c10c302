// SPDX-License-Identifier: Apache-2.0
// Compile-time evaluation of one op.
#ifndef CUVIL_EVAL_FOLD_H
#define CUVIL_EVAL_FOLD_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace cuvil {

/// The result of an op without side effects whose operands are all made by
/// cuvil.constant, with one result of static type; fails, without a
/// diagnostic, when it is none or when the evaluation fails (an index out of
/// range, say: that error belongs to the running program). The caller decides
/// how large a result is worth it.
llvm::FailureOr<mlir::DenseElementsAttr> foldConstant(mlir::Operation *op);

} // namespace cuvil

#endif // CUVIL_EVAL_FOLD_H
