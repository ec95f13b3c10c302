// SPDX-License-Identifier: Apache-2.0
// Reference kernels that fold, scan or order along axes.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"
#include <algorithm>
#include <limits>
#include <numeric>

using namespace cuvil;
using namespace cuvil::detail;

//===----------------------------------------------------------------------===//
// reduce
//===----------------------------------------------------------------------===//

/// The lowest or highest value of an element type.
template <typename T> static T getExtreme(cuvil_dtype dtype, bool lowest) {
  if constexpr (std::is_floating_point_v<T>) {
    T infinity = std::numeric_limits<T>::infinity();
    return lowest ? -infinity : infinity;
  } else {
    int bits = static_cast<int>(8 * getByteSize(dtype));
    if constexpr (std::is_unsigned_v<T>)
      return lowest ? 0 : ~T(0) >> (64 - bits);
    T highest = static_cast<T>(~uint64_t(0) >> (65 - bits));
    return lowest ? -highest - 1 : highest;
  }
}

namespace {
/// One reduction kind on values of type T.
template <typename T> struct Reducer {
  T start;
  T (*combine)(T, T);
};
} // namespace

template <typename T>
static Reducer<T> getReducer(llvm::StringRef kind, cuvil_dtype dtype) {
  if (kind == "sum" || kind == "mean")
    return {T(0), add<T>};
  if (kind == "prod")
    return {T(1), multiply<T>};
  if (kind == "max")
    return {getExtreme<T>(dtype, true), maximum<T>};
  if (kind == "min")
    return {getExtreme<T>(dtype, false), minimum<T>};
  if constexpr (std::is_integral_v<T>) {
    if (kind == "and")
      return {dtype == CUVIL_BOOL ? T(1) : ~T(0),
              [](T a, T b) { return a & b; }};
    if (kind == "or")
      return {T(0), [](T a, T b) { return a | b; }};
    if (kind == "xor")
      return {T(0), [](T a, T b) { return a ^ b; }};
  }
  return {T(0), nullptr};
}

/// Divides sums by a count that is zero only where there are no elements.
template <typename T>
static void divideSums(cuvil_dtype dtype, std::vector<T> &sums, int64_t count) {
  for (T &sum : sums) {
    if constexpr (std::is_floating_point_v<T>)
      sum /= static_cast<T>(count);
    else
      sum = static_cast<T>(wrap(dtype, sum)) / static_cast<T>(count);
  }
}

template <typename T>
static llvm::LogicalResult evalReduce(EvalContext &context, ReduceOp op,
                                      const EvalTensor &x, EvalTensor &y) {
  Reducer<T> reducer = getReducer<T>(op.getKind(), x.getDtype());
  if (!reducer.combine)
    return context.fail(CUVIL_UNSUPPORTED, "reduce " + op.getKind().str() +
                                               " on this element type");
  // Strides of the result along the operand's axes: 0 along reduced ones.
  llvm::SmallVector<int64_t> strides(x.getRank(), 0);
  int64_t kept = 1, reduced = 1;
  for (int64_t axis = x.getRank(); axis-- > 0;) {
    if (llvm::is_contained(op.getAxes(), axis)) {
      reduced *= x.getDims()[axis];
      continue;
    }
    strides[axis] = kept;
    kept *= x.getDims()[axis];
  }
  if (kept != y.getNumElements())
    return context.fail(CUVIL_INTERNAL, "reduce of " + toString(x.getDims()) +
                                            " to " + toString(y.getDims()));
  std::vector<T> values = read<T>(x), results(kept, reducer.start);
  llvm::SmallVector<int64_t> index(x.getRank(), 0);
  for (const T &value : values) {
    int64_t place = 0;
    for (size_t i = 0; i < index.size(); ++i)
      place += index[i] * strides[i];
    results[place] = reducer.combine(results[place], value);
    advance(index, x.getDims());
  }
  if (op.getKind() == "mean") {
    if (std::is_integral_v<T> && reduced == 0 && kept != 0)
      return context.fail(CUVIL_ARITHMETIC, "integer mean of no elements");
    divideSums(x.getDtype(), results, reduced);
  }
  write<T>(y, results);
  return llvm::success();
}

llvm::LogicalResult ReduceOp::eval(EvalContext &context, Inputs inputs,
                                   Outputs outputs) {
  return dispatch(inputs[0]->getDtype(), [&](auto type) {
    return evalReduce<decltype(type)>(context, *this, *inputs[0], *outputs[0]);
  });
}

//===----------------------------------------------------------------------===//
// Along one axis
//===----------------------------------------------------------------------===//

template <typename T> static bool isNan(T value) {
  if constexpr (std::is_floating_point_v<T>)
    return std::isnan(value);
  else
    return false;
}

/// A total order in which NaN is the largest value, equal to itself.
template <typename T> static bool isLess(T a, T b) {
  if (isNan(a))
    return false;
  return isNan(b) || a < b;
}

llvm::LogicalResult ArgReduceOp::eval(EvalContext &context, Inputs inputs,
                                      Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  AxisSplit split(x.getDims(), getAxis());
  if (split.outer * split.inner != y.getNumElements())
    return context.fail(CUVIL_INTERNAL, "arg_reduce of " +
                                            toString(x.getDims()) + " to " +
                                            toString(y.getDims()));
  if (split.size == 0 && y.getNumElements() != 0)
    return context.fail(CUVIL_INVALID_ARGUMENT,
                        "arg_reduce over an axis of size 0");
  bool isMax = getKind() == "max", last = getLast();
  dispatch(x.getDtype(), [&](auto type) {
    using T = decltype(type);
    std::vector<T> values = read<T>(x);
    std::vector<int64_t> places;
    for (int64_t row = 0; row < split.outer * split.inner; ++row) {
      const T *from = values.data() +
                      row / split.inner * split.size * split.inner +
                      row % split.inner;
      int64_t best = 0;
      for (int64_t i = 1; i < split.size; ++i) {
        T a = from[best * split.inner], b = from[i * split.inner];
        bool same = a == b || (isNan(a) && isNan(b));
        bool beats = isNan(a) ? false : isNan(b) ? true : isMax ? a < b : b < a;
        if (beats || (same && last))
          best = i;
      }
      places.push_back(best);
    }
    y.setI64(places);
  });
  return llvm::success();
}

llvm::LogicalResult CumulateOp::eval(EvalContext &context, Inputs inputs,
                                     Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")))
    return llvm::failure();
  AxisSplit split(x.getDims(), getAxis());
  bool isSum = getKind() == "sum", exclusive = getExclusive();
  bool reverse = getReverse();
  dispatch(x.getDtype(), [&](auto type) {
    using T = decltype(type);
    std::vector<T> values = read<T>(x);
    for (int64_t row = 0; row < split.outer * split.inner; ++row) {
      T *from = values.data() + row / split.inner * split.size * split.inner +
                row % split.inner;
      T total = isSum ? 0 : 1;
      for (int64_t i = 0; i < split.size; ++i) {
        T &value = from[(reverse ? split.size - 1 - i : i) * split.inner];
        T next = isSum ? add(total, value) : multiply(total, value);
        value = exclusive ? total : next;
        total = next;
      }
    }
    write<T>(y, values);
  });
  return llvm::success();
}

llvm::LogicalResult TopKOp::eval(EvalContext &context, Inputs inputs,
                                 Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &values = *outputs[0], &indices = *outputs[1];
  AxisSplit split(x.getDims(), getAxis());
  int64_t count = values.getDims()[getAxis()];
  if (count > split.size)
    return context.fail(CUVIL_INVALID_ARGUMENT, "topk of " +
                                                    std::to_string(count) +
                                                    " from an axis of size " +
                                                    std::to_string(split.size));
  llvm::SmallVector<int64_t> want(x.getDims());
  want[getAxis()] = count;
  if (failed(requireDims(context, values.getDims(), want, "the result")))
    return llvm::failure();
  bool largest = getLargest();
  dispatch(x.getDtype(), [&](auto type) {
    using T = decltype(type);
    std::vector<T> all = read<T>(x), picked(values.getNumElements());
    std::vector<int64_t> places(picked.size()), order(split.size);
    for (int64_t row = 0; row < split.outer * split.inner; ++row) {
      int64_t outer = row / split.inner, inner = row % split.inner;
      const T *from = all.data() + outer * split.size * split.inner + inner;
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        T left = from[a * split.inner], right = from[b * split.inner];
        return largest ? isLess(right, left) : isLess(left, right);
      });
      for (int64_t i = 0; i < count; ++i) {
        int64_t place = (outer * count + i) * split.inner + inner;
        picked[place] = from[order[i] * split.inner];
        places[place] = order[i];
      }
    }
    write<T>(values, picked);
    indices.setI64(places);
  });
  return llvm::success();
}
