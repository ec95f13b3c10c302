// SPDX-License-Identifier: Apache-2.0
// Constraints of control flow, regions and invocations.
#include "Constraints.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Control.cpp.inc"

/// Equal rank and element type; dims may differ, as sizes change over time.
static bool isSameKind(Type a, Type b) {
  auto x = dyn_cast<RankedTensorType>(a), y = dyn_cast<RankedTensorType>(b);
  return x && y && x.getRank() == y.getRank() &&
         x.getElementType() == y.getElementType();
}

/// Checks that the types of one side agree with those of the other.
static LogicalResult checkKinds(Operation *op, StringRef tag, StringRef name,
                                TypeRange got, TypeRange expected,
                                bool exact = false) {
  if (got.size() != expected.size())
    return violation(op, tag, "expected {0} {1}, got {2}", expected.size(),
                     name, got.size());
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(got, expected))) {
    auto [have, want] = pair;
    if (exact ? have != want : !isSameKind(have, want))
      return violation(op, tag, "{0} #{1} has type {2}, expected {3}{4}", name,
                       i, have, want, exact ? "" : " up to dims");
  }
  return success();
}

/// The terminator of a one-block region, if it is of the given op.
template <typename Terminator>
static FailureOr<Terminator> getEnd(Operation *op, StringRef tag,
                                    StringRef name, Region &region) {
  // Runs before the regions are verified, so they may be of any form.
  if (!region.empty() && !region.front().empty())
    if (auto end = dyn_cast<Terminator>(region.front().back()))
      return end;
  return violation(op, tag, "expected the {0} region to end in {1}", name,
                   Terminator::getOperationName());
}

/// A bool tensor of one element for sure.
static bool isOneElement(Value condition) {
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  return type &&
         llvm::all_of(type.getShape(), [](int64_t size) { return size == 1; });
}

LogicalResult IfOp::verify() {
  if (!isOneElement(getCondition()))
    return violation(*this, "c1",
                     "expected a condition of one element, got {0}",
                     getCondition().getType());
  for (auto [name, region] :
       {std::pair<StringRef, Region *>("then", &getThenRegion()),
        {"else", &getElseRegion()}}) {
    FailureOr<YieldOp> end = getEnd<YieldOp>(*this, "c2", name, *region);
    if (failed(end) ||
        failed(checkKinds(*this, "c2", "yielded values",
                          (*end)->getOperandTypes(), getResultTypes())))
      return failure();
  }
  return success();
}

LogicalResult WhileOp::verify() {
  TypeRange carried = getCarried().getTypes();
  if (failed(checkKinds(*this, "c1", "condition region arguments",
                        getConditionRegion().getArgumentTypes(), carried)))
    return failure();
  FailureOr<ConditionOp> go =
      getEnd<ConditionOp>(*this, "c2", "condition", getConditionRegion());
  if (failed(go))
    return failure();
  if ((*go)->getNumOperands() == 0 || !isOneElement((*go)->getOperand(0)))
    return violation(*this, "c2", "expected a condition of one element");
  TypeRange passed = TypeRange((*go)->getOperandTypes()).drop_front();
  if (failed(checkKinds(*this, "c2", "results", getResultTypes(), passed)) ||
      failed(checkKinds(*this, "c1", "body region arguments",
                        getBodyRegion().getArgumentTypes(), passed)))
    return failure();
  FailureOr<YieldOp> next =
      getEnd<YieldOp>(*this, "c2", "body", getBodyRegion());
  if (failed(next))
    return failure();
  return checkKinds(*this, "c2", "yielded values", (*next)->getOperandTypes(),
                    carried);
}

LogicalResult FusionOp::verify() {
  if (failed(checkKinds(*this, "c1", "region arguments",
                        getBody().getArgumentTypes(), getOperandTypes(),
                        /*exact=*/true)))
    return failure();
  FailureOr<YieldOp> end = getEnd<YieldOp>(*this, "c2", "body", getBody());
  if (failed(end) || failed(checkKinds(*this, "c2", "yielded values",
                                       (*end)->getOperandTypes(),
                                       getResultTypes(), /*exact=*/true)))
    return failure();
  for (Operation &inner : getBody().front())
    if (inner.getNumRegions() != 0 || isa<InvokeOp, CallOpInterface>(inner))
      return violation(*this, "c3", "expected no control flow inside, got {0}",
                       inner.getName().getStringRef());
  return success();
}

LogicalResult InvokeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto callee = symbols.lookupNearestSymbolFrom<FunctionOpInterface>(
      *this, getCalleeAttr());
  if (!callee)
    return violation(*this, "c1", "expected a function named {0}", getCallee());
  auto arguments = callee.getArgumentTypes();
  auto results = callee.getResultTypes();
  if (failed(checkKinds(*this, "c1", "operands", getOperandTypes(), arguments)))
    return failure();
  return checkKinds(*this, "c1", "results", getResultTypes(), results);
}
