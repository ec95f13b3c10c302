// SPDX-License-Identifier: Apache-2.0
// Losses that models carry along: negative log likelihood and cross entropy.
#include "Common.h"

namespace cuvil::onnx {
namespace {

/// -logs at the target class, weighted, then reduced as asked.
Value likelihoodLoss(Node &n, Value logs, Value target, Value weight) {
  Builder &b = n.b;
  std::string reduction = n.s("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    n.bad("reduction is ", quoted(reduction));
  DType type = b.dtype(logs);
  Value one = b.real(type, 1), zero = b.real(type, 0);
  Value factor;
  if (weight)
    factor = weight;
  if (n.hasAttr("ignore_index")) {
    Value ignored = b.compare(
        "eq", target, b.integer(b.dtype(target), n.i("ignore_index", 0)));
    target = b.select(ignored, b.integer(b.dtype(target), 0), target);
    Value own = weight ? b.gather(weight, target, 0) : one;
    factor = b.select(ignored, zero, own);
  } else if (weight) {
    factor = b.gather(weight, target, 0);
  }
  Value picked =
      b.op("gather_elements", {logs, b.unsqueeze(target, {1})}, {{"axis", 1}});
  Value loss = b.unary("neg", b.squeeze(picked, {1}));
  if (factor)
    loss = b.binary("mul", loss, factor);
  Ints axes = range(0, static_cast<int64_t>(b.rank(loss)));
  if (reduction == "none")
    return loss;
  if (reduction == "mean" && !factor)
    return b.reduce("mean", loss, axes, false);
  Value sum = b.reduce("sum", loss, axes, false);
  if (reduction == "sum")
    return sum;
  return b.binary("div", sum, b.reduce("sum", factor, axes, false));
}

void negativeLogLikelihood(Node &n) {
  n.out(likelihoodLoss(n, n.in(0), n.in(1), n.opt(2)));
}

void crossEntropy(Node &n) {
  Value logs = n.b.softmax(n.in(0), 1, true);
  n.out(0, likelihoodLoss(n, logs, n.in(1), n.opt(2)));
  n.out(1, logs);
}

} // namespace

OpTable lossOps() {
  static constexpr OpEntry table[] = {
      {"", "NegativeLogLikelihoodLoss", 12, latest, negativeLogLikelihood},
      {"", "SoftmaxCrossEntropyLoss", 12, latest, crossEntropy},
  };
  return table;
}

} // namespace cuvil::onnx
