// SPDX-License-Identifier: Apache-2.0
// Activations, softmax and its relatives.
#include "Common.h"

namespace cuvil::onnx {
namespace {

template <Word kind, int alphaPermille> void withAlpha(Node &n) {
  n.out(n.b.unary(kind.chars, n.in(0), n.f("alpha", alphaPermille / 1000.0)));
}

void relu(Node &n) {
  Value x = n.in(0);
  n.out(isUnsigned(n.b.dtype(x)) ? x : n.b.unary("relu", x));
}

void selu(Node &n) {
  n.out(n.b.unary("selu", n.in(0), n.f("alpha", 1.67326319217681884765625),
                  n.f("gamma", 1.05070102214813232421875)));
}

void hardSigmoid(Node &n) {
  n.out(
      n.b.unary("hard_sigmoid", n.in(0), n.f("alpha", 0.2), n.f("beta", 0.5)));
}

void gelu(Node &n) {
  std::string form = n.s("approximate", "none");
  if (form != "none" && form != "tanh")
    n.bad("approximate is ", quoted(form));
  n.out(n.b.unary(form == "tanh" ? "gelu_tanh" : "gelu", n.in(0)));
}

void swish(Node &n) {
  Builder &b = n.b;
  double alpha = n.f("alpha", 1);
  Value x = n.in(0);
  if (alpha == 1)
    return n.out(b.unary("silu", x));
  n.out(b.binary("mul", x, b.unary("sigmoid", b.binaryReal("mul", x, alpha))));
}

void prelu(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Value slope = b.broadcast(n.in(1), b.dims(x));
  Value negative = b.compare("lt", x, b.integer(b.dtype(x), 0));
  n.out(b.select(negative, b.binary("mul", x, slope), x));
}

void thresholdedRelu(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Value above = b.compare("gt", x, b.real(b.dtype(x), n.f("alpha", 1)));
  n.out(b.select(above, x, b.real(b.dtype(x), 0)));
}

void shrink(Node &n) {
  Builder &b = n.b;
  DType type = b.dtype(n.in(0));
  Value x = isFloat(type) ? n.in(0) : b.convert(n.in(0), DType::F64);
  double bias = n.f("bias", 0), lambda = n.f("lambd", 0.5);
  DType wide = b.dtype(x);
  Value below = b.compare("lt", x, b.real(wide, -lambda));
  Value above = b.compare("gt", x, b.real(wide, lambda));
  Value y = b.select(above, b.binaryReal("sub", x, bias), b.real(wide, 0));
  y = b.select(below, b.binaryReal("add", x, bias), y);
  n.out(b.convert(y, type));
}

/// Applies `fn` along `axis`; before opset 13 all later axes count as one.
template <typename Fn> void alongAxis(Node &n, Fn fn) {
  Builder &b = n.b;
  Value x = n.in(0);
  Dims dims = b.dims(x);
  auto rank = static_cast<int64_t>(dims.size());
  bool flattened = n.opset < 13;
  int64_t axis = n.i("axis", flattened ? 1 : -1);
  if (!flattened)
    return n.out(fn(x, n.axis(axis, rank)));
  axis = axis == rank ? rank : n.axis(axis, rank);
  Dim rows = b.product(std::span(dims).first(axis));
  Dim columns = b.product(std::span(dims).subspan(axis));
  if (axis == rank - 1)
    return n.out(fn(x, axis));
  n.out(b.reshape(fn(b.reshape(x, {rows, columns}), 1), dims));
}

template <bool log> void softmax(Node &n) {
  alongAxis(n,
            [&](Value x, int64_t axis) { return n.b.softmax(x, axis, log); });
}

void hardmax(Node &n) {
  Builder &b = n.b;
  alongAxis(n, [&](Value x, int64_t axis) {
    Value best = b.op("arg_reduce", {x},
                      {{"kind", "max"}, {"axis", axis}, {"keepdims", true}});
    auto rank = static_cast<int64_t>(b.rank(x));
    Value at = iotaAlong(b, b.dim(x, axis), axis, rank, DType::I64);
    return b.convert(b.compare("eq", at, best), b.dtype(x));
  });
}

} // namespace

OpTable activationOps() {
  static constexpr OpEntry table[] = {
      {"", "Relu", 6, latest, relu},
      {"", "LeakyRelu", 6, latest, withAlpha<"leaky_relu", 10>},
      {"", "Elu", 6, latest, withAlpha<"elu", 1000>},
      {"", "Celu", 12, latest, withAlpha<"celu", 1000>},
      {"", "Selu", 6, latest, selu},
      {"", "PRelu", 7, latest, prelu},
      {"", "Sigmoid", 6, latest, unaryOp<"sigmoid">},
      {"", "Tanh", 6, latest, unaryOp<"tanh">},
      {"", "HardSigmoid", 6, latest, hardSigmoid},
      {"", "HardSwish", 14, latest, unaryOp<"hard_swish">},
      {"", "Mish", 18, latest, unaryOp<"mish">},
      {"", "Softplus", 1, latest, unaryOp<"softplus">},
      {"", "Softsign", 1, latest, unaryOp<"softsign">},
      {"", "Gelu", 20, latest, gelu},
      {"", "Swish", 24, latest, swish},
      {"", "ThresholdedRelu", 10, latest, thresholdedRelu},
      {"", "Shrink", 9, latest, shrink},
      {"", "Softmax", 1, latest, softmax<false>},
      {"", "LogSoftmax", 1, latest, softmax<true>},
      {"", "Hardmax", 1, latest, hardmax},
      {"com.microsoft", "Gelu", 1, latest, unaryOp<"gelu">},
      {"com.microsoft", "FastGelu", 1, latest,
       [](Node &n) {
         Value x = n.in(0);
         if (n.has(1))
           x = n.b.binary("add", x, n.in(1));
         n.out(n.b.unary("gelu_tanh", x));
       }},
      {"com.microsoft", "QuickGelu", 1, latest,
       [](Node &n) {
         Value x = n.in(0);
         Value gate = n.b.binaryReal("mul", x, n.f("alpha", 1.702));
         n.out(n.b.binary("mul", x, n.b.unary("sigmoid", gate)));
       }},
  };
  return table;
}

} // namespace cuvil::onnx
