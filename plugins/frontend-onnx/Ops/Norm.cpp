// SPDX-License-Identifier: Apache-2.0
// Normalisations over batch, layer, instance, group, and local windows.
#include "Common.h"

namespace cuvil::onnx {
namespace {

Value normalize(Builder &b, const char *kind, const Values &operands,
                double eps, Attrs attrs = {}) {
  attrs.emplace_back("kind", kind);
  attrs.emplace_back("eps", eps);
  return b.op("normalize", operands, attrs);
}

/// Runs in the widest of the operand types, as the sums of types differ.
void batchNorm(Node &n) {
  Builder &b = n.b;
  double eps = n.f("epsilon", 1e-5), momentum = n.f("momentum", 0.9);
  if (n.opset < 9 && n.i("spatial", 1) == 0)
    n.refuse("spatial = 0 is not supported");
  bool training = n.opset >= 14 && n.i("training_mode", 0);
  Values in = n.all();
  if (in.size() != 5)
    n.bad("it has ", in.size(), " inputs, not 5");
  DType type = b.dtype(in[0]), common = type;
  for (Value v : in)
    if (bitWidth(b.dtype(v)) > bitWidth(common))
      common = b.dtype(v);
  DType meanType = b.dtype(in[3]);
  for (Value &v : in)
    v = b.convert(v, common);
  if (!training) {
    for (size_t i = 1; i < n.numOutputs(); ++i)
      if (n.wants(i))
        n.refuse("training outputs are not supported");
    return n.out(b.convert(normalize(b, "batch", in, eps), type));
  }
  // Population statistics over everything but the channels.
  auto rank = static_cast<int64_t>(b.rank(in[0]));
  Ints axes = range(2, rank);
  axes.insert(axes.begin(), 0);
  Value mean = b.reduce("mean", in[0], axes, true);
  Value centered = b.binary("sub", in[0], mean);
  Value variance =
      b.reduce("mean", b.binary("mul", centered, centered), axes, false);
  Value flatMean = b.squeeze(mean, axes);
  n.out(b.convert(
      normalize(b, "batch", {in[0], in[1], in[2], flatMean, variance}, eps),
      type));
  auto running = [&](size_t i, Value before, Value now) {
    if (n.wants(i))
      n.out(i, b.convert(b.binary("add", b.binaryReal("mul", before, momentum),
                                  b.binaryReal("mul", now, 1 - momentum)),
                         meanType));
  };
  running(1, in[3], flatMean);
  running(2, in[4], variance);
}

void instanceNorm(Node &n) {
  double eps = n.f("epsilon", 1e-5);
  n.out(normalize(n.b, "instance", {n.in(0), n.in(1), n.in(2)}, eps));
}

/// Scale and bias are given per channel since version 21, per group before.
void groupNorm(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), scale = n.in(1), bias = n.in(2);
  int64_t groups = n.i("num_groups", 0);
  if (groups < 1 || b.rank(x) < 2)
    n.bad("num_groups is ", groups, " for rank ", b.rank(x));
  double eps = n.f("epsilon", 1e-5);
  if (n.opset >= 21)
    n.ignore("stash_type");
  Dim channels = b.dim(x, 1);
  if (n.opset < 21) {
    Dim each = channels.floorDiv(b.num(groups));
    auto spread = [&](Value v) {
      Value wide = b.broadcastAlong(v, {b.num(groups), each}, {0});
      return b.reshape(wide, {channels});
    };
    scale = spread(scale);
    bias = spread(bias);
  }
  n.out(normalize(b, "group", {x, scale, bias}, eps, {{"groups", groups}}));
}

/// Scale and bias repeated to the normalised dims, in the type of x.
Value tailOperand(Builder &b, Value v, Value x, int64_t axis) {
  if (!v)
    return v;
  Dims dims = b.dims(x);
  return b.broadcast(v, Dims(dims.begin() + axis, dims.end()));
}

/// Statistics are kept in float32 at least.
void layerNorm(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  DType type = b.dtype(x);
  auto rank = static_cast<int64_t>(b.rank(x));
  int64_t axis = n.axis(n.i("axis", -1), rank);
  double eps = n.f("epsilon", 1e-5);
  DType stash = dtypeOf(static_cast<int32_t>(n.i("stash_type", 1)));
  Value scale = tailOperand(b, n.opt(1), x, axis);
  Value bias = tailOperand(b, n.opt(2), x, axis);
  n.out(b.convert(
      normalize(b, "layer", {x, scale, bias}, eps, {{"axis", axis}}), type));
  if (!n.wants(1) && !n.wants(2))
    return;
  if (!isFloat(stash))
    n.refuse("stash_type is not supported");
  Ints axes = range(axis, rank);
  Value wide = b.convert(x, stash);
  Value mean = b.reduce("mean", wide, axes, true);
  Value centered = b.binary("sub", wide, mean);
  Value variance =
      b.reduce("mean", b.binary("mul", centered, centered), axes, true);
  n.out(1, mean);
  n.out(2, b.unary("rsqrt", b.binaryReal("add", variance, eps)));
}

void rmsNorm(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t axis = n.axis(n.i("axis", -1), static_cast<int64_t>(b.rank(x)));
  double eps = n.f("epsilon", 1e-5);
  n.ignore("stash_type");
  Value scale = tailOperand(b, b.convert(n.in(1), b.dtype(x)), x, axis);
  Value y = normalize(b, "rms", {x, scale}, eps, {{"axis", axis}});
  n.out(b.convert(y, b.dtype(n.in(1))));
}

/// x over the sum of a window of squares across channels.
void lrn(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t size = n.i("size", 0);
  double alpha = n.f("alpha", 1e-4), beta = n.f("beta", 0.75),
         bias = n.f("bias", 1);
  if (size < 1 || b.rank(x) < 2)
    n.bad("size is ", size, " for rank ", b.rank(x));
  Dims dims = b.dims(x), low(dims.size(), b.num(0)), high = low;
  // floor((size-1)/2) channels before, ceil((size-1)/2) after.
  low[1] = b.num((size - 1) / 2);
  high[1] = b.num(size / 2);
  Value squares =
      b.padConstant(b.binary("mul", x, x), b.real(b.dtype(x), 0), low, high);
  Value sum;
  for (int64_t i = 0; i < size; ++i) {
    Value part = b.sliceAxis(squares, 1, b.num(i), dims[1]);
    sum = sum ? b.binary("add", sum, part) : part;
  }
  Value base = b.binaryReal(
      "add", b.binaryReal("mul", sum, alpha / static_cast<double>(size)), bias);
  n.out(b.binary("div", x, b.binaryReal("pow", base, beta)));
}

/// A zero norm gives zero.
void lpNormalization(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t p = n.i("p", 2);
  int64_t axis = n.axis(n.i("axis", -1), static_cast<int64_t>(b.rank(x)));
  if (p != 1 && p != 2)
    n.bad("p is ", p, ", not 1 or 2");
  Value norm = p == 1 ? b.reduce("sum", b.unary("abs", x), {axis}, true)
                      : b.unary("sqrt", b.reduce("sum", b.binary("mul", x, x),
                                                 {axis}, true));
  Value zero = b.real(b.dtype(x), 0);
  n.out(b.select(b.compare("eq", norm, zero), zero, b.binary("div", x, norm)));
}

void meanVariance(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  Ints axes = n.axes(n.ints("axes").value_or(Ints{0, 2, 3}), rank);
  Value centered = b.binary("sub", x, b.reduce("mean", x, axes, true));
  Value variance =
      b.reduce("mean", b.binary("mul", centered, centered), axes, true);
  Value deviation = b.binaryReal("add", b.unary("sqrt", variance), 1e-9);
  n.out(b.binary("div", centered, deviation));
}

/// Layer normalisation of the sum of input, skip and bias.
template <bool simplified> void skipLayerNorm(Node &n) {
  Builder &b = n.b;
  double eps = n.f("epsilon", simplified ? 1e-5 : 1e-12);
  Value beta = simplified ? Value() : n.opt(3);
  Value bias = n.opt(simplified ? 3 : 4);
  Value sum = b.binary("add", n.in(0), n.in(1));
  if (bias)
    sum = b.binary("add", sum, bias);
  auto axis = static_cast<int64_t>(b.rank(sum)) - 1;
  Values operands = {sum, n.in(2)};
  if (!simplified)
    operands.push_back(beta);
  n.out(normalize(b, simplified ? "rms" : "layer", operands, eps,
                  {{"axis", axis}}));
  if (n.wants(3))
    n.out(3, sum);
}

} // namespace

OpTable normOps() {
  static constexpr OpEntry table[] = {
      {"", "BatchNormalization", 7, latest, batchNorm},
      {"", "InstanceNormalization", 6, latest, instanceNorm},
      {"", "GroupNormalization", 18, latest, groupNorm},
      {"", "LayerNormalization", 17, latest, layerNorm},
      {"", "RMSNormalization", 23, latest, rmsNorm},
      {"", "SimplifiedLayerNormalization", 1, latest, rmsNorm},
      {"", "LRN", 1, latest, lrn},
      {"", "LpNormalization", 1, latest, lpNormalization},
      {"", "MeanVarianceNormalization", 9, latest, meanVariance},
      {"com.microsoft", "SkipLayerNormalization", 1, latest,
       skipLayerNorm<false>},
      {"com.microsoft", "SkipSimplifiedLayerNormalization", 1, latest,
       skipLayerNorm<true>},
  };
  return table;
}

} // namespace cuvil::onnx
