// SPDX-License-Identifier: Apache-2.0
// Canonical form of dimension expressions: sums of products over atoms.
#include "cuvil/IR/DimExpr.h"
#include "DimExprDetail.h"
#include "cuvil/plugin.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include <map>

using namespace cuvil;
using llvm::ArrayRef;
using llvm::SmallVector;
using llvm::StringRef;

static DimExpr makeNode(mlir::MLIRContext *context, DimKind kind,
                        int64_t value, StringRef symbol,
                        ArrayRef<DimExpr> operands) {
  return DimExpr::Base::get(context, kind, value, symbol, operands);
}

//===----------------------------------------------------------------------===//
// Order and polynomials
//===----------------------------------------------------------------------===//

/// A total order that depends on structure alone, so that text and results
/// are the same in every run.
static int compare(DimExpr a, DimExpr b) {
  if (a == b)
    return 0;
  if (a.getKind() != b.getKind())
    return a.getKind() < b.getKind() ? -1 : 1;
  if (a.getKind() == DimKind::Constant)
    return *a.getConstant() < *b.getConstant() ? -1 : 1;
  if (a.getKind() == DimKind::Symbol)
    return a.getSymbol().compare(b.getSymbol());
  ArrayRef<DimExpr> x = a.getOperands(), y = b.getOperands();
  if (x.size() != y.size())
    return x.size() < y.size() ? -1 : 1;
  for (auto [l, r] : llvm::zip_equal(x, y))
    if (int order = compare(l, r))
      return order;
  return 0;
}

static bool before(DimExpr a, DimExpr b) { return compare(a, b) < 0; }

namespace {
using Monomial = SmallVector<DimExpr, 4>;

struct MonomialOrder {
  bool operator()(const Monomial &a, const Monomial &b) const {
    // Constants (the empty monomial) come last.
    if (a.size() != b.size())
      return a.size() > b.size();
    for (auto [l, r] : llvm::zip_equal(a, b))
      if (int order = compare(l, r))
        return order < 0;
    return false;
  }
};

/// Coefficients by product of atoms.
using Polynomial = std::map<Monomial, int64_t, MonomialOrder>;
constexpr size_t kMaxTerms = 64;
} // namespace

/// The polynomial of a canonical expression. What overflows stays an atom, so
/// that it fails when evaluated instead of wrapping.
static Polynomial toPolynomial(DimExpr expr) {
  Polynomial result;
  auto addTerm = [&](DimExpr term) {
    int64_t coefficient = 1;
    Monomial atoms;
    ArrayRef<DimExpr> factors = term;
    if (term.getKind() == DimKind::Mul)
      factors = term.getOperands();
    for (DimExpr factor : factors) {
      auto value = factor.getConstant();
      if (!value) {
        atoms.push_back(factor);
      } else if (__builtin_mul_overflow(coefficient, *value, &coefficient)) {
        coefficient = 1;
        atoms = {term};
        break;
      }
    }
    int64_t &sum = result[atoms];
    return !__builtin_add_overflow(sum, coefficient, &sum);
  };
  ArrayRef<DimExpr> terms = expr;
  if (expr.getKind() == DimKind::Add)
    terms = expr.getOperands();
  if (!llvm::all_of(terms, addTerm))
    return {{Monomial{expr}, 1}};
  llvm::SmallVector<Monomial> zeros;
  for (auto &[atoms, coefficient] : result)
    if (coefficient == 0)
      zeros.push_back(atoms);
  for (Monomial &atoms : zeros)
    result.erase(atoms);
  return result;
}

static DimExpr fromPolynomial(mlir::MLIRContext *context,
                              const Polynomial &poly) {
  SmallVector<DimExpr> terms;
  for (auto &[atoms, coefficient] : poly) {
    if (coefficient == 0)
      continue;
    SmallVector<DimExpr> factors;
    if (coefficient != 1 || atoms.empty())
      factors.push_back(DimExpr::constant(context, coefficient));
    factors.append(atoms.begin(), atoms.end());
    terms.push_back(factors.size() == 1
                        ? factors.front()
                        : makeNode(context, DimKind::Mul, 0, "", factors));
  }
  if (terms.empty())
    return DimExpr::constant(context, 0);
  if (terms.size() == 1)
    return terms.front();
  return makeNode(context, DimKind::Add, 0, "", terms);
}

/// a + b or a * b; nullopt when a coefficient overflows or it grows too big.
static std::optional<Polynomial> addPoly(const Polynomial &a,
                                         const Polynomial &b) {
  Polynomial result = a;
  for (auto &[atoms, coefficient] : b)
    if (__builtin_add_overflow(result[atoms], coefficient, &result[atoms]))
      return std::nullopt;
  if (result.size() > kMaxTerms)
    return std::nullopt;
  return result;
}

static std::optional<Polynomial> mulPoly(const Polynomial &a,
                                         const Polynomial &b) {
  Polynomial result;
  if (a.size() * b.size() > kMaxTerms)
    return std::nullopt;
  for (auto &[x, p] : a) {
    for (auto &[y, q] : b) {
      Monomial atoms(x);
      atoms.append(y.begin(), y.end());
      llvm::sort(atoms, before);
      int64_t coefficient;
      if (__builtin_mul_overflow(p, q, &coefficient) ||
          __builtin_add_overflow(result[atoms], coefficient, &result[atoms]))
        return std::nullopt;
    }
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Integer operations
//===----------------------------------------------------------------------===//

static std::optional<int64_t> applyOperator(DimKind kind, int64_t a,
                                            int64_t b) {
  int64_t result;
  switch (kind) {
  case DimKind::Add:
    if (__builtin_add_overflow(a, b, &result))
      return std::nullopt;
    return result;
  case DimKind::Mul:
    if (__builtin_mul_overflow(a, b, &result))
      return std::nullopt;
    return result;
  case DimKind::FloorDiv:
  case DimKind::Mod: {
    if (b == 0 || (a == INT64_MIN && b == -1))
      return std::nullopt;
    int64_t quotient = a / b, remainder = a % b;
    if (remainder != 0 && (remainder < 0) != (b < 0)) {
      --quotient;
      remainder += b;
    }
    return kind == DimKind::FloorDiv ? quotient : remainder;
  }
  case DimKind::CeilDiv: {
    if (b == 0 || (a == INT64_MIN && b == -1))
      return std::nullopt;
    int64_t quotient = a / b, remainder = a % b;
    return quotient + (remainder != 0 && (remainder < 0) == (b < 0));
  }
  case DimKind::Min:
    return std::min(a, b);
  case DimKind::Max:
    return std::max(a, b);
  case DimKind::Bcast:
    return a == 1 ? b : a;
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// Construction
//===----------------------------------------------------------------------===//

DimExpr DimExpr::constant(mlir::MLIRContext *context, int64_t value) {
  return makeNode(context, DimKind::Constant, value, "", {});
}

DimExpr DimExpr::symbol(mlir::MLIRContext *context, StringRef name) {
  return makeNode(context, DimKind::Symbol, 0, name, {});
}

/// a floordiv b or a mod b.
static DimExpr makeDivision(DimKind kind, DimExpr a, DimExpr b) {
  mlir::MLIRContext *context = a.getContext();
  bool wantQuotient = kind == DimKind::FloorDiv;
  if (b.isConstant(1))
    return wantQuotient ? a : DimExpr::constant(context, 0);
  if (a.isConstant(0) && !b.isConstant(0))
    return DimExpr::constant(context, 0);
  // b*q + r: the quotient is q + r floordiv b, the remainder r mod b. b is one
  // product: pull out the terms that contain it.
  Polynomial divisor = toPolynomial(b), quotient, rest;
  if (divisor.size() == 1 && divisor.begin()->second != 0) {
    const Monomial &atoms = divisor.begin()->first;
    int64_t coefficient = divisor.begin()->second;
    for (auto &[term, factor] : toPolynomial(a)) {
      Monomial left = term;
      bool divides = coefficient != -1 && factor % coefficient == 0;
      for (DimExpr atom : atoms) {
        auto *found = llvm::find(left, atom);
        if (found == left.end()) {
          divides = false;
          break;
        }
        left.erase(found);
      }
      if (divides)
        quotient[left] += factor / coefficient;
      else
        rest[term] += factor;
    }
    if (!quotient.empty()) {
      DimExpr remainder = fromPolynomial(context, rest);
      if (!wantQuotient)
        return DimExpr::get(kind, remainder, b);
      return fromPolynomial(context, quotient) +
             DimExpr::get(kind, remainder, b);
    }
  }
  // (x floordiv c) floordiv d = x floordiv (c * d) for positive constants.
  if (wantQuotient && a.getKind() == DimKind::FloorDiv && b.getConstant() &&
      *b.getConstant() > 0) {
    DimExpr inner = a.getOperands()[1];
    DimExpr both = inner * b;
    if (inner.getConstant() && *inner.getConstant() > 0 && both.getConstant())
      return makeDivision(kind, a.getOperands()[0], both);
  }
  // 0 <= a < b
  auto low = a.getLowerBound(), high = a.getUpperBound();
  if (b.getConstant() && low && high && *low >= 0 && *high < *b.getConstant())
    return wantQuotient ? DimExpr::constant(context, 0) : a;
  return makeNode(context, kind, 0, "", {a, b});
}

/// min, max and bcast: flat, sorted, without duplicates.
static DimExpr makeLattice(DimKind kind, DimExpr a, DimExpr b) {
  mlir::MLIRContext *context = a.getContext();
  SmallVector<DimExpr> parts;
  for (DimExpr expr : {a, b}) {
    if (expr.getKind() == kind)
      llvm::append_range(parts, expr.getOperands());
    else
      parts.push_back(expr);
  }
  llvm::sort(parts, before);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  // One part may make another needless.
  auto covers = [&](DimExpr keep, DimExpr drop) {
    if (kind == DimKind::Bcast) {
      if (drop.isConstant(1))
        return true;
      // A size known not to be 1 is the size of every valid broadcast.
      auto low = keep.getLowerBound(), high = keep.getUpperBound();
      return (low && *low > 1) || (high && *high < 1);
    }
    bool isMin = kind == DimKind::Min;
    return provablyLessEqual(isMin ? keep : drop, isMin ? drop : keep) == true;
  };
  for (unsigned i = 0; i < parts.size(); ++i) {
    for (unsigned j = 0; j < parts.size(); ++j) {
      if (i == j || !covers(parts[i], parts[j]))
        continue;
      parts.erase(parts.begin() + j);
      i = -1;
      break;
    }
  }
  if (parts.size() == 1)
    return parts.front();
  return makeNode(context, kind, 0, "", parts);
}

DimExpr DimExpr::get(DimKind kind, DimExpr a, DimExpr b) {
  mlir::MLIRContext *context = a.getContext();
  if (a.getConstant() && b.getConstant()) {
    if (auto value = applyOperator(kind, *a.getConstant(), *b.getConstant()))
      return constant(context, *value);
    return makeNode(context, kind, 0, "", {a, b});
  }
  switch (kind) {
  case DimKind::Add:
    if (auto sum = addPoly(toPolynomial(a), toPolynomial(b)))
      return fromPolynomial(context, *sum);
    return makeNode(context, kind, 0, "", {a, b});
  case DimKind::Mul:
    if (auto result = mulPoly(toPolynomial(a), toPolynomial(b)))
      return fromPolynomial(context, *result);
    return makeNode(context, kind, 0, "", {a, b});
  case DimKind::CeilDiv:
    if (auto divisor = b.getConstant(); divisor && *divisor < 0)
      return a.floorDiv(b * -1) * -1;
    // A symbol that divides is a size and positive.
    return makeDivision(DimKind::FloorDiv, a + b - 1, b);
  case DimKind::FloorDiv:
  case DimKind::Mod:
    return makeDivision(kind, a, b);
  case DimKind::Min:
  case DimKind::Max:
  case DimKind::Bcast:
    return makeLattice(kind, a, b);
  default:
    return a;
  }
}

DimExpr DimExpr::select(DimExpr condition, DimExpr a, DimExpr b) {
  if (a == b)
    return a;
  if (auto low = condition.getLowerBound(); low && *low > 0)
    return a;
  if (auto high = condition.getUpperBound(); high && *high <= 0)
    return b;
  return makeNode(a.getContext(), DimKind::Select, 0, "", {condition, a, b});
}

//===----------------------------------------------------------------------===//
// Access
//===----------------------------------------------------------------------===//

DimKind DimExpr::getKind() const { return getImpl()->kind; }
ArrayRef<DimExpr> DimExpr::getOperands() const { return getImpl()->operands; }
StringRef DimExpr::getSymbol() const { return getImpl()->symbol; }
std::optional<int64_t> DimExpr::getConstant() const {
  if (getKind() != DimKind::Constant)
    return std::nullopt;
  return getImpl()->value;
}

DimExpr DimExpr::operator+(DimExpr o) const { return get(DimKind::Add, *this, o); }
DimExpr DimExpr::operator-(DimExpr o) const { return *this + o * -1; }
DimExpr DimExpr::operator*(DimExpr o) const { return get(DimKind::Mul, *this, o); }
DimExpr DimExpr::operator+(int64_t o) const { return *this + constant(getContext(), o); }
DimExpr DimExpr::operator-(int64_t o) const { return *this - constant(getContext(), o); }
DimExpr DimExpr::operator*(int64_t o) const { return *this * constant(getContext(), o); }
DimExpr DimExpr::floorDiv(DimExpr o) const { return get(DimKind::FloorDiv, *this, o); }
DimExpr DimExpr::ceilDiv(DimExpr o) const { return get(DimKind::CeilDiv, *this, o); }
DimExpr DimExpr::mod(DimExpr o) const { return get(DimKind::Mod, *this, o); }
DimExpr DimExpr::min(DimExpr o) const { return get(DimKind::Min, *this, o); }
DimExpr DimExpr::max(DimExpr o) const { return get(DimKind::Max, *this, o); }
DimExpr DimExpr::bcast(DimExpr o) const { return get(DimKind::Bcast, *this, o); }

std::optional<int64_t> DimExpr::evaluate(
    llvm::function_ref<std::optional<int64_t>(StringRef)> symbols) const {
  switch (getKind()) {
  case DimKind::Constant:
    return getConstant();
  case DimKind::Symbol:
    return symbols(getSymbol());
  case DimKind::Select: {
    auto condition = getOperands()[0].evaluate(symbols);
    if (!condition)
      return std::nullopt;
    return getOperands()[*condition > 0 ? 1 : 2].evaluate(symbols);
  }
  default: {
    std::optional<int64_t> result;
    for (DimExpr operand : getOperands()) {
      auto value = operand.evaluate(symbols);
      if (!value)
        return std::nullopt;
      result = result ? applyOperator(getKind(), *result, *value) : value;
      if (!result)
        return std::nullopt;
    }
    return result;
  }
  }
}

DimExpr
DimExpr::substitute(llvm::function_ref<DimExpr(StringRef)> replace) const {
  if (getKind() == DimKind::Constant)
    return *this;
  if (getKind() == DimKind::Symbol) {
    DimExpr by = replace(getSymbol());
    return by ? by : *this;
  }
  SmallVector<DimExpr> operands;
  for (DimExpr operand : getOperands())
    operands.push_back(operand.substitute(replace));
  if (getKind() == DimKind::Select)
    return select(operands[0], operands[1], operands[2]);
  DimExpr result = operands.front();
  for (DimExpr operand : llvm::drop_begin(operands))
    result = get(getKind(), result, operand);
  return result;
}

void DimExpr::walkSymbols(llvm::function_ref<void(StringRef)> visit) const {
  if (getKind() == DimKind::Symbol)
    visit(getSymbol());
  for (DimExpr operand : getOperands())
    operand.walkSymbols(visit);
}

void DimExpr::getPostfix(llvm::function_ref<int64_t(StringRef)> symbol,
                         llvm::SmallVectorImpl<int64_t> &code) const {
  switch (getKind()) {
  case DimKind::Constant:
    code.append({CUVIL_DIM_CONST, *getConstant()});
    return;
  case DimKind::Symbol:
    code.append({CUVIL_DIM_SYM, symbol(getSymbol())});
    return;
  case DimKind::Select:
    for (DimExpr operand : getOperands())
      operand.getPostfix(symbol, code);
    code.push_back(CUVIL_DIM_SELECT);
    return;
  default: // n-ary operators as a chain of binary ones
    for (auto [i, operand] : llvm::enumerate(getOperands())) {
      operand.getPostfix(symbol, code);
      if (i > 0)
        code.push_back(static_cast<int64_t>(getKind()));
    }
  }
}

DimExpr cuvil::product(mlir::MLIRContext *context, ArrayRef<DimExpr> dims) {
  DimExpr result = DimExpr::constant(context, 1);
  for (DimExpr dim : dims)
    result = result * dim;
  return result;
}
