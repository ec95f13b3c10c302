// SPDX-License-Identifier: Apache-2.0
// Checks, evaluates and prints postfix size expressions.
#include "cuvil/Runtime/SizeExpr.h"
#include <array>
#include <climits>

namespace cuvil {
namespace {

constexpr size_t kMaxDepth = 64;
constexpr size_t kMaxCode = 1 << 16;

/// Operands of an operator; 0 for what is none.
int arity(int64_t token) {
  if (token == CUVIL_DIM_SELECT)
    return 3;
  return token >= CUVIL_DIM_ADD && token <= CUVIL_DIM_BCAST ? 2 : 0;
}

bool divides(int64_t a, int64_t b) { return !(a == INT64_MIN && b == -1); }

int64_t floorDivide(int64_t a, int64_t b) {
  int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

SizeExpr::Error apply(int64_t op, int64_t a, int64_t b, int64_t &out) {
  using Error = SizeExpr::Error;
  switch (op) {
  case CUVIL_DIM_ADD:
    return addSizes(a, b, out) ? Error::None : Error::Overflow;
  case CUVIL_DIM_MUL:
    return mulSizes(a, b, out) ? Error::None : Error::Overflow;
  case CUVIL_DIM_FLOORDIV:
  case CUVIL_DIM_CEILDIV:
  case CUVIL_DIM_MOD: {
    if (b == 0)
      return Error::DivisionByZero;
    if (!divides(a, b))
      return Error::Overflow;
    int64_t floor = floorDivide(a, b);
    if (op == CUVIL_DIM_FLOORDIV)
      out = floor;
    else if (op == CUVIL_DIM_MOD)
      out = a - floor * b;
    else
      out = a % b == 0 ? floor : floor + 1;
    return Error::None;
  }
  case CUVIL_DIM_MIN:
    out = a < b ? a : b;
    return Error::None;
  case CUVIL_DIM_MAX:
    out = a < b ? b : a;
    return Error::None;
  default: // CUVIL_DIM_BCAST, by isValid
    out = a == 1 ? b : a;
    return Error::None;
  }
}

} // namespace

SizeExpr SizeExpr::fromC(const cuvil_expr &expr) {
  return expr.code && expr.size
             ? SizeExpr({expr.code, expr.code + expr.size})
             : SizeExpr();
}

bool SizeExpr::isValid(size_t numSymbols) const {
  if (code.empty() || code.size() > kMaxCode)
    return false;
  size_t depth = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == CUVIL_DIM_CONST || code[i] == CUVIL_DIM_SYM) {
      if (i + 1 == code.size() || ++depth > kMaxDepth)
        return false;
      bool isSymbol = code[i++] == CUVIL_DIM_SYM;
      if (isSymbol && (code[i] < 0 || size_t(code[i]) >= numSymbols))
        return false;
      continue;
    }
    int n = arity(code[i]);
    if (n == 0 || depth < size_t(n))
      return false;
    depth -= n - 1;
  }
  return depth == 1;
}

SizeExpr::Error SizeExpr::evaluate(const int64_t *symbols,
                                   int64_t &out) const {
  std::array<int64_t, kMaxDepth> stack;
  size_t top = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    switch (code[i]) {
    case CUVIL_DIM_CONST:
      stack[top++] = code[++i];
      break;
    case CUVIL_DIM_SYM:
      stack[top++] = symbols[code[++i]];
      break;
    case CUVIL_DIM_SELECT:
      top -= 2;
      stack[top - 1] = stack[top - 1] > 0 ? stack[top] : stack[top + 1];
      break;
    default:
      --top;
      if (Error error = apply(code[i], stack[top - 1], stack[top],
                              stack[top - 1]);
          error != Error::None)
        return error;
    }
  }
  out = stack[0];
  return Error::None;
}

bool SizeExpr::anySymbol(const std::function<bool(int64_t)> &matches) const {
  for (size_t i = 0; i < code.size(); ++i)
    if (code[i] == CUVIL_DIM_CONST)
      ++i;
    else if (code[i] == CUVIL_DIM_SYM && matches(code[++i]))
      return true;
  return false;
}

std::string
SizeExpr::str(const std::function<std::string(int64_t)> &name) const {
  struct Term {
    std::string text;
    bool atom;
  };
  auto inner = [](const Term &t) {
    return t.atom ? t.text : "(" + t.text + ")";
  };
  std::vector<Term> stack;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i] == CUVIL_DIM_CONST) {
      ++i;
      stack.push_back({std::to_string(code[i]), code[i] >= 0});
      continue;
    }
    if (code[i] == CUVIL_DIM_SYM) {
      stack.push_back({name(code[++i]), true});
      continue;
    }
    int n = arity(code[i]);
    if (n == 0 || stack.size() < size_t(n))
      return "?";
    Term b = std::move(stack.back());
    stack.pop_back();
    Term a = std::move(stack.back());
    if (n == 3) {
      stack.pop_back();
      Term c = std::move(stack.back());
      stack.back() = {
          "select(" + c.text + ", " + a.text + ", " + b.text + ")", true};
      continue;
    }
    auto call = [&](const char *function) {
      return Term{std::string(function) + "(" + a.text + ", " + b.text + ")",
                  true};
    };
    switch (code[i]) {
    case CUVIL_DIM_ADD:
      stack.back() = {a.text + " + " + b.text, false};
      break;
    case CUVIL_DIM_MUL:
      stack.back() = {inner(a) + " * " + inner(b), false};
      break;
    case CUVIL_DIM_FLOORDIV:
      stack.back() = {inner(a) + " floordiv " + inner(b), false};
      break;
    case CUVIL_DIM_CEILDIV:
      stack.back() = {inner(a) + " ceildiv " + inner(b), false};
      break;
    case CUVIL_DIM_MOD:
      stack.back() = {inner(a) + " mod " + inner(b), false};
      break;
    case CUVIL_DIM_MIN:
      stack.back() = call("min");
      break;
    case CUVIL_DIM_MAX:
      stack.back() = call("max");
      break;
    default:
      stack.back() = call("bcast");
    }
  }
  return stack.size() == 1 ? stack[0].text : "?";
}

} // namespace cuvil
