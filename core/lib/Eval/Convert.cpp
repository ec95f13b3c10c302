// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the conversions between element types.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"
#include <limits>

using namespace cuvil;
using namespace cuvil::detail;

/// An integer as f64 such that one more rounding, to any narrower float, gives
/// what rounding the integer itself would: lost bits stay as a sticky one.
/// Not for f64 itself.
static double toSticky(uint64_t magnitude) {
  constexpr uint64_t low = 0x7ff;
  if (magnitude >> 53 && magnitude & low)
    magnitude = (magnitude & ~low) | (low + 1);
  return static_cast<double>(magnitude);
}

static double intToFloat(int64_t value, bool isSigned, cuvil_dtype to) {
  bool isNegative = isSigned && value < 0;
  uint64_t magnitude = isNegative ? -uint64_t(value) : uint64_t(value);
  double result =
      to == CUVIL_F64 ? static_cast<double>(magnitude) : toSticky(magnitude);
  return isNegative ? -result : result;
}

/// The range of an integer type as [lowest, 2^k): both exact doubles.
static std::pair<double, double> getRange(cuvil_dtype dtype) {
  int bits = static_cast<int>(8 * getByteSize(dtype));
  if (isUnsigned(dtype))
    return {0, std::ldexp(1.0, bits)};
  return {-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1)};
}

static int64_t floatToInt(double value, cuvil_dtype to, bool even,
                          bool saturate) {
  value = even ? std::nearbyint(value) : std::trunc(value);
  auto [low, end] = getRange(to);
  if (saturate) {
    if (std::isnan(value))
      return 0;
    if (value < low)
      return static_cast<int64_t>(low);
    if (value >= end)
      return wrap(to, isUnsigned(to) ? -1
                                     : static_cast<int64_t>(uint64_t(end) - 1));
  }
  if (value >= 0x1p63 && value < end)
    return static_cast<int64_t>(static_cast<uint64_t>(value));
  if (!(value >= -0x1p63 && value < 0x1p63))
    return wrap(to, std::numeric_limits<int64_t>::min());
  return wrap(to, static_cast<int64_t>(value));
}

/// An integer clamped to another integer type's range.
static int64_t clampInteger(int64_t value, bool fromUnsigned, cuvil_dtype to) {
  int bits = static_cast<int>(8 * getByteSize(to));
  bool isNegative = !fromUnsigned && value < 0;
  if (isUnsigned(to)) {
    uint64_t highest = ~uint64_t(0) >> (64 - bits);
    return isNegative
               ? 0
               : static_cast<int64_t>(std::min(uint64_t(value), highest));
  }
  int64_t highest = static_cast<int64_t>(~uint64_t(0) >> (65 - bits));
  if (isNegative)
    return std::max(value, -highest - 1);
  return static_cast<int64_t>(
      std::min(uint64_t(value), static_cast<uint64_t>(highest)));
}

llvm::LogicalResult ConvertOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")))
    return llvm::failure();
  cuvil_dtype from = x.getDtype(), to = y.getDtype();
  if (isFloat(from)) {
    std::vector<double> values = x.toF64();
    if (isFloat(to) || to == CUVIL_BOOL) {
      y.setF64(values);
      return llvm::success();
    }
    bool even = getRound() == "even", saturate = getSaturate();
    std::vector<int64_t> integers(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      integers[i] = floatToInt(values[i], to, even, saturate);
    y.setI64(integers);
    return llvm::success();
  }
  std::vector<int64_t> values = x.toI64();
  if (isFloat(to)) {
    std::vector<double> reals(values.size());
    for (size_t i = 0; i < values.size(); ++i)
      reals[i] = intToFloat(values[i], !isUnsigned(from), to);
    y.setF64(reals);
    return llvm::success();
  }
  if (getSaturate() && to != CUVIL_BOOL)
    for (int64_t &value : values)
      value = clampInteger(value, isUnsigned(from), to);
  y.setI64(values);
  return llvm::success();
}

llvm::LogicalResult BitcastOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")))
    return llvm::failure();
  if (getByteSize(x.getDtype()) != getByteSize(y.getDtype()))
    return context.fail(CUVIL_INVALID_ARGUMENT,
                        "bitcast between types of different width");
  std::memcpy(y.getMutableData(), x.getData(), x.getNumBytes());
  return llvm::success();
}
