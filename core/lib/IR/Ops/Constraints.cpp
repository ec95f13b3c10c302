// SPDX-License-Identifier: Apache-2.0
// The checks that the constraints of many ops share.
#include "Constraints.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuvil;

LogicalResult cuvil::emitViolation(Operation *op, StringRef tag,
                                   const Twine &message) {
  return op->emitOpError(message)
         << " (" << op->getName().stripDialect() << "_" << tag << ")";
}

std::string cuvil::str(ArrayRef<int64_t> values) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(values, os);
  os << "]";
  return text;
}

std::string cuvil::str(ArrayRef<DimExpr> dims) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "[";
  llvm::interleaveComma(dims, os, [&](DimExpr dim) { dim.print(os); });
  os << "]";
  return text;
}

RankedTensorType cuvil::getTensor(Value value) {
  return cast<RankedTensorType>(value.getType());
}
Type cuvil::getElement(Value value) {
  return getTensor(value).getElementType();
}
int64_t cuvil::getRank(Value value) { return getTensor(value).getRank(); }

bool cuvil::isBool(Type element) { return element.isInteger(1); }
bool cuvil::isInteger(Type element) {
  auto type = dyn_cast<IntegerType>(element);
  return type && !type.isSigned() &&
         llvm::is_contained({8u, 16u, 32u, 64u}, type.getWidth());
}
bool cuvil::isNumeric(Type element) {
  return isInteger(element) || element.isF16() || element.isBF16() ||
         element.isF32() || element.isF64();
}

LogicalResult cuvil::checkAxis(Operation *op, StringRef tag, int64_t axis,
                               int64_t rank) {
  if (axis >= 0 && axis < rank)
    return success();
  return violation(op, tag, "expected 0 <= axis < rank {0}, got axis {1}", rank,
                   axis);
}

LogicalResult cuvil::checkAxes(Operation *op, StringRef tag, StringRef name,
                               ArrayRef<int64_t> axes, int64_t rank) {
  llvm::SmallBitVector seen(rank);
  for (int64_t axis : axes) {
    if (axis < 0 || axis >= rank)
      return violation(op, tag, "expected {0} in [0, {1}), got {2}", name, rank,
                       str(axes));
    if (seen.test(axis))
      return violation(op, tag, "expected distinct {0}, got {1}", name,
                       str(axes));
    seen.set(axis);
  }
  return success();
}

LogicalResult cuvil::checkCount(Operation *op, StringRef tag, StringRef name,
                                int64_t got, int64_t expected) {
  if (got == expected)
    return success();
  return violation(op, tag, "expected {0} with {1} entries, got {2}", name,
                   expected, got);
}

LogicalResult cuvil::checkPositive(Operation *op, StringRef tag, StringRef name,
                                   ArrayRef<int64_t> values) {
  if (llvm::all_of(values, [](int64_t value) { return value > 0; }))
    return success();
  return violation(op, tag, "expected {0} above zero, got {1}", name,
                   str(values));
}

LogicalResult cuvil::checkRank(Operation *op, StringRef tag, StringRef name,
                               Value value, int64_t rank) {
  if (getRank(value) == rank)
    return success();
  return violation(op, tag, "expected {0} of rank {1}, got {2}", name, rank,
                   value.getType());
}

LogicalResult cuvil::checkSameElement(Operation *op, StringRef tag, Value a,
                                      Value b) {
  if (getElement(a) == getElement(b))
    return success();
  return violation(op, tag, "expected equal element types, got {0} and {1}",
                   getElement(a), getElement(b));
}

/// The first position where two lists differ for sure, or none.
static std::optional<size_t>
findDifference(DimContext &context, ArrayRef<DimExpr> a, ArrayRef<DimExpr> b) {
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(a, b)))
    if (!context.requireEqual(std::get<0>(pair), std::get<1>(pair)))
      return index;
  return std::nullopt;
}

LogicalResult cuvil::checkSameDims(Operation *op, DimContext &context,
                                   StringRef tag, ArrayRef<DimExpr> a,
                                   ArrayRef<DimExpr> b) {
  if (a.size() != b.size())
    return violation(op, tag, "expected equal ranks, got dims {0} and {1}",
                     str(a), str(b));
  if (std::optional<size_t> index = findDifference(context, a, b))
    return violation(op, tag,
                     "expected equal dims, got {0} and {1} at axis {2}",
                     a[*index].str(), b[*index].str(), *index);
  return success();
}

LogicalResult cuvil::checkDims(Operation *op, DimContext &context,
                               StringRef tag, StringRef name, Value value,
                               ArrayRef<DimExpr> expected) {
  SmallVector<DimExpr> dims = getDims(value);
  if (dims.size() == expected.size() &&
      !findDifference(context, dims, expected))
    return success();
  return violation(op, tag, "expected {0} with dims {1}, got {2}", name,
                   str(expected), str(dims));
}

LogicalResult cuvil::checkNotNegative(Operation *op, DimContext &context,
                                      StringRef tag, StringRef name,
                                      ArrayRef<DimExpr> dims) {
  for (DimExpr dim : dims)
    if (!context.requireLessEqual(context.constant(0), dim))
      return violation(op, tag, "expected {0} of at least zero, got {1}", name,
                       str(dims));
  return success();
}

LogicalResult cuvil::addResult(Operation *op, SmallVectorImpl<Type> &types,
                               ArrayRef<DimExpr> dims, Type element) {
  // Eight bytes is the largest element, so no later byte count overflows.
  uint64_t bytes = 8;
  bool hasZero = false, overflow = false;
  for (DimExpr dim : dims) {
    std::optional<int64_t> size = dim.getConstant();
    bool symbolic = false;
    dim.walkSymbols([&](StringRef) { symbolic = true; });
    // Arithmetic on constants stays unfolded exactly when it has no value.
    if (!size && !symbolic)
      return violation(
          op, "size", "result dim {0} overflows or divides by zero", dim.str());
    if (std::optional<int64_t> upper = dim.getUpperBound(); upper && *upper < 0)
      return violation(op, "size", "result dims {0} go below zero", str(dims));
    hasZero |= size == 0;
    if (size && *size > 0) {
      bool wrapped = false;
      bytes = llvm::SaturatingMultiply<uint64_t>(bytes, *size, &wrapped);
      overflow |= wrapped || bytes > uint64_t(INT64_MAX);
    }
  }
  if (overflow && !hasZero)
    return violation(op, "size", "result dims {0} exceed the address space",
                     str(dims));
  types.push_back(getTensorType(dims, element));
  return success();
}
