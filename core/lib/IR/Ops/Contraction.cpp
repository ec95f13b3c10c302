// SPDX-License-Identifier: Apache-2.0
// Constraints and result dims of contractions, windows and sampling.
#include "Constraints.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Contraction.cpp.inc"

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

/// Checks one side's axes and appends its free dims.
static LogicalResult addFreeDims(Operation *op, StringRef side,
                                 ArrayRef<DimExpr> dims,
                                 ArrayRef<int64_t> batch,
                                 ArrayRef<int64_t> contract,
                                 SmallVectorImpl<DimExpr> &free) {
  SmallVector<int64_t> axes(batch);
  llvm::append_range(axes, contract);
  std::string name = (side + "_batch and " + side + "_contract").str();
  if (failed(checkAxes(op, "c2", name, axes, dims.size())))
    return failure();
  for (auto [i, dim] : llvm::enumerate(dims))
    if (!llvm::is_contained(axes, int64_t(i)))
      free.push_back(dim);
  return success();
}

LogicalResult DotOp::inferTypes(DimContext &dims,
                                SmallVectorImpl<Type> &types) {
  if (failed(checkSameElement(*this, "c1", getLhs(), getRhs())) ||
      failed(checkCount(*this, "c2", "rhs_batch", getRhsBatch().size(),
                        getLhsBatch().size())) ||
      failed(checkCount(*this, "c2", "rhs_contract", getRhsContract().size(),
                        getLhsContract().size())))
    return failure();
  SmallVector<DimExpr> lhs = getDims(getLhs()), rhs = getDims(getRhs()), free;
  if (failed(addFreeDims(*this, "lhs", lhs, getLhsBatch(), getLhsContract(),
                         free)) ||
      failed(addFreeDims(*this, "rhs", rhs, getRhsBatch(), getRhsContract(),
                         free)))
    return failure();
  auto checkPairs = [&](ArrayRef<int64_t> left, ArrayRef<int64_t> right) {
    for (auto [l, r] : llvm::zip_equal(left, right))
      if (!dims.requireEqual(lhs[l], rhs[r]))
        return violation(*this, "c3",
                         "expected equal dims, got {0} at lhs axis {1} and {2} "
                         "at rhs axis {3}",
                         lhs[l].str(), l, rhs[r].str(), r);
    return success();
  };
  if (failed(checkPairs(getLhsBatch(), getRhsBatch())) ||
      failed(checkPairs(getLhsContract(), getRhsContract())))
    return failure();
  SmallVector<DimExpr> shape;
  for (int64_t axis : getLhsBatch())
    shape.push_back(lhs[axis]);
  llvm::append_range(shape, free);
  return addResult(*this, types, shape, getElement(getLhs()));
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

LogicalResult ConvOp::inferTypes(DimContext &dims,
                                 SmallVectorImpl<Type> &types) {
  if (failed(checkSameElement(*this, "c1", getX(), getW())) ||
      (getBias() && failed(checkSameElement(*this, "c1", getX(), getBias()))))
    return failure();
  SmallVector<DimExpr> x = getDims(getX()), w = getDims(getW());
  if (x.size() < 3 || x.size() > 5)
    return violation(*this, "c2", "expected x of rank 3 to 5, got {0}",
                     getX().getType());
  int64_t spatial = x.size() - 2;
  if (failed(checkRank(*this, "c2", "w", getW(), x.size())) ||
      failed(
          checkCount(*this, "c3", "strides", getStrides().size(), spatial)) ||
      failed(checkCount(*this, "c3", "dilations", getDilations().size(),
                        spatial)) ||
      failed(checkCount(*this, "c3", "input_dilations",
                        getInputDilations().size(), spatial)) ||
      failed(checkCount(*this, "c3", "low", getLow().size(), spatial)) ||
      failed(checkCount(*this, "c3", "high", getHigh().size(), spatial)) ||
      failed(checkPositive(*this, "c3", "strides", getStrides())) ||
      failed(checkPositive(*this, "c3", "dilations", getDilations())) ||
      failed(
          checkPositive(*this, "c3", "input_dilations", getInputDilations())))
    return failure();
  int64_t count = getGroups();
  if (count <= 0)
    return violation(*this, "c4", "expected groups above zero, got {0}", count);
  DimExpr groups = dims.constant(count);
  if (!dims.requireEqual(x[1], w[1] * groups))
    return violation(*this, "c4",
                     "expected {0} channels (groups {1} times {2}), got {3}",
                     (w[1] * groups).str(), count, w[1].str(), x[1].str());
  if (!dims.requireEqual(w[0].mod(groups), dims.constant(0)))
    return violation(*this, "c4",
                     "expected output channels divisible by groups {0}, got "
                     "{1}",
                     count, w[0].str());
  if (getBias() &&
      failed(checkDims(*this, dims, "c5", "bias", getBias(), w.front())))
    return failure();
  SmallVector<DimExpr> shape = {x[0], w[0]};
  for (int64_t i = 0; i < spatial; ++i) {
    DimExpr in = (x[i + 2] - 1) * getInputDilations()[i] + 1;
    DimExpr window = (w[i + 2] - 1) * getDilations()[i] + 1;
    DimExpr room = in + getLow()[i] + getHigh()[i] - window;
    shape.push_back(room.floorDiv(dims.constant(getStrides()[i])) + 1);
  }
  if (failed(checkNotNegative(*this, dims, "c6", "output dims", shape)))
    return failure();
  return addResult(*this, types, shape, getElement(getX()));
}

//===----------------------------------------------------------------------===//
// pool and arg_pool
//===----------------------------------------------------------------------===//

/// The window constraints that pool and arg_pool share, and the result dims.
template <typename PoolLike>
static FailureOr<SmallVector<DimExpr>> inferPool(PoolLike op,
                                                 DimContext &dims) {
  SmallVector<DimExpr> x = getDims(op.getX());
  if (x.size() < 3 || x.size() > 5)
    return violation(op, "c1", "expected x of rank 3 to 5, got {0}",
                     op.getX().getType());
  int64_t spatial = x.size() - 2;
  if (failed(checkCount(op, "c2", "kernel", op.getKernel().size(), spatial)) ||
      failed(
          checkCount(op, "c2", "strides", op.getStrides().size(), spatial)) ||
      failed(checkCount(op, "c2", "dilations", op.getDilations().size(),
                        spatial)) ||
      failed(checkCount(op, "c2", "low", op.getLow().size(), spatial)) ||
      failed(checkCount(op, "c2", "high", op.getHigh().size(), spatial)) ||
      failed(checkCount(op, "c2", "out", op.getOut().size(), spatial)) ||
      failed(checkPositive(op, "c2", "kernel", op.getKernel())) ||
      failed(checkPositive(op, "c2", "strides", op.getStrides())) ||
      failed(checkPositive(op, "c2", "dilations", op.getDilations())) ||
      failed(checkNotNegative(op, dims, "size", "out", op.getOut())))
    return failure();
  SmallVector<DimExpr> shape = {x[0], x[1]};
  llvm::append_range(shape, op.getOut());
  return shape;
}

LogicalResult PoolOp::inferTypes(DimContext &dims,
                                 SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<DimExpr>> shape = inferPool(*this, dims);
  if (failed(shape))
    return failure();
  bool isLp = getKind() == "lp";
  if (isLp != getP().has_value())
    return violation(*this, "c3", "kind {0} {1} p", getKind(),
                     isLp ? "needs" : "takes no");
  Type element = getElement(getX());
  if (getKind() != "max" && !isa<FloatType>(element))
    return violation(*this, "c4", "kind {0} needs a float type, got {1}",
                     getKind(), element);
  return addResult(*this, types, *shape, element);
}

LogicalResult ArgPoolOp::inferTypes(DimContext &dims,
                                    SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<DimExpr>> shape = inferPool(*this, dims);
  if (failed(shape))
    return failure();
  return addResult(*this, types, *shape, IntegerType::get(getContext(), 64));
}

//===----------------------------------------------------------------------===//
// resize
//===----------------------------------------------------------------------===//

LogicalResult ResizeOp::inferTypes(DimContext &dims,
                                   SmallVectorImpl<Type> &types) {
  int64_t rank = getRank(getX());
  if (failed(checkCount(*this, "c1", "shape", getShape().size(), rank)) ||
      failed(checkCount(*this, "c1", "scales", getScales().size(), rank)) ||
      failed(checkNotNegative(*this, dims, "size", "shape", getShape())))
    return failure();
  Type element = getElement(getX());
  if (getKind() != "nearest" && !isa<FloatType>(element))
    return violation(*this, "c2", "kind {0} needs a float type, got {1}",
                     getKind(), element);
  // Whatever an axis grows from has an element to sample.
  for (auto [from, to] : llvm::zip_equal(getDims(getX()), getShape()))
    if (!dims.requireLessEqual(to.min(dims.constant(1)), from))
      return violation(*this, "size", "can't resize an axis of size {0} to {1}",
                       from.str(), to.str());
  return addResult(*this, types, getShape(), element);
}

/// One multiplication and one addition per term.
DimExpr DotOp::getFlops() {
  SmallVector<DimExpr> factors = getDims(getY()), lhs = getDims(getLhs());
  for (int64_t axis : getLhsContract())
    factors.push_back(lhs[axis]);
  return product(getContext(), factors) * 2;
}

DimExpr ConvOp::getFlops() {
  SmallVector<DimExpr> factors = getDims(getY()), w = getDims(getW());
  factors.append(w.begin() + 1, w.end());
  return product(getContext(), factors) * 2;
}
