// SPDX-License-Identifier: Apache-2.0
// How an op's operands map to the positions that its kernel expects.
#ifndef CUVIL_LIB_EVAL_OPERANDS_H
#define CUVIL_LIB_EVAL_OPERANDS_H

#include "mlir/IR/Operation.h"

namespace cuvil::detail {

/// Per position in ODS order the number of the operand there, or -1 for an
/// optional one that is absent. (A single optional operand comes last and is
/// just missing.)
llvm::SmallVector<int> getOperandPositions(mlir::Operation *op);

} // namespace cuvil::detail

#endif // CUVIL_LIB_EVAL_OPERANDS_H
