// SPDX-License-Identifier: Apache-2.0
// What can be proven of dimension expressions from their form.
#include "cuvil/IR/DimExpr.h"

using namespace cuvil;

namespace {
/// A closed interval; an absent end is unbounded.
struct Range {
  std::optional<int64_t> low, high;
};
} // namespace

static std::optional<int64_t> checkedAdd(std::optional<int64_t> a,
                                         std::optional<int64_t> b) {
  int64_t result;
  if (!a || !b || __builtin_add_overflow(*a, *b, &result))
    return std::nullopt;
  return result;
}

static std::optional<int64_t> checkedMul(std::optional<int64_t> a,
                                         std::optional<int64_t> b) {
  int64_t result;
  if (!a || !b || __builtin_mul_overflow(*a, *b, &result))
    return std::nullopt;
  return result;
}

static Range multiply(Range a, Range b) {
  if (a.low && *a.low >= 0 && b.low && *b.low >= 0)
    return {checkedMul(a.low, b.low), checkedMul(a.high, b.high)};
  // A negative constant times a non-negative range.
  if (a.low && a.low == a.high && *a.low < 0 && b.low)
    return {checkedMul(a.low, b.high), checkedMul(a.low, b.low)};
  if (b.low && b.low == b.high && *b.low < 0 && a.low)
    return multiply(b, a);
  return {};
}

/// The values under every assignment of non-negative symbols.
static Range getRange(DimExpr expr) {
  auto operands = expr.getOperands();
  switch (expr.getKind()) {
  case DimKind::Constant:
    return {expr.getConstant(), expr.getConstant()};
  case DimKind::Symbol:
    return {0, std::nullopt};
  case DimKind::Add: {
    Range sum{0, 0};
    for (DimExpr operand : operands) {
      Range r = getRange(operand);
      sum = {checkedAdd(sum.low, r.low), checkedAdd(sum.high, r.high)};
    }
    return sum;
  }
  case DimKind::Mul: {
    Range result{1, 1};
    for (DimExpr operand : operands)
      result = multiply(result, getRange(operand));
    return result;
  }
  case DimKind::FloorDiv: {
    Range a = getRange(operands[0]), b = getRange(operands[1]);
    if (!b.low || *b.low < 0)
      return {};
    Range result;
    if (a.low && *a.low >= 0) {
      result.low = 0;
      result.high = a.high;
    }
    if (auto divisor = operands[1].getConstant(); divisor && *divisor > 0) {
      auto floorDiv = [&](int64_t x) {
        return x / *divisor - (x % *divisor < 0);
      };
      if (a.low)
        result.low = floorDiv(*a.low);
      if (a.high)
        result.high = floorDiv(*a.high);
    }
    return result;
  }
  case DimKind::Mod: {
    Range b = getRange(operands[1]);
    if (!b.low || *b.low < 0)
      return {};
    return {0, checkedAdd(b.high, -1)};
  }
  case DimKind::Min:
  case DimKind::Max: {
    bool isMin = expr.getKind() == DimKind::Min;
    Range result = getRange(operands[0]);
    for (DimExpr operand : operands.drop_front()) {
      Range r = getRange(operand);
      auto all = [](auto x, auto y, bool smaller) -> std::optional<int64_t> {
        if (!x || !y)
          return std::nullopt;
        return smaller ? std::min(*x, *y) : std::max(*x, *y);
      };
      auto any = [](auto x, auto y, bool smaller) -> std::optional<int64_t> {
        if (!x || !y)
          return x ? x : y;
        return smaller ? std::min(*x, *y) : std::max(*x, *y);
      };
      result = isMin ? Range{all(result.low, r.low, true),
                             any(result.high, r.high, true)}
                     : Range{any(result.low, r.low, false),
                             all(result.high, r.high, false)};
    }
    return result;
  }
  case DimKind::Bcast:
  case DimKind::Select: {
    bool isSelect = expr.getKind() == DimKind::Select;
    auto values = isSelect ? operands.drop_front() : operands;
    Range result = getRange(values[0]);
    for (DimExpr operand : values.drop_front()) {
      Range r = getRange(operand);
      result.low = result.low && r.low
                       ? std::optional(std::min(*result.low, *r.low))
                       : std::nullopt;
      result.high = result.high && r.high
                        ? std::optional(std::max(*result.high, *r.high))
                        : std::nullopt;
    }
    return result;
  }
  default:
    return {};
  }
}

std::optional<int64_t> DimExpr::getLowerBound() const {
  return getRange(*this).low;
}
std::optional<int64_t> DimExpr::getUpperBound() const {
  return getRange(*this).high;
}

std::optional<bool> cuvil::provablyEqual(DimExpr a, DimExpr b) {
  if (a == b)
    return true;
  Range difference = getRange(a - b);
  if (difference.low == 0 && difference.high == 0)
    return true;
  if ((difference.low && *difference.low > 0) ||
      (difference.high && *difference.high < 0))
    return false;
  return std::nullopt;
}

std::optional<bool> cuvil::provablyLessEqual(DimExpr a, DimExpr b) {
  if (a == b)
    return true;
  Range difference = getRange(a - b);
  if (difference.high && *difference.high <= 0)
    return true;
  if (difference.low && *difference.low > 0)
    return false;
  return std::nullopt;
}

bool DimContext::requireEqual(DimExpr a, DimExpr b) {
  auto known = provablyEqual(a, b);
  if (!known)
    checks.push_back({DimCheck::Equal, a, b});
  return known != false;
}

bool DimContext::requireLessEqual(DimExpr a, DimExpr b) {
  auto known = provablyLessEqual(a, b);
  if (!known)
    checks.push_back({DimCheck::LessEqual, a, b});
  return known != false;
}

bool DimContext::requireBcast(DimExpr a, DimExpr b) {
  auto isOne = provablyEqual(a, constant(1)), isSame = provablyEqual(a, b);
  if (isOne == true || isSame == true)
    return true;
  if (isOne == false && isSame == false)
    return false;
  checks.push_back({DimCheck::Bcast, a, b});
  return true;
}
