// SPDX-License-Identifier: Apache-2.0
// Constraints, result dims and symbolic values of the data movement ops.
#include "Constraints.h"
#include "SmallValues.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Layout.cpp.inc"

/// The same elements in the same order: valid up to rank 1.
static LogicalResult forwardValue(DimContext &dims, Value x, Value result,
                                  SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> value = getSmallValue(dims, x);
  if (failed(value))
    return failure();
  return setSmallValue(result, *value, elements);
}

//===----------------------------------------------------------------------===//
// constant, fill, iota
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferTypes(DimContext &,
                                     SmallVectorImpl<Type> &types) {
  // That the result has this type is checked like any inferred type.
  auto type = dyn_cast<RankedTensorType>(getValue().getType());
  if (!type || type.getEncoding() ||
      !isa<DenseElementsAttr, WeightAttr>(getValue()))
    return violation(*this, "c1",
                     "expected a dense tensor or a weight as value, got {0}",
                     getValue());
  return addResult(*this, types, getDims(type), type.getElementType());
}

LogicalResult ConstantOp::inferValue(DimContext &dims,
                                     SmallVectorImpl<DimExpr> &elements) {
  auto dense = dyn_cast<DenseIntElementsAttr>(getValue());
  if (!dense || !getSmallSize(getY()))
    return failure();
  auto type = cast<IntegerType>(dense.getElementType());
  bool isUnsigned = type.isUnsigned() || type.getWidth() == 1;
  SmallVector<DimExpr> values;
  for (APInt value : dense.getValues<APInt>()) {
    if (isUnsigned && value.getActiveBits() > 63)
      return failure();
    values.push_back(dims.constant(isUnsigned ? value.getZExtValue()
                                              : value.getSExtValue()));
  }
  return setSmallValue(getY(), values, elements);
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValueAttr(); }

LogicalResult FillOp::inferTypes(DimContext &dims,
                                 SmallVectorImpl<Type> &types) {
  if (failed(checkRank(*this, "c1", "x", getX(), 0)) ||
      failed(checkNotNegative(*this, dims, "c2", "shape", getShape())))
    return failure();
  return addResult(*this, types, getShape(), getElement(getX()));
}

LogicalResult FillOp::inferValue(DimContext &dims,
                                 SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> x = getSmallValue(dims, getX());
  std::optional<int64_t> size = getSmallSize(getY());
  if (failed(x) || !size || x->size() != 1)
    return failure();
  SmallVector<DimExpr> values(*size, x->front());
  return setSmallValue(getY(), values, elements);
}

LogicalResult IotaOp::inferTypes(DimContext &dims,
                                 SmallVectorImpl<Type> &types) {
  if (failed(checkAxis(*this, "c1", getAxis(), getShape().size())))
    return failure();
  if (!isNumeric(getTo()))
    return violation(*this, "c2", "expected a numeric element type, got {0}",
                     getTo());
  if (failed(checkNotNegative(*this, dims, "size", "shape", getShape())))
    return failure();
  return addResult(*this, types, getShape(), getTo());
}

LogicalResult IotaOp::inferValue(DimContext &dims,
                                 SmallVectorImpl<DimExpr> &elements) {
  std::optional<int64_t> size = getSmallSize(getY());
  if (!size)
    return failure();
  SmallVector<DimExpr> values;
  for (int64_t i = 0; i < *size; ++i)
    values.push_back(dims.constant(i));
  return setSmallValue(getY(), values, elements);
}

//===----------------------------------------------------------------------===//
// reshape, transpose, broadcast
//===----------------------------------------------------------------------===//

LogicalResult ReshapeOp::inferTypes(DimContext &dims,
                                    SmallVectorImpl<Type> &types) {
  DimExpr from = product(dims.getContext(), getDims(getX()));
  DimExpr to = product(dims.getContext(), getShape());
  if (failed(checkNotNegative(*this, dims, "size", "shape", getShape())))
    return failure();
  if (!dims.requireEqual(from, to))
    return violation(*this, "c1",
                     "expected {0} elements as in the operand, got {1} in {2}",
                     from.str(), to.str(), str(getShape()));
  return addResult(*this, types, getShape(), getElement(getX()));
}

LogicalResult ReshapeOp::inferValue(DimContext &dims,
                                    SmallVectorImpl<DimExpr> &elements) {
  return forwardValue(dims, getX(), getY(), elements);
}

LogicalResult TransposeOp::inferTypes(DimContext &,
                                      SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> from = getDims(getX()), to;
  if (failed(checkCount(*this, "c1", "perm", getPerm().size(), from.size())) ||
      failed(checkAxes(*this, "c1", "perm", getPerm(), from.size())))
    return failure();
  for (int64_t axis : getPerm())
    to.push_back(from[axis]);
  return addResult(*this, types, to, getElement(getX()));
}

LogicalResult TransposeOp::inferValue(DimContext &dims,
                                      SmallVectorImpl<DimExpr> &elements) {
  return forwardValue(dims, getX(), getY(), elements);
}

LogicalResult BroadcastOp::inferTypes(DimContext &dims,
                                      SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> from = getDims(getX());
  ArrayRef<int64_t> mapping = getMapping();
  if (failed(checkCount(*this, "c1", "mapping", mapping.size(), from.size())) ||
      failed(checkAxes(*this, "c1", "mapping", mapping, getShape().size())))
    return failure();
  if (!llvm::is_sorted(mapping))
    return violation(*this, "c1",
                     "expected strictly increasing mapping, got {0}",
                     str(mapping));
  if (failed(checkNotNegative(*this, dims, "size", "shape", getShape())))
    return failure();
  for (auto [dim, axis] : llvm::zip_equal(from, mapping))
    if (!dims.requireBcast(dim, getShape()[axis]))
      return violation(
          *this, "c2",
          "expected operand dim 1 or {0} for result axis {1}, got {2}",
          getShape()[axis].str(), axis, dim.str());
  return addResult(*this, types, getShape(), getElement(getX()));
}

LogicalResult BroadcastOp::inferValue(DimContext &dims,
                                      SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> x = getSmallValue(dims, getX());
  std::optional<int64_t> size = getSmallSize(getY());
  if (failed(x) || !size)
    return failure();
  if (x->size() == 1)
    x->assign(*size, DimExpr(x->front()));
  return setSmallValue(getY(), *x, elements);
}

//===----------------------------------------------------------------------===//
// slice, insert_slice, concat
//===----------------------------------------------------------------------===//

/// Requires the accesses `start + i * step` (0 <= i < size) inside [0, dim).
static LogicalResult checkAccess(Operation *op, DimContext &dims, StringRef tag,
                                 int64_t axis, DimExpr start, DimExpr size,
                                 int64_t step, DimExpr dim) {
  DimExpr zero = dims.constant(0);
  DimExpr last = start + (size - 1) * step;
  DimExpr least = step > 0 ? start : last, most = step > 0 ? last : start;
  // Nothing is touched on an empty axis, so its start is free.
  if (dims.requireLessEqual(zero, DimExpr::select(size, least, zero)) &&
      dims.requireLessEqual(DimExpr::select(size, most + 1, zero), dim))
    return success();
  return violation(op, tag, "indices {0} to {1} at axis {2} leave the dim {3}",
                   least.str(), most.str(), axis, dim.str());
}

LogicalResult SliceOp::inferTypes(DimContext &dims,
                                  SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> from = getDims(getX());
  int64_t rank = from.size();
  if (failed(checkCount(*this, "c1", "starts", getStarts().size(), rank)) ||
      failed(checkCount(*this, "c1", "sizes", getSizes().size(), rank)) ||
      failed(checkCount(*this, "c1", "steps", getSteps().size(), rank)))
    return failure();
  if (failed(checkNotNegative(*this, dims, "size", "sizes", getSizes())))
    return failure();
  if (llvm::is_contained(getSteps(), 0))
    return violation(*this, "c2", "expected steps other than zero, got {0}",
                     str(getSteps()));
  for (int64_t i = 0; i < rank; ++i)
    if (failed(checkAccess(*this, dims, "c3", i, getStarts()[i], getSizes()[i],
                           getSteps()[i], from[i])))
      return failure();
  return addResult(*this, types, getSizes(), getElement(getX()));
}

LogicalResult SliceOp::inferValue(DimContext &dims,
                                  SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> x = getSmallValue(dims, getX());
  std::optional<int64_t> size = getSmallSize(getY());
  if (failed(x) || !size)
    return failure();
  if (getStarts().empty())
    return setSmallValue(getY(), *x, elements);
  std::optional<int64_t> start = getStarts()[0].getConstant();
  if (!start)
    return failure();
  SmallVector<DimExpr> values;
  for (int64_t i = 0; i < *size; ++i) {
    int64_t index;
    if (__builtin_mul_overflow(i, getSteps()[0], &index) ||
        __builtin_add_overflow(*start, index, &index) || index < 0 ||
        index >= int64_t(x->size()))
      return failure();
    values.push_back((*x)[index]);
  }
  return setSmallValue(getY(), values, elements);
}

LogicalResult InsertSliceOp::inferTypes(DimContext &dims,
                                        SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> whole = getDims(getX()), part = getDims(getPart());
  int64_t rank = whole.size();
  if (failed(checkSameElement(*this, "c1", getX(), getPart())) ||
      failed(checkRank(*this, "c1", "part", getPart(), rank)) ||
      failed(checkCount(*this, "c1", "starts", getStarts().size(), rank)) ||
      failed(checkCount(*this, "c1", "steps", getSteps().size(), rank)) ||
      failed(checkPositive(*this, "c2", "steps", getSteps())))
    return failure();
  for (int64_t i = 0; i < rank; ++i)
    if (failed(checkAccess(*this, dims, "c3", i, getStarts()[i], part[i],
                           getSteps()[i], whole[i])))
      return failure();
  return addResult(*this, types, whole, getElement(getX()));
}

LogicalResult ConcatOp::inferTypes(DimContext &dims,
                                   SmallVectorImpl<Type> &types) {
  if (getInputs().empty())
    return violation(*this, "c1", "expected at least one operand, got none");
  Value first = getInputs().front();
  if (failed(checkAxis(*this, "c1", getAxis(), getRank(first))))
    return failure();
  SmallVector<DimExpr> shape = getDims(first);
  DimExpr sum = shape[getAxis()];
  for (auto [i, input] : llvm::drop_begin(llvm::enumerate(getInputs()))) {
    if (failed(checkSameElement(*this, "c2", first, input)))
      return failure();
    if (getRank(input) != getRank(first))
      return violation(*this, "c2",
                       "expected rank {0}, got operand #{1} of {2}",
                       getRank(first), i, input.getType());
    SmallVector<DimExpr> other = getDims(input);
    sum = sum + other[getAxis()];
    other[getAxis()] = shape[getAxis()];
    if (failed(checkSameDims(*this, dims, "c3", shape, other)))
      return failure();
  }
  shape[getAxis()] = sum;
  return addResult(*this, types, shape, getElement(first));
}

LogicalResult ConcatOp::inferValue(DimContext &dims,
                                   SmallVectorImpl<DimExpr> &elements) {
  SmallVector<DimExpr> values;
  for (Value input : getInputs()) {
    FailureOr<SmallVector<DimExpr>> part = getSmallValue(dims, input);
    if (failed(part))
      return failure();
    values.append(*part);
  }
  return setSmallValue(getY(), values, elements);
}

//===----------------------------------------------------------------------===//
// pad, reverse
//===----------------------------------------------------------------------===//

LogicalResult PadOp::inferTypes(DimContext &dims,
                                SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> shape = getDims(getX());
  int64_t rank = shape.size();
  if (failed(checkCount(*this, "c1", "low", getLow().size(), rank)) ||
      failed(checkCount(*this, "c1", "high", getHigh().size(), rank)))
    return failure();
  Type element = getElement(getX());
  bool isConstant = getMode() == "constant";
  if (isConstant != bool(getValue()))
    return violation(*this, "c2", "mode {0} {1} value operand", getMode(),
                     isConstant ? "needs a" : "takes no");
  if (isConstant &&
      (getRank(getValue()) != 0 || getElement(getValue()) != element))
    return violation(*this, "c2", "expected value of type tensor<{0}>, got {1}",
                     element, getValue().getType());
  for (auto [dim, low, high] : llvm::zip_equal(shape, getLow(), getHigh())) {
    DimExpr padded = dim + low + high;
    // The other modes repeat elements, of which there must be one.
    if (!isConstant &&
        !dims.requireLessEqual(padded.min(dims.constant(1)), dim))
      return violation(*this, "size", "mode {0} can't pad an axis of size {1}",
                       getMode(), dim.str());
    dim = padded;
  }
  if (failed(checkNotNegative(*this, dims, "size", "result dims", shape)))
    return failure();
  return addResult(*this, types, shape, element);
}

LogicalResult ReverseOp::inferTypes(DimContext &,
                                    SmallVectorImpl<Type> &types) {
  if (failed(checkAxes(*this, "c1", "axes", getAxes(), getRank(getX()))))
    return failure();
  return addResult(*this, types, getDims(getX()), getElement(getX()));
}
