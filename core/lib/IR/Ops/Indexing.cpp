// SPDX-License-Identifier: Apache-2.0
// Constraints, result dims and symbolic values of the indexing ops.
#include "Constraints.h"
#include "SmallValues.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Indexing.cpp.inc"

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferTypes(DimContext &dims,
                                   SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> xDims = getDims(getX());
  SmallVector<DimExpr> indexDims = getDims(getIndices());
  ArrayRef<DimExpr> x = xDims, indices = indexDims;
  int64_t axis = getAxis(), batch = getBatchDims();
  if (failed(checkAxis(*this, "c1", axis, x.size())))
    return failure();
  if (batch < 0 || batch > std::min<int64_t>(axis, indices.size()))
    return violation(*this, "c2",
                     "expected 0 <= batch_dims <= {0} (the lesser of the axis "
                     "and the rank of indices), got {1}",
                     std::min<int64_t>(axis, indices.size()), batch);
  if (failed(checkSameDims(*this, dims, "c3", x.take_front(batch),
                           indices.take_front(batch))))
    return failure();
  SmallVector<DimExpr> shape(x.take_front(axis));
  llvm::append_range(shape, indices.drop_front(batch));
  llvm::append_range(shape, x.drop_front(axis + 1));
  return addResult(*this, types, shape, getElement(getX()));
}

LogicalResult GatherOp::inferValue(DimContext &dims,
                                   SmallVectorImpl<DimExpr> &elements) {
  // Operands of at most rank 1 leave only the plain case.
  FailureOr<SmallVector<DimExpr>> x = getSmallValue(dims, getX());
  FailureOr<SmallVector<DimExpr>> indices = getSmallValue(dims, getIndices());
  if (failed(x) || failed(indices) || getBatchDims() != 0)
    return failure();
  SmallVector<DimExpr> values;
  int64_t size = x->size();
  for (DimExpr position : *indices) {
    std::optional<int64_t> index = position.getConstant();
    if (!index || *index < -size || *index >= size)
      return failure();
    values.push_back((*x)[*index < 0 ? *index + size : *index]);
  }
  return setSmallValue(getY(), values, elements);
}

/// The static last dim of an index tensor of tuples.
static FailureOr<int64_t> getTupleSize(Operation *op, Value indices) {
  RankedTensorType type = getTensor(indices);
  if (type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1))
    return violation(op, "c1",
                     "expected indices of rank >= 1 with a static last dim, "
                     "got {0}",
                     type);
  return type.getDimSize(type.getRank() - 1);
}

LogicalResult GatherNDOp::inferTypes(DimContext &dims,
                                     SmallVectorImpl<Type> &types) {
  FailureOr<int64_t> k = getTupleSize(*this, getIndices());
  if (failed(k))
    return failure();
  SmallVector<DimExpr> xDims = getDims(getX());
  SmallVector<DimExpr> indexDims = getDims(getIndices());
  ArrayRef<DimExpr> x = xDims, indices = indexDims;
  int64_t batch = getBatchDims(), rank = x.size();
  if (batch < 0 || batch >= int64_t(indices.size()) || batch > rank ||
      *k > rank - batch)
    return violation(*this, "c1",
                     "expected 0 <= batch_dims < {0} and batch_dims + {1} <= "
                     "{2}, got batch_dims {3}",
                     indices.size(), *k, rank, batch);
  if (failed(checkSameDims(*this, dims, "c2", x.take_front(batch),
                           indices.take_front(batch))))
    return failure();
  SmallVector<DimExpr> shape(indices.drop_back());
  llvm::append_range(shape, x.drop_front(batch + *k));
  return addResult(*this, types, shape, getElement(getX()));
}

LogicalResult GatherElementsOp::inferTypes(DimContext &dims,
                                           SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> x = getDims(getX()), indices = getDims(getIndices());
  if (failed(checkRank(*this, "c1", "indices", getIndices(), x.size())) ||
      failed(checkAxis(*this, "c1", getAxis(), x.size())))
    return failure();
  for (auto [i, pair] : llvm::enumerate(llvm::zip_equal(indices, x))) {
    auto [have, limit] = pair;
    if (i != getAxis() && !dims.requireLessEqual(have, limit))
      return violation(*this, "c2",
                       "expected indices of at most {0} at axis {1}, got {2}",
                       limit.str(), i, have.str());
  }
  return addResult(*this, types, indices, getElement(getX()));
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

LogicalResult ScatterNDOp::inferTypes(DimContext &dims,
                                      SmallVectorImpl<Type> &types) {
  FailureOr<int64_t> k = getTupleSize(*this, getIndices());
  if (failed(k))
    return failure();
  SmallVector<DimExpr> xDims = getDims(getX());
  SmallVector<DimExpr> indexDims = getDims(getIndices());
  ArrayRef<DimExpr> x = xDims, indices = indexDims;
  if (int64_t(x.size()) < *k)
    return violation(*this, "c1",
                     "expected a last dim of indices of at most {0}, got {1}",
                     x.size(), *k);
  SmallVector<DimExpr> shape(indices.drop_back());
  llvm::append_range(shape, x.drop_front(*k));
  if (failed(checkSameElement(*this, "c2", getX(), getUpdates())) ||
      failed(checkDims(*this, dims, "c2", "updates", getUpdates(), shape)))
    return failure();
  return addResult(*this, types, x, getElement(getX()));
}

LogicalResult ScatterElementsOp::inferTypes(DimContext &dims,
                                            SmallVectorImpl<Type> &types) {
  SmallVector<DimExpr> x = getDims(getX());
  int64_t rank = x.size();
  if (failed(checkRank(*this, "c1", "indices", getIndices(), rank)) ||
      failed(checkRank(*this, "c1", "updates", getUpdates(), rank)) ||
      failed(checkAxis(*this, "c1", getAxis(), rank)) ||
      failed(checkSameElement(*this, "c2", getX(), getUpdates())) ||
      failed(checkDims(*this, dims, "c2", "updates", getUpdates(),
                       getDims(getIndices()))))
    return failure();
  return addResult(*this, types, x, getElement(getX()));
}

//===----------------------------------------------------------------------===//
// nonzero
//===----------------------------------------------------------------------===//

LogicalResult NonZeroOp::inferTypes(DimContext &dims,
                                    SmallVectorImpl<Type> &types) {
  if (getRank(getX()) == 0)
    return violation(*this, "c1", "expected x of rank >= 1, got {0}",
                     getX().getType());
  if (failed(checkCount(*this, "c2", "count", getCount().size(), 1)) ||
      failed(checkNotNegative(*this, dims, "size", "count", getCount())))
    return failure();
  return addResult(*this, types,
                   {dims.constant(getRank(getX())), getCount().front()},
                   IntegerType::get(getContext(), 64));
}
