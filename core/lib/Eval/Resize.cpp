// SPDX-License-Identifier: Apache-2.0
// Reference kernel of resampling: axis by axis, by weighted taps.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

namespace {
struct Tap {
  int64_t index;
  double weight;
};
/// What each position of a result axis is made of.
using AxisTaps = std::vector<std::vector<Tap>>;
} // namespace

/// The place on the operand's axis that a result position stands for.
static double getCoordinate(llvm::StringRef rule, int64_t position, int64_t in,
                            int64_t out, double scale) {
  double resized = scale * static_cast<double>(in);
  double halfPixel = (static_cast<double>(position) + 0.5) / scale - 0.5;
  if (rule == "align_corners")
    return resized == 1
               ? 0
               : static_cast<double>(position * (in - 1)) / (resized - 1);
  if (rule == "asymmetric")
    return static_cast<double>(position) / scale;
  if (rule == "pytorch_half_pixel" && resized == 1)
    return 0;
  if (rule == "half_pixel_symmetric")
    return static_cast<double>(in) / 2 *
               (1 - static_cast<double>(out) / resized) +
           halfPixel;
  return halfPixel;
}

static double roundNearest(llvm::StringRef rounding, double x) {
  if (rounding == "round_prefer_floor")
    return std::ceil(x - 0.5);
  if (rounding == "round_prefer_ceil")
    return std::floor(x + 0.5);
  return rounding == "floor" ? std::floor(x) : std::ceil(x);
}

/// The filter at a distance.
static double getWeight(bool isCubic, double a, double distance) {
  double x = std::fabs(distance);
  if (!isCubic)
    return std::max(0.0, 1 - x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The taps of one axis; `in` is positive.
static AxisTaps getTaps(ResizeOp op, int64_t in, int64_t out, double scale) {
  AxisTaps taps(out);
  bool isCubic = op.getKind() == "cubic";
  double a = op.getCubicA().convertToDouble();
  // The filter widens by 1 / narrow.
  double narrow = op.getAntialias() ? std::min(scale, 1.0) : 1.0;
  double reach = isCubic ? 2 : 1;
  int64_t start = static_cast<int64_t>(std::floor(-reach / narrow)) + 1;
  for (int64_t i = 0; i < out; ++i) {
    double x = getCoordinate(op.getCoordinate(), i, in, out, scale);
    if (op.getKind() == "nearest") {
      double place = roundNearest(op.getRounding(), x);
      place = std::min(std::max(place, 0.0), static_cast<double>(in - 1));
      taps[i] = {{static_cast<int64_t>(place), 1}};
      continue;
    }
    // Far outside every tap is the border anyway.
    double limit = static_cast<double>(in) + reach / narrow + 1;
    x = std::min(std::max(x, -limit), limit);
    int64_t base = static_cast<int64_t>(std::floor(x));
    double sum = 0;
    for (int64_t offset = start; offset <= 1 - start; ++offset) {
      int64_t index = base + offset;
      double distance = (static_cast<double>(index) - x) * narrow;
      double weight = getWeight(isCubic, a, distance);
      if (op.getExcludeOutside() && (index < 0 || index >= in))
        continue;
      sum += weight;
      taps[i].push_back({std::clamp<int64_t>(index, 0, in - 1), weight});
    }
    if (op.getExcludeOutside() || op.getAntialias())
      for (Tap &tap : taps[i])
        tap.weight /= sum;
  }
  return taps;
}

/// One axis resampled in f64.
static std::vector<double> resample(const std::vector<double> &values,
                                    const AxisSplit &split,
                                    const AxisTaps &taps) {
  std::vector<double> result;
  result.reserve(split.outer * taps.size() * split.inner);
  for (int64_t outer = 0; outer < split.outer; ++outer)
    for (const std::vector<Tap> &list : taps)
      for (int64_t inner = 0; inner < split.inner; ++inner) {
        double sum = 0;
        for (const Tap &tap : list)
          sum += tap.weight *
                 values[(outer * split.size + tap.index) * split.inner + inner];
        result.push_back(sum);
      }
  return result;
}

/// One axis picked element by element, as bytes.
static std::vector<char> pickNearest(const std::vector<char> &bytes,
                                     const AxisSplit &split, int64_t size,
                                     const AxisTaps &taps) {
  std::vector<char> result;
  int64_t row = split.inner * size;
  for (int64_t outer = 0; outer < split.outer; ++outer)
    for (const std::vector<Tap> &list : taps) {
      const char *from =
          bytes.data() + (outer * split.size + list.front().index) * row;
      result.insert(result.end(), from, from + row);
    }
  return result;
}

llvm::LogicalResult ResizeOp::eval(EvalContext &context, Inputs inputs,
                                   Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  bool isNearest = getKind() == "nearest";
  const char *data = static_cast<const char *>(x.getData());
  std::vector<char> bytes;
  std::vector<double> values;
  if (isNearest)
    bytes.assign(data, data + x.getNumBytes());
  else
    values = x.toF64();
  llvm::SmallVector<int64_t> dims(x.getDims());
  for (int64_t axis = 0; axis < y.getRank(); ++axis) {
    int64_t in = x.getDims()[axis], out = y.getDims()[axis];
    double scale = getScales()[axis];
    if (scale == 0)
      scale = static_cast<double>(out) / static_cast<double>(in);
    if (in == out && scale == 1)
      continue;
    if ((in == 0 && out != 0) || !(scale > 0 || out == 0) || std::isinf(scale))
      return context.fail(CUVIL_INVALID_ARGUMENT,
                          "can't resize an axis of size " + std::to_string(in) +
                              " to " + std::to_string(out));
    AxisTaps taps;
    if (out != 0)
      taps = getTaps(*this, in, out, scale);
    AxisSplit split(dims, axis);
    if (isNearest)
      bytes = pickNearest(bytes, split, getByteSize(x.getDtype()), taps);
    else
      values = resample(values, split, taps);
    dims[axis] = out;
  }
  if (failed(requireDims(context, y.getDims(), dims, "the result")))
    return llvm::failure();
  if (!isNearest)
    y.setF64(values);
  else if (!bytes.empty())
    std::memcpy(y.getMutableData(), bytes.data(), bytes.size());
  return llvm::success();
}
