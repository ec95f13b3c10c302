// SPDX-License-Identifier: Apache-2.0
// The scalar functions behind unary, binary and the recurrent layers.
#ifndef CUVIL_LIB_EVAL_SCALARS_H
#define CUVIL_LIB_EVAL_SCALARS_H

#include "cuvil/plugin.h"
#include "llvm/ADT/StringRef.h"
#include <functional>
#include <type_traits>

namespace cuvil::detail {

using RealFunction = std::function<double(double)>;
using RealFunction2 = std::function<double(double, double)>;

/// A kind of `unary` on floats, or null for one that floats don't have.
RealFunction getUnaryFunction(llvm::StringRef kind, double alpha, double beta);

/// A kind of `binary` on floats (`dtype` decides what nextafter steps to), or
/// null.
RealFunction2 getBinaryFunction(llvm::StringRef kind, cuvil_dtype dtype);

/// Quotients of a non-zero divisor; INT64_MIN / -1 wraps.
template <typename T> T divideTruncated(T a, T b) {
  if constexpr (std::is_signed_v<T>)
    if (b == -1)
      return static_cast<T>(-static_cast<uint64_t>(a));
  return a / b;
}
template <typename T> T divideFloor(T a, T b) {
  T quotient = divideTruncated(a, b);
  if constexpr (std::is_signed_v<T>)
    if (b != -1 && a % b != 0 && (a < 0) != (b < 0))
      --quotient;
  return quotient;
}

/// Wrapping power; a negative exponent gives 0 except for bases 1 and -1.
template <typename T> T power(T base, T exponent) {
  if constexpr (std::is_signed_v<T>)
    if (exponent < 0) {
      if (base == 1)
        return 1;
      return base == -1 ? (exponent % 2 ? -1 : 1) : 0;
    }
  uint64_t result = 1, factor = static_cast<uint64_t>(base);
  for (uint64_t e = exponent; e; e >>= 1) {
    if (e & 1)
      result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

} // namespace cuvil::detail

#endif // CUVIL_LIB_EVAL_SCALARS_H
