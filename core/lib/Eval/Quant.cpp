// SPDX-License-Identifier: Apache-2.0
// Reference kernels of affine quantisation.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

namespace {
/// How a place in x finds its scale and zero point.
struct ParameterIndex {
  int64_t inner = 1, size = 1;
  int64_t operator()(int64_t place) const { return place / inner % size; }
};
} // namespace

static llvm::FailureOr<ParameterIndex>
getParameterIndex(EvalContext &context, Inputs inputs, const EvalTensor &y,
                  std::optional<int64_t> axis) {
  const EvalTensor &x = *inputs[0], &scale = *inputs[1];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")) ||
      failed(requireDims(context, inputs[2]->getDims(), scale.getDims(),
                         "zero_point")))
    return llvm::failure();
  ParameterIndex index;
  if (scale.getRank() == 0)
    return index;
  AxisSplit split(x.getDims(), axis.value_or(0));
  index.inner = split.inner;
  index.size = split.size;
  if (failed(requireDims(context, scale.getDims(), {split.size}, "scale")))
    return llvm::failure();
  return index;
}

llvm::LogicalResult QuantizeOp::eval(EvalContext &context, Inputs inputs,
                                     Outputs outputs) {
  EvalTensor &y = *outputs[0];
  auto index = getParameterIndex(context, inputs, y, getAxis());
  if (failed(index))
    return llvm::failure();
  std::vector<double> values = inputs[0]->toF64(), scale = inputs[1]->toF64();
  std::vector<int64_t> zero = inputs[2]->toI64(), result;
  int bits = static_cast<int>(8 * getByteSize(y.getDtype()));
  bool noSign = isUnsigned(y.getDtype());
  double low = noSign ? 0 : -std::ldexp(1.0, bits - 1);
  double high = std::ldexp(1.0, noSign ? bits : bits - 1) - 1;
  // The quotient is one of f32 arithmetic unless the operands are f64.
  bool isDouble = inputs[0]->getDtype() == CUVIL_F64;
  for (size_t i = 0; i < values.size(); ++i) {
    double quotient = values[i] / scale[(*index)(i)];
    if (!isDouble)
      quotient = static_cast<float>(quotient);
    double code =
        std::nearbyint(quotient) + static_cast<double>(zero[(*index)(i)]);
    result.push_back(std::isnan(code) ? 0
                                      : static_cast<int64_t>(std::min(
                                            std::max(code, low), high)));
  }
  y.setI64(result);
  return llvm::success();
}

llvm::LogicalResult DequantizeOp::eval(EvalContext &context, Inputs inputs,
                                       Outputs outputs) {
  EvalTensor &y = *outputs[0];
  auto index = getParameterIndex(context, inputs, y, getAxis());
  if (failed(index))
    return llvm::failure();
  std::vector<double> values(y.getNumElements()), scale = inputs[1]->toF64();
  std::vector<int64_t> codes = inputs[0]->toI64(), zero = inputs[2]->toI64();
  for (size_t i = 0; i < values.size(); ++i) {
    int64_t place = (*index)(i);
    values[i] = static_cast<double>(codes[i] - zero[place]) * scale[place];
  }
  y.setF64(values);
  return llvm::success();
}
