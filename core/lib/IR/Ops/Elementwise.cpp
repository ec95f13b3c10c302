// SPDX-License-Identifier: Apache-2.0
// Constraints, result dims and symbolic values of the elementwise ops.
#include "Constraints.h"
#include "SmallValues.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Elementwise.cpp.inc"

/// The constraint that two operands agree in dims, named in the message.
static LogicalResult checkPair(Operation *op, DimContext &dims, StringRef tag,
                               Value a, Value b) {
  return checkSameDims(op, dims, tag, getDims(a), getDims(b));
}

/// 1 where the expression is above zero, else 0.
static DimExpr isPositive(DimContext &dims, DimExpr value) {
  return DimExpr::select(value, dims.constant(1), dims.constant(0));
}

/// 1 where the expression is not zero, else 0.
static DimExpr isNonZero(DimContext &dims, DimExpr value) {
  return DimExpr::select(value, dims.constant(1), isPositive(dims, value * -1));
}

static bool isNonNegative(DimExpr value) {
  std::optional<int64_t> lower = value.getLowerBound();
  return lower && *lower >= 0;
}

//===----------------------------------------------------------------------===//
// unary
//===----------------------------------------------------------------------===//

LogicalResult UnaryOp::inferTypes(DimContext &, SmallVectorImpl<Type> &types) {
  StringRef kind = getKind();
  Type element = getElement(getX());
  bool ok;
  if (isBool(element))
    ok = kind == "not";
  else if (isInteger(element))
    ok = llvm::is_contained({"neg", "abs", "sign", "not", "popcount", "relu"},
                            kind);
  else
    ok = kind != "not" && kind != "popcount";
  if (!ok)
    return violation(*this, "c1", "kind {0} does not accept element type {1}",
                     kind, element);
  bool hasBeta = kind == "selu" || kind == "hard_sigmoid";
  bool hasAlpha =
      hasBeta || llvm::is_contained({"leaky_relu", "elu", "celu"}, kind);
  for (auto [name, expected, given] :
       {std::tuple<StringRef, bool, bool>("alpha", hasAlpha,
                                          getAlpha().has_value()),
        std::tuple<StringRef, bool, bool>("beta", hasBeta,
                                          getBeta().has_value())})
    if (expected != given)
      return violation(*this, "c2", "kind {0} {1} {2}", kind,
                       expected ? "needs" : "takes no", name);
  if (kind == "is_nan" || kind == "is_inf")
    element = IntegerType::get(getContext(), 1);
  return addResult(*this, types, getDims(getX()), element);
}

LogicalResult UnaryOp::inferValue(DimContext &dims,
                                  SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> x = getSmallValue(dims, getX());
  if (failed(x))
    return failure();
  StringRef kind = getKind();
  bool isLogical = isBool(getElement(getX()));
  for (DimExpr &value : *x) {
    if (kind == "neg")
      value = value * -1;
    else if (kind == "abs")
      value = value.max(value * -1);
    else if (kind == "relu")
      value = value.max(dims.constant(0));
    else if (kind == "sign")
      value = isPositive(dims, value) - isPositive(dims, value * -1);
    else if (kind == "not" && isLogical)
      value = dims.constant(1) - value;
    else
      return failure();
  }
  return setSmallValue(getY(), *x, elements);
}

//===----------------------------------------------------------------------===//
// binary
//===----------------------------------------------------------------------===//

LogicalResult BinaryOp::inferTypes(DimContext &dims,
                                   SmallVectorImpl<Type> &types) {
  if (failed(checkSameElement(*this, "c1", getLhs(), getRhs())) ||
      failed(checkPair(*this, dims, "c2", getLhs(), getRhs())))
    return failure();
  StringRef kind = getKind();
  Type element = getElement(getLhs());
  bool isBitwise = llvm::is_contained({"and", "or", "xor"}, kind);
  bool isShift = llvm::is_contained({"shl", "shr_s", "shr_u"}, kind);
  bool isFloatOnly =
      llvm::is_contained({"atan2", "nextafter", "copysign"}, kind);
  bool ok;
  if (isBool(element))
    ok = isBitwise;
  else if (isInteger(element))
    ok = !isFloatOnly;
  else
    ok = !isBitwise && !isShift;
  if (!ok)
    return violation(*this, "c3", "kind {0} does not accept element type {1}",
                     kind, element);
  return addResult(*this, types, getDims(getLhs()), element);
}

/// One element of a binary op on integers, empty when it is not expressible.
static DimExpr combine(DimContext &dims, StringRef kind, DimExpr a, DimExpr b,
                       bool isLogical) {
  std::optional<int64_t> x = a.getConstant(), y = b.getConstant();
  bool isNatural = isNonNegative(a) && isNonNegative(b);
  if (kind == "add")
    return a + b;
  if (kind == "sub")
    return a - b;
  if (kind == "mul")
    return a * b;
  if (kind == "min" || (kind == "and" && isLogical))
    return a.min(b);
  if (kind == "max" || (kind == "or" && isLogical))
    return a.max(b);
  if (kind == "xor" && isLogical)
    return isNonZero(dims, a - b);
  if (kind == "and" && x && y)
    return dims.constant(*x & *y);
  if (kind == "or" && x && y)
    return dims.constant(*x | *y);
  if (kind == "xor" && x && y)
    return dims.constant(*x ^ *y);
  // Division by zero is an error of the running op, not of this question.
  bool canDivide = y != 0 && !(x == INT64_MIN && y == -1);
  if (kind == "floordiv" && canDivide)
    return a.floorDiv(b);
  if (kind == "mod" && canDivide)
    return a.mod(b);
  if (kind == "div" && canDivide) {
    if (x && y)
      return dims.constant(*x / *y);
    return isNatural ? a.floorDiv(b) : DimExpr();
  }
  if (kind == "rem" && canDivide) {
    if (x && y)
      return dims.constant(*x % *y);
    return isNatural ? a.mod(b) : DimExpr();
  }
  if (kind == "pow" && y && *y >= 0 && *y <= 8) {
    DimExpr result = dims.constant(1);
    for (int64_t i = 0; i < *y; ++i)
      result = result * a;
    return result;
  }
  return DimExpr();
}

LogicalResult BinaryOp::inferValue(DimContext &dims,
                                   SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> lhs = getSmallValue(dims, getLhs());
  FailureOr<SmallVector<DimExpr>> rhs = getSmallValue(dims, getRhs());
  if (failed(lhs) || failed(rhs) || lhs->size() != rhs->size())
    return failure();
  bool isLogical = isBool(getElement(getLhs()));
  SmallVector<DimExpr> values;
  for (auto [a, b] : llvm::zip_equal(*lhs, *rhs)) {
    DimExpr value = combine(dims, getKind(), a, b, isLogical);
    if (!value)
      return failure();
    values.push_back(value);
  }
  return setSmallValue(getY(), values, elements);
}

//===----------------------------------------------------------------------===//
// compare and select
//===----------------------------------------------------------------------===//

LogicalResult CompareOp::inferTypes(DimContext &dims,
                                    SmallVectorImpl<Type> &types) {
  if (failed(checkSameElement(*this, "c1", getLhs(), getRhs())) ||
      failed(checkPair(*this, dims, "c2", getLhs(), getRhs())))
    return failure();
  if (isBool(getElement(getLhs())) && getKind() != "eq" && getKind() != "ne")
    return violation(*this, "c3", "expected eq or ne on bool, got {0}",
                     getKind());
  return addResult(*this, types, getDims(getLhs()),
                   IntegerType::get(getContext(), 1));
}

LogicalResult CompareOp::inferValue(DimContext &dims,
                                    SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> lhs = getSmallValue(dims, getLhs());
  FailureOr<SmallVector<DimExpr>> rhs = getSmallValue(dims, getRhs());
  if (failed(lhs) || failed(rhs) || lhs->size() != rhs->size())
    return failure();
  StringRef kind = getKind();
  SmallVector<DimExpr> values;
  for (auto [a, b] : llvm::zip_equal(*lhs, *rhs)) {
    if (kind == "ne")
      values.push_back(isNonZero(dims, a - b));
    else if (kind == "eq")
      values.push_back(dims.constant(1) - isNonZero(dims, a - b));
    else if (kind == "lt")
      values.push_back(isPositive(dims, b - a));
    else if (kind == "gt")
      values.push_back(isPositive(dims, a - b));
    else if (kind == "le")
      values.push_back(isPositive(dims, b - a + 1));
    else
      values.push_back(isPositive(dims, a - b + 1));
  }
  return setSmallValue(getY(), values, elements);
}

LogicalResult SelectOp::inferTypes(DimContext &dims,
                                   SmallVectorImpl<Type> &types) {
  if (failed(checkSameElement(*this, "c1", getOnTrue(), getOnFalse())) ||
      failed(checkPair(*this, dims, "c2", getCondition(), getOnTrue())) ||
      failed(checkPair(*this, dims, "c2", getOnTrue(), getOnFalse())) ||
      failed(checkPair(*this, dims, "c2", getCondition(), getOnFalse())))
    return failure();
  return addResult(*this, types, getDims(getOnTrue()), getElement(getOnTrue()));
}

LogicalResult SelectOp::inferValue(DimContext &dims,
                                   SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> condition =
      getSmallValue(dims, getCondition());
  FailureOr<SmallVector<DimExpr>> onTrue = getSmallValue(dims, getOnTrue());
  FailureOr<SmallVector<DimExpr>> onFalse = getSmallValue(dims, getOnFalse());
  if (failed(condition) || failed(onTrue) || failed(onFalse) ||
      condition->size() != onTrue->size() || onTrue->size() != onFalse->size())
    return failure();
  SmallVector<DimExpr> values;
  for (auto [c, a, b] : llvm::zip_equal(*condition, *onTrue, *onFalse))
    values.push_back(DimExpr::select(c, a, b));
  return setSmallValue(getY(), values, elements);
}

//===----------------------------------------------------------------------===//
// clamp, convert, bitcast
//===----------------------------------------------------------------------===//

LogicalResult ClampOp::inferTypes(DimContext &, SmallVectorImpl<Type> &types) {
  Type element = getElement(getX());
  for (auto [name, bound] :
       {std::pair<StringRef, Value>("low", getLow()), {"high", getHigh()}})
    if (getRank(bound) != 0 || getElement(bound) != element)
      return violation(*this, "c1", "expected {0} of type tensor<{1}>, got {2}",
                       name, element, bound.getType());
  if (!isNumeric(element))
    return violation(*this, "c2", "expected a numeric element type, got {0}",
                     element);
  return addResult(*this, types, getDims(getX()), element);
}

/// Whether a type may be the element of a tensor of this dialect.
static bool isElement(Type type) { return isBool(type) || isNumeric(type); }

LogicalResult ConvertOp::inferTypes(DimContext &,
                                    SmallVectorImpl<Type> &types) {
  if (!isElement(getTo()))
    return violation(*this, "c1", "expected an element type, got {0}", getTo());
  return addResult(*this, types, getDims(getX()), getTo());
}

/// A constant wrapped or clamped to an integer type.
static std::optional<int64_t> convertConstant(int64_t value, IntegerType type,
                                              bool saturate) {
  unsigned bits = type.getWidth();
  bool isUnsigned = type.isUnsigned();
  if (saturate && isUnsigned && value < 0)
    return 0;
  if (bits == 64) // Negative values wrap to what an int64_t can't hold.
    return isUnsigned && value < 0 ? std::nullopt : std::optional(value);
  int64_t low = isUnsigned ? 0 : -(int64_t(1) << (bits - 1));
  int64_t high = low + ((int64_t(1) << bits) - 1);
  if (saturate)
    return std::clamp(value, low, high);
  APInt wrapped(bits, uint64_t(value) & ((uint64_t(1) << bits) - 1));
  return isUnsigned ? int64_t(wrapped.getZExtValue()) : wrapped.getSExtValue();
}

LogicalResult ConvertOp::inferValue(DimContext &dims,
                                    SmallVectorImpl<DimExpr> &elements) {
  FailureOr<SmallVector<DimExpr>> x = getSmallValue(dims, getX());
  auto to = dyn_cast<IntegerType>(getTo());
  if (failed(x) || !to)
    return failure();
  for (DimExpr &value : *x) {
    if (isBool(to)) {
      value = isNonZero(dims, value);
    } else if (std::optional<int64_t> constant = value.getConstant()) {
      constant = convertConstant(*constant, to, getSaturate());
      if (!constant)
        return failure();
      value = dims.constant(*constant);
    }
  }
  return setSmallValue(getY(), *x, elements);
}

LogicalResult BitcastOp::inferTypes(DimContext &,
                                    SmallVectorImpl<Type> &types) {
  Type from = getElement(getX());
  if (!isNumeric(from) || !isNumeric(getTo()) ||
      from.getIntOrFloatBitWidth() != getTo().getIntOrFloatBitWidth())
    return violation(*this, "c1",
                     "expected numeric types of equal width, got {0} and {1}",
                     from, getTo());
  return addResult(*this, types, getDims(getX()), getTo());
}
