// SPDX-License-Identifier: Apache-2.0
// Sizes, run-time checks and last uses of the ops of a function.
#include "InterpreterPlan.h"
#include "Operands.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

static llvm::LogicalResult fail(EvalError &error, mlir::Location where,
                                const std::string &message) {
  error = {CUVIL_UNSUPPORTED, message, where};
  return llvm::failure();
}

static llvm::FailureOr<TensorPlan>
getTensorPlan(mlir::Type type, mlir::Location where, EvalError &error) {
  TensorPlan plan;
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (tensor) {
    plan.dtype = getDtype(tensor.getElementType());
    plan.dims = getDims(tensor);
  }
  if (plan.dtype != CUVIL_DTYPE_NONE)
    return plan;
  std::string text;
  llvm::raw_string_ostream(text) << "can't evaluate values of type " << type;
  return fail(error, where, text);
}

/// What the shape function could not decide, the difference between the types
/// that it infers and the actual ones included.
static llvm::LogicalResult getChecks(CuvilOpInterface op,
                                     llvm::SmallVectorImpl<DimCheck> &checks) {
  DimContext dims(op->getContext());
  llvm::SmallVector<mlir::Type> types;
  if (failed(op.inferTypes(dims, types)) || types.size() != op->getNumResults())
    return llvm::failure();
  llvm::append_range(checks, dims.getChecks());
  for (auto [want, have] : llvm::zip_equal(types, op->getResultTypes())) {
    auto wanted = getDims(llvm::cast<mlir::RankedTensorType>(want));
    auto given = getDims(llvm::cast<mlir::RankedTensorType>(have));
    if (wanted.size() != given.size())
      return llvm::failure();
    for (auto [a, b] : llvm::zip_equal(wanted, given))
      if (a != b)
        checks.push_back({DimCheck::Equal, a, b});
  }
  return llvm::success();
}

llvm::LogicalResult InterpreterPlan::addOp(mlir::Operation &op,
                                           EvalError &error) {
  OpPlan plan;
  for (mlir::Type type : op.getResultTypes()) {
    auto result = getTensorPlan(type, op.getLoc(), error);
    if (failed(result))
      return llvm::failure();
    plan.results.push_back(std::move(*result));
  }
  if (auto kernel = llvm::dyn_cast<CuvilOpInterface>(op)) {
    plan.kernel = kernel;
    plan.operands = getOperandPositions(&op);
    if (failed(getChecks(kernel, plan.checks)))
      return fail(error, op.getLoc(),
                  op.getName().getStringRef().str() + " is not valid");
  } else if (auto invoke = llvm::dyn_cast<InvokeOp>(op)) {
    plan.callee =
        mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(
            &op, invoke.getCalleeAttr());
    if (!plan.callee || failed(add(plan.callee, error)))
      return plan.callee
                 ? llvm::failure()
                 : fail(error, op.getLoc(),
                        "there is no function @" + invoke.getCallee().str());
  } else if (!llvm::isa<IfOp, WhileOp, FusionOp, YieldOp, ConditionOp,
                        mlir::func::ReturnOp>(op)) {
    return fail(error, op.getLoc(),
                "can't evaluate " + op.getName().getStringRef().str());
  }
  for (mlir::Region &region : op.getRegions())
    for (mlir::Block &block : region)
      if (failed(addBlock(block, error)))
        return llvm::failure();
  ops[&op] = std::move(plan);
  return llvm::success();
}

llvm::LogicalResult InterpreterPlan::addBlock(mlir::Block &block,
                                              EvalError &error) {
  llvm::SmallVector<TensorPlan> types;
  for (mlir::BlockArgument argument : block.getArguments()) {
    auto type = getTensorPlan(argument.getType(), argument.getLoc(), error);
    if (failed(type))
      return llvm::failure();
    types.push_back(std::move(*type));
  }
  // Also ends the recursion of functions that invoke one another.
  arguments[&block] = std::move(types);
  if (block.empty() || !block.back().hasTrait<mlir::OpTrait::IsTerminator>())
    return fail(error, block.getParentOp()->getLoc(),
                "a region has no terminator");
  for (mlir::Operation &op : block)
    if (failed(addOp(op, error)))
      return llvm::failure();
  // From the end: the first reader met is the last one to run.
  llvm::DenseSet<mlir::Value> read;
  for (mlir::Operation &op : llvm::reverse(block)) {
    OpPlan &plan = ops[&op];
    for (mlir::Value result : op.getResults())
      if (!read.contains(result))
        plan.deaths.push_back(result);
    op.walk([&](mlir::Operation *inner) {
      for (mlir::Value operand : inner->getOperands())
        if (operand.getParentBlock() == &block && read.insert(operand).second)
          plan.deaths.push_back(operand);
    });
  }
  return llvm::success();
}

llvm::LogicalResult InterpreterPlan::add(mlir::func::FuncOp function,
                                         EvalError &error) {
  if (!function.getBody().hasOneBlock())
    return fail(error, function.getLoc(),
                "@" + function.getName().str() + " is not one block");
  mlir::Block &block = function.getBody().front();
  if (arguments.contains(&block))
    return llvm::success();
  return addBlock(block, error);
}
