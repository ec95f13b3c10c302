// SPDX-License-Identifier: Apache-2.0
// Help for `inferValue`: integer tensors whose elements are expressions.
#include "SmallValues.h"

using namespace mlir;
using namespace cuvil;

std::optional<int64_t> cuvil::getSmallSize(Value tensor) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || type.getRank() > 1 || !type.hasStaticShape() ||
      !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  int64_t size = type.getRank() ? type.getDimSize(0) : 1;
  if (size > maxValueElements)
    return std::nullopt;
  return size;
}

FailureOr<SmallVector<DimExpr>> cuvil::getSmallValue(DimContext &dims,
                                                     Value tensor) {
  std::optional<int64_t> size = getSmallSize(tensor);
  if (!size)
    return failure();
  FailureOr<SmallVector<DimExpr>> value = dims.getValue(tensor);
  if (failed(value) || int64_t(value->size()) != *size)
    return failure();
  return value;
}

bool cuvil::fitsElement(DimExpr value, Type element) {
  auto type = cast<IntegerType>(element);
  bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
  unsigned bits = type.getWidth();
  std::optional<int64_t> lower = value.getLowerBound();
  std::optional<int64_t> upper = value.getUpperBound();
  bool symbolic = false;
  value.walkSymbols([&](StringRef) { symbolic = true; });
  // A constant expression that did not fold has no value.
  if (!symbolic && !value.getConstant())
    return false;
  if (isUnsigned && (!lower || *lower < 0))
    return false;
  if (bits == 64 || (bits == 32 && symbolic))
    return true;
  unsigned magnitude = isUnsigned ? bits : bits - 1;
  int64_t limit = int64_t(1) << magnitude;
  return upper && *upper < limit && lower && (isUnsigned || *lower >= -limit);
}

LogicalResult cuvil::setSmallValue(Value result, ArrayRef<DimExpr> values,
                                   SmallVectorImpl<DimExpr> &elements) {
  std::optional<int64_t> size = getSmallSize(result);
  if (!size || *size != int64_t(values.size()))
    return failure();
  Type element = cast<RankedTensorType>(result.getType()).getElementType();
  for (DimExpr value : values)
    if (!fitsElement(value, element))
      return failure();
  elements.append(values.begin(), values.end());
  return success();
}
