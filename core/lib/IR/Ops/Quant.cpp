// SPDX-License-Identifier: Apache-2.0
// Constraints and result dims of quantisation.
#include "Constraints.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Quant.cpp.inc"

/// (c2) and (c3), the same both ways.
template <typename QuantLike>
static LogicalResult checkParameters(QuantLike op, DimContext &dims) {
  auto zero = dyn_cast<IntegerType>(getElement(op.getZeroPoint()));
  if (!zero || (zero.getWidth() != 8 && zero.getWidth() != 16))
    return violation(op, "c2",
                     "expected zero_point of an 8 or 16 bit integer "
                     "type, got {0}",
                     op.getZeroPoint().getType());
  SmallVector<DimExpr> scale = getDims(op.getScale());
  if (failed(checkDims(op, dims, "c2", "zero_point", op.getZeroPoint(), scale)))
    return failure();
  if (scale.size() > 1)
    return violation(op, "c3", "expected scale of rank 0 or 1, got {0}",
                     op.getScale().getType());
  bool perAxis = scale.size() == 1;
  if (perAxis != op.getAxis().has_value())
    return violation(op, "c3", "scale of rank {0} {1} axis", scale.size(),
                     perAxis ? "needs" : "takes no");
  if (!perAxis)
    return success();
  int64_t axis = *op.getAxis();
  if (failed(checkAxis(op, "c3", axis, getRank(op.getX()))))
    return failure();
  return checkDims(op, dims, "c3", "scale", op.getScale(),
                   getDims(op.getX())[axis]);
}

LogicalResult QuantizeOp::inferTypes(DimContext &dims,
                                     SmallVectorImpl<Type> &types) {
  if (failed(checkSameElement(*this, "c1", getX(), getScale())) ||
      failed(checkParameters(*this, dims)))
    return failure();
  return addResult(*this, types, getDims(getX()), getElement(getZeroPoint()));
}

LogicalResult DequantizeOp::inferTypes(DimContext &dims,
                                       SmallVectorImpl<Type> &types) {
  if (!isInteger(getElement(getX())))
    return violation(*this, "c1", "expected x of an integer type, got {0}",
                     getX().getType());
  if (failed(checkSameElement(*this, "c1", getX(), getZeroPoint())) ||
      failed(checkParameters(*this, dims)))
    return failure();
  return addResult(*this, types, getDims(getX()), getElement(getScale()));
}
