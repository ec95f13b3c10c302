// SPDX-License-Identifier: Apache-2.0
// What the reference kernels share: typed reads, index walks, exact scalars.
#ifndef CUVIL_LIB_EVAL_KERNELS_H
#define CUVIL_LIB_EVAL_KERNELS_H

#include "cuvil/Eval/EvalTensor.h"
#include <cmath>
#include <cstring>
#include <type_traits>

namespace cuvil::detail {

using Dims = llvm::ArrayRef<int64_t>;
using Inputs = llvm::ArrayRef<const EvalTensor *>;
using Outputs = llvm::ArrayRef<EvalTensor *>;

/// 16-bit floats: exact to f64, and rounded to nearest even from it.
double fromF16(uint16_t bits);
uint16_t toF16(double value);
double fromBF16(uint16_t bits);
uint16_t toBF16(double value);

/// The product of dims (1 for none).
inline int64_t countElements(Dims dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

/// The dims as "2x3", for messages.
std::string toString(Dims dims);

/// The operand at a position, or null when it is absent.
inline const EvalTensor *getOptional(Inputs inputs, size_t i) {
  return i < inputs.size() ? inputs[i] : nullptr;
}

/// Steps `index` through `dims` in row-major order; false after the last one.
inline bool advance(llvm::MutableArrayRef<int64_t> index, Dims dims) {
  for (size_t i = dims.size(); i-- > 0;) {
    if (++index[i] < dims[i])
      return true;
    index[i] = 0;
  }
  return false;
}

/// The dims around one axis, each side flattened.
struct AxisSplit {
  int64_t outer, size, inner;
  AxisSplit(Dims dims, int64_t axis)
      : outer(countElements(dims.take_front(axis))), size(dims[axis]),
        inner(countElements(dims.drop_front(axis + 1))) {}
};

/// Copies `dims` elements between two strided layouts; strides are in
/// elements and may be zero or negative.
void copyStrided(Dims dims, int64_t elementSize, const void *from,
                 Dims fromStrides, void *to, Dims toStrides);

/// Fails with INTERNAL unless the dims are equal.
llvm::LogicalResult requireDims(EvalContext &context, Dims have, Dims want,
                                const char *what);

/// An index that may count from the end as one in [0, size), or a failure.
llvm::FailureOr<int64_t> getIndex(EvalContext &context, int64_t index,
                                  int64_t size);

/// A 64-bit integer wrapped to an integer type's range, sign- or
/// zero-extended again; bool keeps whether it is non-zero.
int64_t wrap(cuvil_dtype dtype, int64_t value);

/// Calls `fn` with a value of the type that kernels compute `dtype` in:
/// double, int64_t (signed and bool) or uint64_t.
template <typename Fn> auto dispatch(cuvil_dtype dtype, Fn fn) {
  if (isFloat(dtype))
    return fn(double());
  if (isUnsigned(dtype))
    return fn(uint64_t());
  return fn(int64_t());
}

/// All elements in the type that `dispatch` gave.
template <typename T> std::vector<T> read(const EvalTensor &tensor) {
  if constexpr (std::is_same_v<T, double>) {
    return tensor.toF64();
  } else if constexpr (std::is_same_v<T, int64_t>) {
    return tensor.toI64();
  } else {
    std::vector<int64_t> bits = tensor.toI64();
    return std::vector<T>(bits.begin(), bits.end());
  }
}

template <typename T>
void write(EvalTensor &tensor, const std::vector<T> &values) {
  if constexpr (std::is_same_v<T, double>)
    tensor.setF64(values);
  else if constexpr (std::is_same_v<T, int64_t>)
    tensor.setI64(values);
  else
    tensor.setI64(std::vector<int64_t>(values.begin(), values.end()));
}

/// Sums and products that wrap on integers.
template <typename T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else
    return a + b;
}
template <typename T> T multiply(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  else
    return a * b;
}

/// Extremes that propagate NaN and order -0 before +0.
template <typename T> T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? a : b;
  }
  return b < a ? b : a;
}
template <typename T> T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) || std::isnan(b))
      return std::numeric_limits<T>::quiet_NaN();
    if (a == b)
      return std::signbit(a) ? b : a;
  }
  return a < b ? b : a;
}

/// log(1 + exp(x)) and 1 / (1 + exp(-x)) without overflow.
inline double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
inline double sigmoid(double x) {
  if (x >= 0)
    return 1 / (1 + std::exp(-x));
  double e = std::exp(x);
  return e / (1 + e);
}

} // namespace cuvil::detail

#endif // CUVIL_LIB_EVAL_KERNELS_H
