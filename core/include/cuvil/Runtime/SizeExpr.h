// SPDX-License-Identifier: Apache-2.0
// Integer expressions over the symbols of a program, in postfix form.
#ifndef CUVIL_RUNTIME_SIZEEXPR_H
#define CUVIL_RUNTIME_SIZEEXPR_H

#include "cuvil/Runtime/Status.h"
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace cuvil {

/// No tensor may have more bytes (or elements) than this.
inline constexpr int64_t kMaxBytes = int64_t(1) << 46;

/// Product and sum of sizes; false when they leave the range of int64.
inline bool mulSizes(int64_t a, int64_t b, int64_t &out) {
  return !__builtin_mul_overflow(a, b, &out);
}
inline bool addSizes(int64_t a, int64_t b, int64_t &out) {
  return !__builtin_add_overflow(a, b, &out);
}

/// Postfix code as in `cuvil_expr`: CUVIL_DIM_CONST and CUVIL_DIM_SYM are
/// followed by their value or symbol index, operators stand alone.
class SizeExpr {
public:
  enum class Error { None, Overflow, DivisionByZero };

  SizeExpr() = default;
  explicit SizeExpr(std::vector<int64_t> code) : code(std::move(code)) {}
  static SizeExpr constant(int64_t value) {
    return SizeExpr({CUVIL_DIM_CONST, value});
  }
  static SizeExpr symbol(int64_t index) {
    return SizeExpr({CUVIL_DIM_SYM, index});
  }
  /// Copies the C form.
  static SizeExpr fromC(const cuvil_expr &expr);

  bool empty() const { return code.empty(); }
  const std::vector<int64_t> &getCode() const { return code; }

  /// True when the code is well formed and every symbol is below `numSymbols`.
  /// Only such an expression may be evaluated.
  bool isValid(size_t numSymbols) const;
  /// The value under the symbols' values.
  Error evaluate(const int64_t *symbols, int64_t &out) const;
  /// True when `matches` holds for one of the symbols used.
  bool anySymbol(const std::function<bool(int64_t)> &matches) const;
  /// Infix text, e.g. "2 * h + 1".
  std::string str(const std::function<std::string(int64_t)> &name) const;

private:
  std::vector<int64_t> code;
};

} // namespace cuvil

#endif // CUVIL_RUNTIME_SIZEEXPR_H
