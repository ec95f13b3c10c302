// SPDX-License-Identifier: Apache-2.0
// Dimension expressions as arith ops.
#ifndef CUVIL_CONVERSION_DIMARITH_H
#define CUVIL_CONVERSION_DIMARITH_H

#include "cuvil/Conversion/CuvilToLinalg.h"

namespace cuvil {

/// Emits the arith ops that compute `expr` as an index; `symbol` gives the
/// value of a symbol, or null when it is unknown, and then the result is null.
/// A division by zero gives some value but never traps.
mlir::Value
expandDimExpr(mlir::OpBuilder &builder, mlir::Location loc, DimExpr expr,
              llvm::function_ref<mlir::Value(llvm::StringRef)> symbol);

} // namespace cuvil

#endif // CUVIL_CONVERSION_DIMARITH_H
