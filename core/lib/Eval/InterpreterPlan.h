// SPDX-License-Identifier: Apache-2.0
// What the interpreter works out about a function once, before any run.
#ifndef CUVIL_LIB_EVAL_INTERPRETERPLAN_H
#define CUVIL_LIB_EVAL_INTERPRETERPLAN_H

#include "cuvil/Eval/Interpreter.h"
#include "cuvil/IR/CuvilDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

namespace cuvil::detail {

/// The element type and dims of one tensor type.
struct TensorPlan {
  cuvil_dtype dtype = CUVIL_DTYPE_NONE;
  llvm::SmallVector<DimExpr> dims;
};

struct OpPlan {
  /// Null for ops that the interpreter runs itself.
  CuvilOpInterface kernel;
  llvm::SmallVector<int> operands; ///< See getOperandPositions.
  llvm::SmallVector<TensorPlan> results;
  llvm::SmallVector<DimCheck> checks;
  /// Values that nobody reads after this op.
  llvm::SmallVector<mlir::Value> deaths;
  mlir::func::FuncOp callee; ///< Of an invoke.
};

struct InterpreterPlan {
  mlir::func::FuncOp entry;
  llvm::DenseMap<mlir::Operation *, OpPlan> ops;
  /// Types of function and region arguments.
  llvm::DenseMap<mlir::Block *, llvm::SmallVector<TensorPlan>> arguments;

  /// Adds a function and what it invokes.
  llvm::LogicalResult add(mlir::func::FuncOp function, EvalError &error);

private:
  llvm::LogicalResult addBlock(mlir::Block &block, EvalError &error);
  llvm::LogicalResult addOp(mlir::Operation &op, EvalError &error);
};

} // namespace cuvil::detail

#endif // CUVIL_LIB_EVAL_INTERPRETERPLAN_H
