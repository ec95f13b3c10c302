// SPDX-License-Identifier: Apache-2.0
// What converters of several families share.
#ifndef CUVIL_FRONTEND_ONNX_OPS_COMMON_H
#define CUVIL_FRONTEND_ONNX_OPS_COMMON_H

#include "../Registry.h"

#include <algorithm>
#include <numeric>

namespace cuvil::onnx {

/// A string usable as a template argument, for tables of one-line converters.
template <size_t N> struct Word {
  constexpr Word(const char (&text)[N]) { std::copy_n(text, N, chars); }
  char chars[N];
};

/// Converter of an op that is one `unary` of this kind.
template <Word kind> void unaryOp(Node &n) {
  n.out(n.b.unary(kind.chars, n.in(0)));
}

/// Converter of an op that is one broadcasting `binary` of this kind.
template <Word kind> void binaryOp(Node &n) {
  n.out(n.b.binary(kind.chars, n.in(0), n.in(1)));
}

/// Converter of an op that is one broadcasting `compare` of this kind.
template <Word kind> void compareOp(Node &n) {
  n.out(n.b.compare(kind.chars, n.in(0), n.in(1)));
}

/// The numbers first, first + 1, ... below last.
Ints range(int64_t first, int64_t last);

/// A run-time tensor of axes, negative ones counted from the end, as
/// non-negative sizes.
Dims boundAxes(Node &n, Value axes, int64_t rank);

/// `x` as [before, axis, after] around an axis known at run time only.
Value collapseAround(Node &n, Value x, Dim axis);

/// 0 where a < b, else 1 (and the like), for non-negative sizes.
Dim lessThan(Builder &b, Dim a, int64_t constant);

/// The position along an axis of the dims as a tensor that broadcasts to them.
Value iotaAlong(Builder &b, Dim size, int64_t axis, int64_t rank, DType type);

/// x in float32 where it is narrower, for computations that need it.
Value widenFloat(Builder &b, Value x);

/// Refuses values that are not of a float type.
void requireFloat(Node &n, Value x);

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_OPS_COMMON_H
