// SPDX-License-Identifier: Apache-2.0
// Runs functions of Cuvil-IR on host tensors, op by op.
#ifndef CUVIL_EVAL_INTERPRETER_H
#define CUVIL_EVAL_INTERPRETER_H

#include "cuvil/Eval/EvalTensor.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace cuvil {

/// Why an evaluation ended: a CUVIL_* code, what happened and at which op.
struct EvalError {
  int32_t code = CUVIL_OK;
  std::string message;
  std::optional<mlir::Location> where;
};

namespace detail {
struct InterpreterPlan;
} // namespace detail

/// A function ready to run. Does not change the IR, which must outlive it.
/// Several threads may run one interpreter at once.
class Interpreter {
public:
  /// Analyses `entry` and what it invokes; null when an op in it can't be run.
  static std::unique_ptr<Interpreter> create(mlir::func::FuncOp entry,
                                             EvalError &error);
  ~Interpreter();

  /// Runs the function. Symbols are bound from the arguments' dims and, where
  /// those leave some open, from `resultDims` (may be empty) as the caller
  /// expects them.
  llvm::LogicalResult run(llvm::ArrayRef<EvalTensor> arguments,
                          llvm::ArrayRef<llvm::SmallVector<int64_t>> resultDims,
                          std::vector<EvalTensor> &results,
                          EvalError &error) const;

private:
  explicit Interpreter(std::unique_ptr<detail::InterpreterPlan> plan);
  std::unique_ptr<detail::InterpreterPlan> plan;
};

} // namespace cuvil

#endif // CUVIL_EVAL_INTERPRETER_H
