// SPDX-License-Identifier: Apache-2.0
// The cuvil dialect and the interface of its ops.
#ifndef CUVIL_IR_CUVILDIALECT_H
#define CUVIL_IR_CUVILDIALECT_H

#include "cuvil/IR/DimExpr.h"
#include "cuvil/IR/WeightStore.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"

namespace cuvil {
class EvalContext;
class EvalTensor;
namespace detail {
/// Infers the result types and compares them with the actual ones.
llvm::LogicalResult verifyCuvilOp(mlir::Operation *op);
} // namespace detail
} // namespace cuvil

#include "cuvil/IR/CuvilDialect.h.inc"
#include "cuvil/IR/CuvilInterfaces.h.inc"

#endif // CUVIL_IR_CUVILDIALECT_H
