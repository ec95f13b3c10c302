// SPDX-License-Identifier: Apache-2.0
// Constraints and values of the ops between sizes and values.
#include "Constraints.h"
#include "SmallValues.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Shape.cpp.inc"

LogicalResult ShapePackOp::inferTypes(DimContext &dims,
                                      SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> shape;
  if (!getScalar())
    shape.push_back(dims.constant(getDims().size()));
  else if (getDims().size() != 1)
    return violation(*this, "c1",
                     "scalar needs exactly one expression, got {0}",
                     getDims().size());
  return addResult(*this, types, shape, IntegerType::get(getContext(), 64));
}

LogicalResult ShapePackOp::inferValue(DimContext &,
                                      SmallVectorImpl<DimExpr> &elements) {
  return setSmallValue(getY(), getDims(), elements);
}

LogicalResult SymBindOp::inferTypes(DimContext &dims, SmallVectorImpl<Type> &) {
  SmallVector<DimExpr> shape = cuvil::getDims(getX());
  DimExpr count = product(dims.getContext(), shape);
  if (shape.size() > 1 || !count.isConstant(getSymbols().size()))
    return violation(*this, "c1",
                     "expected x of rank 0 or 1 with {0} elements as there are "
                     "symbols, got {1}",
                     getSymbols().size(), getX().getType());
  return success();
}

LogicalResult AssertOp::inferTypes(DimContext &, SmallVectorImpl<Type> &) {
  if (getLhs().size() == getRhs().size())
    return success();
  return violation(*this, "c1",
                   "expected as many left as right sides, got {0} "
                   "and {1}",
                   getLhs().size(), getRhs().size());
}

LogicalResult RefineOp::inferTypes(DimContext &dims,
                                   SmallVectorImpl<Type> &types) {
  if (failed(checkCount(*this, "c1", "shape", getShape().size(),
                        getRank(getX()))) ||
      failed(
          checkSameDims(*this, dims, "c1", cuvil::getDims(getX()), getShape())))
    return failure();
  return addResult(*this, types, getShape(), getElement(getX()));
}

LogicalResult RefineOp::inferValue(DimContext &dims,
                                   SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> x = getSmallValue(dims, getX());
  if (failed(x))
    return failure();
  return setSmallValue(getY(), *x, elements);
}
