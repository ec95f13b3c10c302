// SPDX-License-Identifier: Apache-2.0
// Reference kernels of softmax and the normalisations.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

llvm::LogicalResult SoftmaxOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")))
    return llvm::failure();
  AxisSplit split(x.getDims(), getAxis());
  std::vector<double> values = x.toF64();
  for (int64_t row = 0; row < split.outer * split.inner; ++row) {
    double *from = values.data() +
                   row / split.inner * split.size * split.inner +
                   row % split.inner;
    double highest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (int64_t i = 0; i < split.size; ++i)
      highest = maximum(highest, from[i * split.inner]);
    for (int64_t i = 0; i < split.size; ++i)
      sum += std::exp(from[i * split.inner] - highest);
    for (int64_t i = 0; i < split.size; ++i) {
      double &value = from[i * split.inner];
      value -= highest;
      value = getLog() ? value - std::log(sum) : std::exp(value) / sum;
    }
  }
  y.setF64(values);
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// normalize
//===----------------------------------------------------------------------===//

namespace {
/// An optional parameter tensor with its value where it is absent.
struct Parameter {
  std::vector<double> values;
  double absent;
  Parameter(const EvalTensor *tensor, double absent) : absent(absent) {
    if (tensor)
      values = tensor->toF64();
  }
  double at(int64_t i) const { return values.empty() ? absent : values[i]; }
};
} // namespace

/// Normalises `count` values in place by their own statistics.
static void standardize(double *values, int64_t count, double eps,
                        bool subtractMean) {
  double mean = 0, squares = 0;
  if (subtractMean) {
    for (int64_t i = 0; i < count; ++i)
      mean += values[i];
    mean /= static_cast<double>(count);
  }
  for (int64_t i = 0; i < count; ++i)
    squares += (values[i] - mean) * (values[i] - mean);
  double deviation = std::sqrt(squares / static_cast<double>(count) + eps);
  for (int64_t i = 0; i < count; ++i)
    values[i] = (values[i] - mean) / deviation;
}

llvm::LogicalResult NormalizeOp::eval(EvalContext &context, Inputs inputs,
                                      Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")))
    return llvm::failure();
  llvm::StringRef kind = getKind();
  bool perRow = kind == "layer" || kind == "rms";
  Dims dims = x.getDims();
  // A parameter's element for an element of x: place / inner % size.
  int64_t inner, size;
  if (perRow) {
    inner = 1;
    size = countElements(dims.drop_front(getAxis().value_or(0)));
  } else {
    inner = countElements(dims.drop_front(2));
    size = dims[1];
  }
  for (int i = 1; i <= 4; ++i)
    if (const EvalTensor *parameter = getOptional(inputs, i))
      if (parameter->getNumElements() != size)
        return context.fail(CUVIL_INVALID_ARGUMENT,
                            "a parameter of normalize " + kind.str() +
                                " has dims " + toString(parameter->getDims()) +
                                ", expected " + std::to_string(size) +
                                " elements");
  if (x.getNumElements() == 0)
    return llvm::success();
  double eps = getEps().convertToDouble();
  std::vector<double> values = x.toF64();
  int64_t total = values.size();
  if (kind == "batch") {
    Parameter mean(getOptional(inputs, 3), 0), var(getOptional(inputs, 4), 1);
    for (int64_t i = 0; i < total; ++i) {
      int64_t channel = i / inner % size;
      values[i] =
          (values[i] - mean.at(channel)) / std::sqrt(var.at(channel) + eps);
    }
  } else {
    int64_t count = perRow ? size
                    : kind == "instance"
                        ? inner
                        : size / getGroups().value_or(1) * inner;
    for (int64_t i = 0; i < total; i += count)
      standardize(values.data() + i, count, eps, kind != "rms");
  }
  Parameter scale(getOptional(inputs, 1), 1), bias(getOptional(inputs, 2), 0);
  for (int64_t i = 0; i < total; ++i) {
    int64_t place = i / inner % size;
    values[i] = values[i] * scale.at(place) + bias.at(place);
  }
  y.setF64(values);
  return llvm::success();
}
