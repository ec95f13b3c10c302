// SPDX-License-Identifier: Apache-2.0
// Reference kernels of window reductions.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"
#include <limits>

using namespace cuvil;
using namespace cuvil::detail;

namespace {
/// The windows of a pooling op, its spatial axes filled up to three.
struct Windows {
  int64_t planes; // N * C
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  int64_t low[3] = {0, 0, 0}, high[3] = {0, 0, 0};
  int64_t getInSize() const { return in[0] * in[1] * in[2]; }
  int64_t getOutSize() const { return out[0] * out[1] * out[2]; }

  /// Visits the elements of the window at an output position that lie inside
  /// the operand, in row-major order, by their coordinates; returns how many
  /// elements lie inside the padded extent.
  template <typename Fn> int64_t visit(int64_t position, Fn fn) const {
    int64_t first[3] = {position / (out[1] * out[2]),
                        position / out[2] % out[1], position % out[2]};
    for (int d = 0; d < 3; ++d)
      first[d] = first[d] * stride[d] - low[d];
    int64_t padded = 0, at[3] = {0, 0, 0};
    if (countElements(kernel) == 0)
      return 0;
    do {
      int64_t i[3];
      bool inside = true, inPadded = true;
      for (int d = 0; d < 3; ++d) {
        i[d] = first[d] + at[d] * dilation[d];
        inside &= i[d] >= 0 && i[d] < in[d];
        inPadded &= i[d] >= -low[d] && i[d] < in[d] + high[d];
      }
      padded += inPadded;
      if (inside && inPadded)
        fn(i);
    } while (advance(at, kernel));
    return padded;
  }
};
} // namespace

/// The windows of a pool or arg_pool.
template <typename Op>
static llvm::FailureOr<Windows> getWindows(EvalContext &context, Op op,
                                           const EvalTensor &x,
                                           const EvalTensor &y) {
  auto low = context.evaluate(op.getLow()),
       high = context.evaluate(op.getHigh());
  auto out = context.evaluate(op.getOut());
  if (failed(low) || failed(high) || failed(out))
    return llvm::failure();
  int64_t rank = x.getRank() - 2;
  Windows windows;
  windows.planes = countElements(x.getDims().take_front(2));
  llvm::SmallVector<int64_t> want(x.getDims().take_front(2));
  for (int64_t i = 0, d = 3 - rank; i < rank; ++i, ++d) {
    windows.in[d] = x.getDims()[2 + i];
    windows.out[d] = (*out)[i];
    windows.kernel[d] = op.getKernel()[i];
    windows.stride[d] = op.getStrides()[i];
    windows.dilation[d] = op.getDilations()[i];
    windows.low[d] = (*low)[i];
    windows.high[d] = (*high)[i];
    want.push_back((*out)[i]);
  }
  if (failed(requireDims(context, y.getDims(), want, "the result")))
    return llvm::failure();
  return windows;
}

/// The value that any element beats.
template <typename T> static T getLowest(cuvil_dtype dtype) {
  if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  else if constexpr (std::is_unsigned_v<T>)
    return 0;
  else
    return wrap(dtype, int64_t(1) << (8 * getByteSize(dtype) - 1));
}

template <typename T>
static void evalMaxPool(const Windows &windows, const EvalTensor &x,
                        EvalTensor &y) {
  std::vector<T> from = read<T>(x), to;
  to.reserve(y.getNumElements());
  const int64_t *in = windows.in;
  for (int64_t plane = 0; plane < windows.planes; ++plane)
    for (int64_t o = 0; o < windows.getOutSize(); ++o) {
      T best = getLowest<T>(x.getDtype());
      const T *start = from.data() + plane * windows.getInSize();
      windows.visit(o, [&](const int64_t *i) {
        best = maximum(best, start[(i[0] * in[1] + i[1]) * in[2] + i[2]]);
      });
      to.push_back(best);
    }
  write<T>(y, to);
}

llvm::LogicalResult PoolOp::eval(EvalContext &context, Inputs inputs,
                                 Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  auto windows = getWindows(context, *this, x, y);
  if (failed(windows))
    return llvm::failure();
  if (getKind() == "max") {
    dispatch(x.getDtype(),
             [&](auto type) { evalMaxPool<decltype(type)>(*windows, x, y); });
    return llvm::success();
  }
  bool isAverage = getKind() == "avg", countsPad = getCountIncludePad();
  double p = static_cast<double>(getP().value_or(1));
  std::vector<double> from = x.toF64(), to;
  to.reserve(y.getNumElements());
  const int64_t *in = windows->in;
  for (int64_t plane = 0; plane < windows->planes; ++plane)
    for (int64_t o = 0; o < windows->getOutSize(); ++o) {
      double sum = 0;
      int64_t count = 0;
      const double *start = from.data() + plane * windows->getInSize();
      int64_t padded = windows->visit(o, [&](const int64_t *i) {
        double value = start[(i[0] * in[1] + i[1]) * in[2] + i[2]];
        sum += isAverage ? value : std::pow(std::fabs(value), p);
        ++count;
      });
      to.push_back(isAverage ? sum / double(countsPad ? padded : count)
                             : std::pow(sum, 1 / p));
    }
  y.setF64(to);
  return llvm::success();
}

llvm::LogicalResult ArgPoolOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  auto windows = getWindows(context, *this, x, y);
  if (failed(windows))
    return llvm::failure();
  const int64_t *in = windows->in;
  int64_t rowMajor[3] = {in[1] * in[2], in[2], 1};
  int64_t columnMajor[3] = {1, in[0], in[0] * in[1]};
  const int64_t *weights = getColumnMajor() ? columnMajor : rowMajor;
  return dispatch(x.getDtype(), [&](auto type) -> llvm::LogicalResult {
    using T = decltype(type);
    std::vector<T> from = read<T>(x);
    std::vector<int64_t> places;
    for (int64_t plane = 0; plane < windows->planes; ++plane)
      for (int64_t o = 0; o < windows->getOutSize(); ++o) {
        int64_t start = plane * windows->getInSize(), place = -1;
        T best = 0;
        windows->visit(o, [&](const int64_t *i) {
          T value = from[start + (i[0] * in[1] + i[1]) * in[2] + i[2]];
          // The first NaN wins and stays.
          bool beats = value > best || (value != value && best == best);
          if (place >= 0 && !beats)
            return;
          best = value;
          place = start;
          for (int d = 0; d < 3; ++d)
            place += i[d] * weights[d];
        });
        if (place < 0)
          return context.fail(CUVIL_INVALID_ARGUMENT,
                              "a window of arg_pool holds no element");
        places.push_back(place);
      }
    y.setI64(places);
    return llvm::success();
  });
}
