// SPDX-License-Identifier: Apache-2.0
// Compile-time evaluation of one op by its reference kernel.
#include "cuvil/Eval/Fold.h"
#include "Constants.h"
#include "Operands.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;

namespace {
/// Knows weights but no symbols, and keeps no errors.
class FoldContext : public EvalContext {
public:
  explicit FoldContext(mlir::MLIRContext *context) : context(context) {}
  using EvalContext::evaluate;
  llvm::FailureOr<int64_t> evaluate(DimExpr expr) override {
    if (std::optional<int64_t> value = expr.getConstant())
      return *value;
    return llvm::failure();
  }
  void bind(llvm::StringRef, int64_t) override {}
  llvm::FailureOr<EvalTensor> getWeight(int64_t id) override {
    return detail::getStoredWeight(context, id);
  }
  llvm::LogicalResult fail(int32_t, const std::string &) override {
    return llvm::failure();
  }

private:
  mlir::MLIRContext *context;
};
} // namespace

llvm::FailureOr<mlir::DenseElementsAttr>
cuvil::foldConstant(mlir::Operation *op) {
  auto evaluable = llvm::dyn_cast<CuvilOpInterface>(op);
  if (!evaluable || op->getNumResults() != 1 || !mlir::isPure(op))
    return llvm::failure();
  auto type =
      llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return llvm::failure();
  FoldContext context(op->getContext());
  std::vector<EvalTensor> operands;
  for (mlir::Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<ConstantOp>();
    if (!constant)
      return llvm::failure();
    auto tensor = detail::getConstantTensor(context, constant.getValue());
    if (failed(tensor))
      return llvm::failure();
    operands.push_back(std::move(*tensor));
  }
  llvm::SmallVector<const EvalTensor *> inputs;
  for (int position : detail::getOperandPositions(op))
    inputs.push_back(position < 0 ? nullptr : &operands[position]);
  EvalTensor result(getDtype(type.getElementType()), type.getShape());
  EvalTensor *output = &result;
  if (failed(evaluable.eval(context, inputs, output)))
    return llvm::failure();
  return detail::getDenseAttr(result, type);
}
