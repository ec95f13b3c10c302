// SPDX-License-Identifier: Apache-2.0
// Constraints, result dims and symbolic values of reductions and sorts.
#include "Constraints.h"
#include "SmallValues.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Reduction.cpp.inc"

/// The dims left after the reduction of some axes.
static SmallVector<DimExpr> dropAxes(ArrayRef<DimExpr> dims,
                                     ArrayRef<int64_t> axes, bool keepdims) {
  SmallVector<DimExpr> result;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!llvm::is_contained(axes, int64_t(i)))
      result.push_back(dim);
    else if (keepdims)
      result.push_back(DimExpr::constant(dim.getContext(), 1));
  }
  return result;
}

static LogicalResult checkNumeric(Operation *op, StringRef tag, Value x) {
  if (isNumeric(getElement(x)))
    return success();
  return violation(op, tag, "expected a numeric element type, got {0}",
                   getElement(x));
}

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

LogicalResult ReduceOp::inferTypes(DimContext &, SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> x = getDims(getX());
  if (failed(checkAxes(*this, "c1", "axes", getAxes(), x.size())))
    return failure();
  Type element = getElement(getX());
  bool isBitwise = llvm::is_contained({"and", "or", "xor"}, getKind());
  if (isBitwise ? !isa<IntegerType>(element) : !isNumeric(element))
    return violation(*this, "c2", "kind {0} does not accept element type {1}",
                     getKind(), element);
  return addResult(*this, types, dropAxes(x, getAxes(), getKeepdims()),
                   element);
}

LogicalResult ReduceOp::inferValue(DimContext &dims,
                                   SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> x = getSmallValue(dims, getX());
  if (failed(x))
    return failure();
  if (getAxes().empty())
    return setSmallValue(getY(), *x, elements);
  StringRef kind = getKind();
  bool isLogical = isBool(getElement(getX()));
  DimExpr result;
  if (kind == "sum" || (kind == "or" && isLogical))
    result = dims.constant(0);
  else if (kind == "prod" || (kind == "and" && isLogical))
    result = dims.constant(1);
  else if ((kind == "max" || kind == "min") && !x->empty())
    result = x->front();
  else
    return failure();
  for (DimExpr value : *x) {
    if (kind == "sum")
      result = result + value;
    else if (kind == "prod")
      result = result * value;
    else if (kind == "max" || kind == "or")
      result = result.max(value);
    else
      result = result.min(value);
  }
  return setSmallValue(getY(), result, elements);
}

//===----------------------------------------------------------------------===//
// arg_reduce, cumulate, topk
//===----------------------------------------------------------------------===//

LogicalResult ArgReduceOp::inferTypes(DimContext &,
                                      SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> x = getDims(getX());
  if (failed(checkAxis(*this, "c1", getAxis(), x.size())) ||
      failed(checkNumeric(*this, "c2", getX())))
    return failure();
  return addResult(*this, types, dropAxes(x, int64_t(getAxis()), getKeepdims()),
                   IntegerType::get(getContext(), 64));
}

LogicalResult CumulateOp::inferTypes(DimContext &,
                                     SmallVectorImpl<Type> &types) {
  if (failed(checkAxis(*this, "c1", getAxis(), getRank(getX()))) ||
      failed(checkNumeric(*this, "c2", getX())))
    return failure();
  return addResult(*this, types, getDims(getX()), getElement(getX()));
}

LogicalResult TopKOp::inferTypes(DimContext &dims,
                                 SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> shape = getDims(getX());
  if (failed(checkAxis(*this, "c1", getAxis(), shape.size())) ||
      failed(checkCount(*this, "c2", "k", getK().size(), 1)) ||
      failed(checkNotNegative(*this, dims, "size", "k", getK())))
    return failure();
  DimExpr k = getK().front();
  if (!dims.requireLessEqual(k, shape[getAxis()]))
    return violation(*this, "c2", "expected k of at most {0}, got {1}",
                     shape[getAxis()].str(), k.str());
  if (failed(checkNumeric(*this, "c3", getX())))
    return failure();
  shape[getAxis()] = k;
  if (failed(addResult(*this, types, shape, getElement(getX()))))
    return failure();
  return addResult(*this, types, shape, IntegerType::get(getContext(), 64));
}
