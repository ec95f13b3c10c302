// SPDX-License-Identifier: Apache-2.0
// Row-major reshapes as collapse_shape and expand_shape of matching groups.
#include "Support.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil::lowering {
namespace {

/// Axes [fromBegin, fromEnd) hold the same elements as [toBegin, toEnd).
struct Group {
  unsigned fromBegin, fromEnd, toBegin, toEnd;
};

} // namespace

/// Splits both dim lists into the smallest groups of provably equal products.
static SmallVector<Group> matchGroups(MLIRContext *context,
                                      ArrayRef<DimExpr> from,
                                      ArrayRef<DimExpr> to) {
  SmallVector<Group> groups;
  unsigned i = 0, j = 0;
  auto findNext = [&]() -> std::optional<Group> {
    // Shortest group first, so that independent axes stay apart.
    for (unsigned total = 2; total <= from.size() - i + to.size() - j; ++total)
      for (unsigned m = 1; m < total; ++m) {
        unsigned n = total - m;
        if (i + m > from.size() || j + n > to.size())
          continue;
        if (product(context, from.slice(i, m)) ==
            product(context, to.slice(j, n)))
          return Group{i, i + m, j, j + n};
      }
    return std::nullopt;
  };
  while (i < from.size() && j < to.size()) {
    std::optional<Group> next = findNext();
    if (!next)
      break;
    groups.push_back(*next);
    i = next->fromEnd;
    j = next->toEnd;
  }
  if (i == from.size() && j == to.size())
    return groups;
  // What is left holds equal counts though nothing proves it; axes of size 1
  // at one end join the last group.
  if (!groups.empty() && (i == from.size() || j == to.size())) {
    groups.back().fromEnd = from.size();
    groups.back().toEnd = to.size();
  } else {
    groups.push_back({i, static_cast<unsigned>(from.size()), j,
                      static_cast<unsigned>(to.size())});
  }
  return groups;
}

static ReassociationIndices range(unsigned begin, unsigned end) {
  return llvm::to_vector(llvm::seq<int64_t>(begin, end));
}

/// Casts dynamic dims to 1 and drops all of them.
static Value collapseToScalar(Builder &b, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> ones(type.getRank(), 1);
  tensor =
      castTo(b, tensor, RankedTensorType::get(ones, type.getElementType()));
  return b.create<tensor::CollapseShapeOp>(tensor,
                                           ArrayRef<ReassociationIndices>{});
}

static Value expandScalar(Builder &b, Value tensor, RankedTensorType type) {
  SmallVector<int64_t> ones(type.getRank(), 1);
  auto unit = RankedTensorType::get(ones, type.getElementType());
  Value expanded = b.create<tensor::ExpandShapeOp>(
      unit, tensor, ArrayRef<ReassociationIndices>{});
  return castTo(b, expanded, type);
}

/// Bufferization expands an axis into at most one axis of dynamic size.
static bool isExpandable(ArrayRef<Group> groups, RankedTensorType result) {
  return llvm::all_of(groups, [&](const Group &group) {
    return llvm::count_if(result.getShape().slice(group.toBegin,
                                                  group.toEnd - group.toBegin),
                          ShapedType::isDynamic) <= 1;
  });
}

Value reshapeTo(Builder &b, LoweringContext &lowering, Value tensor,
                ArrayRef<DimExpr> from, ArrayRef<DimExpr> to) {
  auto type = cast<RankedTensorType>(tensor.getType());
  RankedTensorType result = getPlainType(to, type.getElementType());
  if (from == to)
    return castTo(b, tensor, result);
  if (product(b.getContext(), to).isConstant(0))
    return createEmpty(b, lowering, to, type.getElementType());
  if (from.empty())
    return to.empty() ? tensor : expandScalar(b, tensor, result);
  if (to.empty())
    return collapseToScalar(b, tensor);

  SmallVector<Group> groups = matchGroups(b.getContext(), from, to);
  SmallVector<ReassociationIndices> collapse, expand;
  SmallVector<int64_t> middle, expandedFrom;
  for (const Group &group : groups) {
    collapse.push_back(range(group.fromBegin, group.fromEnd));
    expand.push_back(range(group.toBegin, group.toEnd));
    auto count = [](ArrayRef<int64_t> shape) {
      int64_t total = 1;
      for (int64_t dim : shape) {
        if (ShapedType::isDynamic(dim))
          return ShapedType::kDynamic;
        total *= dim;
      }
      return total;
    };
    middle.push_back(count(type.getShape().slice(
        group.fromBegin, group.fromEnd - group.fromBegin)));
    expandedFrom.push_back(count(
        result.getShape().slice(group.toBegin, group.toEnd - group.toBegin)));
  }
  Type element = type.getElementType();
  if (groups.size() != from.size())
    tensor = b.create<tensor::CollapseShapeOp>(
        RankedTensorType::get(middle, element), tensor, collapse);
  tensor = castTo(b, tensor, RankedTensorType::get(expandedFrom, element));
  if (groups.size() == to.size())
    return tensor;
  if (isExpandable(groups, result))
    return b.create<tensor::ExpandShapeOp>(result, tensor, expand,
                                           materializeFold(b, lowering, to));
  SmallVector<Value> sizes = materializeAll(b, lowering, to);
  Value shape = b.create<tensor::FromElementsOp>(
      RankedTensorType::get(to.size(), b.getIndexType()), sizes);
  return b.create<tensor::ReshapeOp>(result, tensor, shape);
}

} // namespace cuvil::lowering
