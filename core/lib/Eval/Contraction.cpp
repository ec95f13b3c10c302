// SPDX-License-Identifier: Apache-2.0
// Reference kernels of dot and conv: one matrix kernel in f64, or in wrapping
// 64-bit integers.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

//===----------------------------------------------------------------------===//
// The matrix kernel
//===----------------------------------------------------------------------===//

namespace {
/// c[m x n] += a[m x k] * b[k x n], all compact.
template <typename T> struct Product {
  const T *a, *b;
  T *c;
  int64_t m, k, n;
};
} // namespace

// Rows and columns of the accumulator tile, which stays in the first cache.
static constexpr int64_t kRows = 4, kColumns = 64;

/// Each element of c adds up its products in order of k.
template <typename T>
[[gnu::always_inline]] static inline void multiplyTiles(const Product<T> &p) {
  for (int64_t j0 = 0; j0 < p.n; j0 += kColumns)
    for (int64_t i0 = 0; i0 < p.m; i0 += kRows) {
      T acc[kRows][kColumns] = {};
      int64_t rows = std::min(kRows, p.m - i0);
      int64_t columns = std::min(kColumns, p.n - j0);
      for (int64_t l = 0; l < p.k; ++l) {
        const T *from = p.b + l * p.n + j0;
        for (int64_t r = 0; r < rows; ++r) {
          T factor = p.a[(i0 + r) * p.k + l];
          if (columns == kColumns)
            for (int64_t j = 0; j < kColumns; ++j)
              acc[r][j] += factor * from[j];
          else
            for (int64_t j = 0; j < columns; ++j)
              acc[r][j] += factor * from[j];
        }
      }
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t j = 0; j < columns; ++j)
          p.c[(i0 + r) * p.n + j0 + j] += acc[r][j];
    }
}

static void multiply(const Product<uint64_t> &p) { multiplyTiles(p); }

#if defined(__x86_64__)
// Wider vectors do not change a result: every lane is an element of its own,
// and this target has no fused multiply-add.
[[gnu::target("avx2")]] static void multiplyWide(const Product<double> &p) {
  multiplyTiles(p);
}
#endif

static void multiply(const Product<double> &p) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2"))
    return multiplyWide(p);
#endif
  multiplyTiles(p);
}

/// Calls `fn` with the type that sums of products are computed in; products of
/// wrapped integers do not depend on the sign.
template <typename Fn> static auto dispatchProduct(cuvil_dtype dtype, Fn fn) {
  return isFloat(dtype) ? fn(double()) : fn(uint64_t());
}

//===----------------------------------------------------------------------===//
// dot
//===----------------------------------------------------------------------===//

/// The elements of `tensor` with its axes in the order `axes`.
template <typename T>
static std::vector<T> readPermuted(const EvalTensor &tensor, Dims axes) {
  std::vector<T> values = read<T>(tensor);
  llvm::SmallVector<int64_t> strides = getStrides(tensor.getDims());
  llvm::SmallVector<int64_t> dims, steps;
  for (int64_t axis : axes) {
    dims.push_back(tensor.getDims()[axis]);
    steps.push_back(strides[axis]);
  }
  std::vector<T> permuted(values.size());
  copyStrided(dims, sizeof(T), values.data(), steps, permuted.data(),
              getStrides(dims));
  return permuted;
}

static llvm::SmallVector<int64_t> getFreeAxes(int64_t rank, Dims batch,
                                              Dims contract) {
  llvm::SmallVector<int64_t> axes;
  for (int64_t axis = 0; axis < rank; ++axis)
    if (!llvm::is_contained(batch, axis) && !llvm::is_contained(contract, axis))
      axes.push_back(axis);
  return axes;
}

static llvm::SmallVector<int64_t> pick(Dims dims, Dims axes) {
  llvm::SmallVector<int64_t> picked;
  for (int64_t axis : axes)
    picked.push_back(dims[axis]);
  return picked;
}

static llvm::SmallVector<int64_t> join(Dims a, Dims b, Dims c) {
  llvm::SmallVector<int64_t> all(a);
  llvm::append_range(all, b);
  llvm::append_range(all, c);
  return all;
}

llvm::LogicalResult DotOp::eval(EvalContext &context, Inputs inputs,
                                Outputs outputs) {
  const EvalTensor &lhs = *inputs[0], &rhs = *inputs[1];
  EvalTensor &y = *outputs[0];
  Dims lhsBatch = getLhsBatch(), rhsBatch = getRhsBatch();
  Dims lhsContract = getLhsContract(), rhsContract = getRhsContract();
  auto lhsFree = getFreeAxes(lhs.getRank(), lhsBatch, lhsContract);
  auto rhsFree = getFreeAxes(rhs.getRank(), rhsBatch, rhsContract);
  auto batchDims = pick(lhs.getDims(), lhsBatch);
  auto sumDims = pick(lhs.getDims(), lhsContract);
  auto lhsDims = pick(lhs.getDims(), lhsFree);
  auto rhsDims = pick(rhs.getDims(), rhsFree);
  if (failed(requireDims(context, pick(rhs.getDims(), rhsBatch), batchDims,
                         "rhs's batch")) ||
      failed(requireDims(context, pick(rhs.getDims(), rhsContract), sumDims,
                         "rhs's contracted part")) ||
      failed(requireDims(context, y.getDims(),
                         join(batchDims, lhsDims, rhsDims), "the result")))
    return llvm::failure();
  int64_t batch = countElements(batchDims), k = countElements(sumDims);
  int64_t m = countElements(lhsDims), n = countElements(rhsDims);
  dispatchProduct(lhs.getDtype(), [&](auto type) {
    using T = decltype(type);
    auto a = readPermuted<T>(lhs, join(lhsBatch, lhsFree, lhsContract));
    auto b = readPermuted<T>(rhs, join(rhsBatch, rhsContract, rhsFree));
    std::vector<T> c(batch * m * n);
    for (int64_t i = 0; i < batch; ++i)
      multiply(Product<T>{a.data() + i * m * k, b.data() + i * k * n,
                          c.data() + i * m * n, m, k, n});
    write<T>(y, c);
  });
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// conv
//===----------------------------------------------------------------------===//

namespace {
/// The sizes of a convolution, its spatial axes filled up to three.
struct ConvSizes {
  int64_t batch, groups, channels, filters; // channels, filters per group
  int64_t in[3], out[3], kernel[3];
  int64_t stride[3], dilation[3], inputDilation[3], low[3];
  int64_t getInSize() const { return in[0] * in[1] * in[2]; }
  int64_t getOutSize() const { return out[0] * out[1] * out[2]; }
  int64_t getTaps() const { return kernel[0] * kernel[1] * kernel[2]; }
};
} // namespace

/// For one kernel tap and each output position of [begin, end): the place in
/// one channel of x, or -1 in the padding.
static void findSources(const ConvSizes &s, int64_t tap, int64_t begin,
                        int64_t end, std::vector<int64_t> &places) {
  int64_t at[3] = {tap / (s.kernel[1] * s.kernel[2]),
                   tap / s.kernel[2] % s.kernel[1], tap % s.kernel[2]};
  places.clear();
  for (int64_t position = begin; position < end; ++position) {
    int64_t o[3] = {position / (s.out[1] * s.out[2]),
                    position / s.out[2] % s.out[1], position % s.out[2]};
    int64_t place = 0;
    bool inside = true;
    for (int d = 0; d < 3; ++d) {
      int64_t i = o[d] * s.stride[d] + at[d] * s.dilation[d] - s.low[d];
      inside &= i >= 0 && i % s.inputDilation[d] == 0 &&
                i / s.inputDilation[d] < s.in[d];
      place = place * s.in[d] + i / s.inputDilation[d];
    }
    places.push_back(inside ? place : -1);
  }
}

// Output positions whose patches are gathered at a time.
static constexpr int64_t kPositions = 128;

/// y (zero on entry) += x * w, gathering patches as the columns of a matrix.
template <typename T>
static void convolve(const ConvSizes &s, const std::vector<T> &x,
                     const std::vector<T> &w, std::vector<T> &y) {
  int64_t inSize = s.getInSize(), outSize = s.getOutSize();
  int64_t taps = s.getTaps(), k = s.channels * taps;
  std::vector<T> patches(k * kPositions), part(s.filters * kPositions);
  std::vector<int64_t> places;
  for (int64_t begin = 0; begin < outSize; begin += kPositions) {
    int64_t count = std::min(kPositions, outSize - begin);
    std::vector<std::vector<int64_t>> sources(taps);
    for (int64_t tap = 0; tap < taps; ++tap)
      findSources(s, tap, begin, begin + count, sources[tap]);
    for (int64_t image = 0; image < s.batch * s.groups; ++image) {
      int64_t group = image % s.groups;
      const T *from = x.data() + image * s.channels * inSize;
      T *to = patches.data();
      for (int64_t c = 0; c < s.channels; ++c, from += inSize)
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t place : sources[tap])
            *to++ = place < 0 ? T(0) : from[place];
      std::fill(part.begin(), part.end(), T(0));
      multiply(Product<T>{w.data() + group * s.filters * k, patches.data(),
                          part.data(), s.filters, k, count});
      for (int64_t f = 0; f < s.filters; ++f)
        std::copy_n(part.data() + f * count, count,
                    y.data() + (image * s.filters + f) * outSize + begin);
    }
  }
}

llvm::LogicalResult ConvOp::eval(EvalContext &context, Inputs inputs,
                                 Outputs outputs) {
  const EvalTensor &x = *inputs[0], &w = *inputs[1];
  const EvalTensor *bias = getOptional(inputs, 2);
  EvalTensor &y = *outputs[0];
  auto low = context.evaluate(getLow()), high = context.evaluate(getHigh());
  if (failed(low) || failed(high))
    return llvm::failure();
  int64_t groups = getGroups(), rank = x.getRank() - 2;
  ConvSizes s = {
      x.getDims()[0], groups,    w.getDims()[1], w.getDims()[0] / groups,
      {1, 1, 1},      {1, 1, 1}, {1, 1, 1},      {1, 1, 1},
      {1, 1, 1},      {1, 1, 1}, {0, 0, 0}};
  llvm::SmallVector<int64_t> want = {x.getDims()[0], w.getDims()[0]};
  for (int64_t i = 0, d = 3 - rank; i < rank; ++i, ++d) {
    s.in[d] = x.getDims()[2 + i];
    s.kernel[d] = w.getDims()[2 + i];
    s.out[d] = y.getDims()[2 + i];
    s.stride[d] = getStrides()[i];
    s.dilation[d] = getDilations()[i];
    s.inputDilation[d] = getInputDilations()[i];
    s.low[d] = (*low)[i];
    int64_t dilated = (s.in[d] - 1) * s.inputDilation[d] + 1;
    int64_t room =
        dilated + s.low[d] + (*high)[i] - s.dilation[d] * (s.kernel[d] - 1) - 1;
    want.push_back((room >= 0 ? room / s.stride[d]
                              : -((s.stride[d] - 1 - room) / s.stride[d])) +
                   1);
  }
  if (failed(requireDims(context, y.getDims(), want, "the result")))
    return llvm::failure();
  if (x.getDims()[1] != groups * s.channels ||
      w.getDims()[0] != groups * s.filters ||
      (bias && bias->getNumElements() != w.getDims()[0]))
    return context.fail(CUVIL_INVALID_ARGUMENT,
                        "conv of x " + toString(x.getDims()) + " with w " +
                            toString(w.getDims()) + " in " +
                            std::to_string(groups) +
                            " groups: the channels do not fit");
  dispatchProduct(x.getDtype(), [&](auto type) {
    using T = decltype(type);
    std::vector<T> sums(y.getNumElements());
    convolve<T>(s, read<T>(x), read<T>(w), sums);
    if (bias) {
      std::vector<T> add = read<T>(*bias);
      int64_t outSize = s.getOutSize();
      for (size_t i = 0; i < sums.size(); ++i)
        sums[i] += add[i / outSize % add.size()];
    }
    write<T>(y, sums);
  });
  return llvm::success();
}
