// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the ops between sizes and values.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

llvm::LogicalResult ShapePackOp::eval(EvalContext &context, Inputs inputs,
                                      Outputs outputs) {
  auto values = context.evaluate(getDims());
  if (failed(values))
    return llvm::failure();
  outputs[0]->setI64(*values);
  return llvm::success();
}

llvm::LogicalResult SymBindOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  std::vector<int64_t> values = inputs[0]->toI64();
  if (values.size() != getSymbols().size())
    return context.fail(CUVIL_INVALID_ARGUMENT,
                        std::to_string(getSymbols().size()) +
                            " symbols are bound to a tensor of dims " +
                            toString(inputs[0]->getDims()));
  for (auto [symbol, value] : llvm::zip_equal(getSymbols(), values))
    context.bind(llvm::cast<mlir::StringAttr>(symbol).getValue(), value);
  return llvm::success();
}

llvm::LogicalResult AssertOp::eval(EvalContext &context, Inputs inputs,
                                   Outputs outputs) {
  auto lhs = context.evaluate(getLhs()), rhs = context.evaluate(getRhs());
  if (failed(lhs) || failed(rhs))
    return llvm::failure();
  llvm::StringRef relation = getRelation();
  for (auto [a, b] : llvm::zip_equal(*lhs, *rhs)) {
    bool holds = relation == "eq"   ? a == b
                 : relation == "le" ? a <= b
                 : relation == "lt" ? a < b
                                    : a == 1 || a == b;
    if (!holds)
      return context.fail(CUVIL_INVALID_ARGUMENT,
                          getMessage().str() + " (" + std::to_string(a) +
                              " and " + std::to_string(b) + ")");
  }
  return llvm::success();
}

llvm::LogicalResult RefineOp::eval(EvalContext &context, Inputs inputs,
                                   Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  if (failed(requireDims(context, x.getDims(), outputs[0]->getDims(), "x")))
    return llvm::failure();
  *outputs[0] = x;
  return llvm::success();
}
