// SPDX-License-Identifier: Apache-2.0
// Ops that make tensors: constants, shapes, ranges, windows.
#include "Common.h"

#include <cmath>

namespace cuvil::onnx {
namespace {

void constant(Node &n) {
  Builder &b = n.b;
  if (const AttributeProto *a = n.attribute("value")) {
    if (!a->t)
      n.bad("attribute 'value' is not a tensor");
    return n.out(0, n.importer.importTensor(*a->t));
  }
  if (const AttributeProto *a = n.attribute("sparse_value")) {
    if (!a->sparse)
      n.bad("attribute 'sparse_value' is not a sparse tensor");
    return n.out(n.importer.importSparse(*a->sparse));
  }
  if (n.hasAttr("value_float"))
    return n.out(b.real(DType::F32, n.f("value_float", 0)));
  if (n.hasAttr("value_int"))
    return n.out(b.integer(DType::I64, n.i("value_int", 0)));
  if (auto values = n.ints("value_ints"))
    return n.out(b.intVector(*values));
  if (auto values = n.floats("value_floats"))
    return n.out(b.constant(DType::F32, {static_cast<int64_t>(values->size())},
                            *values));
  if (n.hasAttr("value_string") || n.hasAttr("value_strings"))
    n.refuse("string tensors are not supported");
  n.bad("it has no value");
}

void constantOfShape(Node &n) {
  Builder &b = n.b;
  Value scalar = b.real(DType::F32, 0);
  if (const AttributeProto *a = n.attribute("value")) {
    if (!a->t)
      n.bad("attribute 'value' is not a tensor");
    scalar = n.importer.importTensor(*a->t).value;
  }
  if (b.rank(n.in(0)) != 1)
    n.bad("its shape has rank ", b.rank(n.in(0)));
  n.out(b.fill(scalar, b.bindDims(n.in(0))));
}

void shape(Node &n) {
  Builder &b = n.b;
  Dims dims = b.dims(n.in(0));
  auto rank = static_cast<int64_t>(dims.size());
  int64_t start = 0, end = rank;
  if (n.opset >= 15) {
    auto clamped = [&](int64_t v) {
      return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank);
    };
    start = clamped(n.i("start", 0));
    end = std::max(start, clamped(n.i("end", rank)));
  }
  n.out(b.pack(Dims(dims.begin() + start, dims.begin() + end)));
}

void size(Node &n) { n.out(n.b.packScalar(n.b.product(n.b.dims(n.in(0))))); }

void eyeLike(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  if (b.rank(x) != 2)
    n.bad("its input has rank ", b.rank(x));
  DType type = n.hasAttr("dtype")
                   ? dtypeOf(static_cast<int32_t>(n.i("dtype", 0)))
                   : b.dtype(x);
  if (type == DType::None)
    n.refuse("its element type is not supported");
  Value row = iotaAlong(b, b.dim(x, 0), 0, 2, DType::I64);
  Value column = iotaAlong(b, b.dim(x, 1), 1, 2, DType::I64);
  Value on = b.compare("eq", b.binaryInt("add", row, n.i("k", 0)), column);
  n.out(b.convert(on, type));
}

/// Element i is start + i * delta; the count is computed in the run unless it
/// follows from sizes.
void rangeOp(Node &n) {
  Builder &b = n.b;
  Value start = b.toScalar(n.in(0)), limit = b.toScalar(n.in(1)),
        delta = b.toScalar(n.in(2));
  DType type = b.dtype(start);
  Dim count;
  std::optional<Dims> s, l, d;
  if (isInteger(type)) {
    s = b.valueAsDims(start);
    l = b.valueAsDims(limit);
    d = b.valueAsDims(delta);
  }
  auto step = d ? (*d)[0].constant() : std::nullopt;
  if (s && l && step) {
    if (*step == 0)
      n.bad("its delta is 0");
    Dim distance = (*l)[0] - (*s)[0];
    if (*step < 0)
      distance = b.num(0) - distance;
    int64_t width = std::abs(*step);
    count =
        (width == 1 ? distance : distance.ceilDiv(b.num(width))).max(b.num(0));
  } else {
    DType wide = isFloat(type) ? DType::F64 : DType::I64;
    Value from = b.convert(start, wide), by = b.convert(delta, wide);
    Value distance = b.binary("sub", b.convert(limit, wide), from);
    Value steps;
    if (isFloat(type)) {
      steps =
          b.convert(b.unary("ceil", b.binary("div", distance, by)), DType::I64);
    } else {
      Value zero = b.integer(DType::I64, 0);
      steps =
          b.binary("sub", zero,
                   b.binary("floordiv", b.binary("sub", zero, distance), by));
    }
    count = b.bindDims(b.binaryInt("max", steps, 0))[0];
  }
  Value index = b.iota({count}, 0, type);
  n.out(b.binary("add", start, b.binary("mul", index, delta)));
}

/// Window functions a0 - a1 cos(2 pi i / m) + a2 cos(4 pi i / m).
void window(Node &n, double a0, double a1, double a2) {
  Builder &b = n.b;
  DType type = dtypeOf(static_cast<int32_t>(n.i("output_datatype", 1)));
  bool periodic = n.i("periodic", 1);
  if (type == DType::None)
    n.refuse("its element type is not supported");
  Dim size = b.bindDim(n.in(0));
  Dim period = periodic ? size : size - 1;
  Value index = b.iota({size}, 0, DType::F64);
  Value turns =
      b.binary("div", index, b.convert(b.packScalar(period), DType::F64));
  auto wave = [&](double frequency, double weight) {
    Value angle = b.binaryReal("mul", turns, 2 * M_PI * frequency);
    return b.binaryReal("mul", b.unary("cos", angle), weight);
  };
  Value y = b.binaryReal("add", wave(1, -a1), a0);
  if (a2 != 0)
    y = b.binary("add", y, wave(2, a2));
  n.out(b.convert(y, type));
}

void hann(Node &n) { window(n, 0.5, 0.5, 0); }
void hamming(Node &n) { window(n, 25.0 / 46, 1 - 25.0 / 46, 0); }
void blackman(Node &n) { window(n, 0.42, 0.5, 0.08); }

} // namespace

OpTable creationOps() {
  static constexpr OpEntry table[] = {
      {"", "Constant", 1, latest, constant},
      {"", "ConstantOfShape", 9, latest, constantOfShape},
      {"", "Shape", 1, latest, shape},
      {"", "Size", 1, latest, size},
      {"", "EyeLike", 9, latest, eyeLike},
      {"", "Range", 11, latest, rangeOp},
      {"", "HannWindow", 17, latest, hann},
      {"", "HammingWindow", 17, latest, hamming},
      {"", "BlackmanWindow", 17, latest, blackman},
  };
  return table;
}

} // namespace cuvil::onnx
