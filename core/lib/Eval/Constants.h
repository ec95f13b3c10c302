// SPDX-License-Identifier: Apache-2.0
// Constant attributes as host tensors and back.
#ifndef CUVIL_LIB_EVAL_CONSTANTS_H
#define CUVIL_LIB_EVAL_CONSTANTS_H

#include "cuvil/Eval/EvalTensor.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace cuvil::detail {

/// The tensor of a dense attribute or of `#cuvil.weight` (borrowed bytes).
llvm::FailureOr<EvalTensor> getConstantTensor(EvalContext &context,
                                              mlir::Attribute value);

/// A weight of the context's dialect, borrowed; fails for an unknown id.
llvm::FailureOr<EvalTensor> getStoredWeight(mlir::MLIRContext *context,
                                            int64_t id);

/// A tensor as a dense attribute of a static type.
mlir::DenseElementsAttr getDenseAttr(const EvalTensor &tensor,
                                     mlir::RankedTensorType type);

} // namespace cuvil::detail

#endif // CUVIL_LIB_EVAL_CONSTANTS_H
