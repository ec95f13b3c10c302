// SPDX-License-Identifier: Apache-2.0
// Quantisation to and from 8- and 16-bit integers, and integer products.
#include "Window.h"

namespace cuvil::onnx {
namespace {

/// Scale and zero point as `x` needs them: of rank 0, of rank 1 along `axis`,
/// or (blocked) of the dims of x.
struct Params {
  Value scale, zero;
  std::optional<int64_t> axis;
  bool blocked = false;
};

bool isSmallInt(DType type) {
  return type == DType::I8 || type == DType::U8 || type == DType::I16 ||
         type == DType::U16;
}

/// Repeats each element `block` times along `axis`, cut to x's size.
Value repeatBlocks(Builder &b, Value v, int64_t axis, int64_t block, Value x) {
  Dims dims = b.dims(v), wide = dims, merged = dims;
  wide.insert(wide.begin() + axis + 1, b.num(block));
  merged[axis] = dims[axis] * block;
  Ints mapping = range(0, axis + 1);
  Ints after = range(axis + 2, static_cast<int64_t>(wide.size()));
  mapping.insert(mapping.end(), after.begin(), after.end());
  Value y = b.reshape(b.broadcastAlong(v, wide, mapping), merged);
  return b.sliceAxis(y, axis, b.num(0), b.dim(x, axis));
}

Params readParams(Node &n, Value x, Value scale, Value zero) {
  Builder &b = n.b;
  int64_t block = n.opset >= 21 ? n.i("block_size", 0) : 0;
  auto rank = static_cast<int64_t>(b.rank(x));
  int64_t axis = n.opset >= 13 ? n.i("axis", 1) : 1;
  Params p{scale, zero, std::nullopt};
  if (b.rank(scale) == 0 || (b.rank(scale) == 1 && b.dim(scale, 0).is(1))) {
    p.scale = b.toScalar(scale);
    p.zero = b.toScalar(zero);
    return p;
  }
  axis = n.axis(axis, rank);
  if (b.rank(scale) == 1 && block == 0) {
    p.axis = axis;
    return p;
  }
  if (static_cast<int64_t>(b.rank(scale)) != rank || block < 1)
    n.bad("its scale has rank ", b.rank(scale), " for an input of rank ", rank);
  p.blocked = true;
  p.scale = repeatBlocks(b, scale, axis, block, x);
  p.zero = repeatBlocks(b, zero, axis, block, x);
  return p;
}

Value zeroLike(Builder &b, Value scale, DType type) {
  return b.fill(b.integer(type, 0), b.dims(scale));
}

Attrs axisAttr(const Params &p) {
  if (p.axis)
    return {{"axis", *p.axis}};
  return {};
}

void quantize(Node &n) {
  Builder &b = n.b;
  n.ignore("saturate"); // matters for 8-bit floats only
  Value x = n.in(0), scale = n.in(1), zero = n.opt(2);
  int64_t wanted = n.opset >= 21 ? n.i("output_dtype", 0) : 0;
  int64_t precision = n.opset >= 23 ? n.i("precision", 0) : 0;
  DType type = zero     ? b.dtype(zero)
               : wanted ? dtypeOf(static_cast<int32_t>(wanted))
                        : DType::U8;
  if (!isSmallInt(type))
    n.refuse("quantisation to ",
             zero ? dtypeName(type)
                  : elementTypeName(static_cast<int32_t>(wanted)).c_str(),
             " is not supported");
  if (precision && !isFloat(dtypeOf(static_cast<int32_t>(precision))))
    n.refuse("precision is not a supported float type");
  if (!zero)
    zero = zeroLike(b, scale, type);
  Params p = readParams(n, x, scale, zero);
  // Mixed types meet in float32 unless the model says otherwise.
  DType common = b.dtype(x) == b.dtype(scale) && isFloat(b.dtype(x))
                     ? b.dtype(x)
                     : DType::F32;
  if (precision)
    common = dtypeOf(static_cast<int32_t>(precision));
  x = b.convert(x, common);
  p.scale = b.convert(p.scale, common);
  if (!p.blocked)
    return n.out(b.op("quantize", {x, p.scale, p.zero}, axisAttr(p)));
  Value rounded = b.unary("round_even", b.binary("div", x, p.scale));
  Value shifted = b.binary("add", rounded, b.convert(p.zero, common));
  n.out(b.convertSaturating(shifted, type, "even"));
}

void dequantize(Node &n) {
  Builder &b = n.b;
  Value x = n.packedIn(0), scale = n.in(1);
  Value zero = n.has(2) ? n.packedIn(2) : zeroLike(b, scale, b.dtype(x));
  int64_t wanted = n.opset >= 23 ? n.i("output_dtype", 0) : 0;
  DType type = wanted ? dtypeOf(static_cast<int32_t>(wanted)) : b.dtype(scale);
  if (!isFloat(type))
    n.refuse("its output type is not supported");
  Params p = readParams(n, x, scale, zero);
  if (!p.blocked && isSmallInt(b.dtype(x)))
    return n.out(
        b.convert(b.op("dequantize", {x, p.scale, p.zero}, axisAttr(p)), type));
  auto along = [&](Value v) {
    if (!p.axis)
      return v;
    return b.broadcastAlong(v, b.dims(x), {*p.axis});
  };
  // Differences of 32-bit integers need more than float32.
  DType wide = bitWidth(b.dtype(x)) > 16 ? DType::F64 : DType::F32;
  Value difference =
      b.binary("sub", b.convert(x, wide), along(b.convert(p.zero, wide)));
  Value y = b.binary("mul", difference, along(b.convert(p.scale, wide)));
  n.out(b.convert(y, type));
}

void dynamicQuantize(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Ints axes = range(0, static_cast<int64_t>(b.rank(x)));
  Value top = b.binaryReal("max", b.reduce("max", x, axes, false), 0);
  Value bottom = b.binaryReal("min", b.reduce("min", x, axes, false), 0);
  Value scale = b.binaryReal("div", b.binary("sub", top, bottom), 255);
  // All zeros: any scale is right but zero.
  Value zero = b.real(DType::F32, 0);
  scale = b.select(b.compare("eq", scale, zero), b.real(DType::F32, 1), scale);
  Value point = b.binary("div", b.binary("sub", zero, bottom), scale);
  point = b.convertSaturating(b.unary("round_even", point), DType::U8, "even");
  n.out(0, b.op("quantize", {x, scale, point}));
  n.out(1, scale);
  n.out(2, point);
}

/// `x` in int32 less its zero point, which may differ along one axis.
Value centered(Node &n, Value x, Value zero, bool rows) {
  Builder &b = n.b;
  Value wide = b.convert(x, DType::I32);
  if (!zero)
    return wide;
  Value point = b.convert(zero, DType::I32);
  if (b.rank(point) == 1 && b.dim(point, 0).is(1))
    point = b.toScalar(point);
  else if (b.rank(point) == 1 && rows)
    point = b.unsqueeze(point, {1});
  return b.binary("sub", wide, b.broadcast(point, b.dims(wide)));
}

void matMulInteger(Node &n) {
  n.out(n.b.matmul(centered(n, n.in(0), n.opt(2), true),
                   centered(n, n.in(1), n.opt(3), false)));
}

/// round(sum * scale / target) + zero point, saturated.
Value requantize(Builder &b, Value sum, Value factor, Value zero) {
  Value y = b.binary("mul", b.convert(sum, DType::F32), factor);
  y = b.binary("add", b.unary("round_even", y),
               b.convert(b.toScalar(zero), DType::F32));
  return b.convertSaturating(y, b.dtype(zero), "even");
}

Value scalarScale(Node &n, size_t i) {
  if (n.b.rank(n.in(i)) > 0 && !n.b.dim(n.in(i), 0).is(1))
    n.refuse("input ", i, " has to be a single number");
  return n.b.convert(n.b.toScalar(n.in(i)), DType::F32);
}

void qLinearMatMul(Node &n) {
  Builder &b = n.b;
  Value sum = b.matmul(centered(n, n.in(0), n.in(2), true),
                       centered(n, n.in(3), n.in(5), false));
  Value factor =
      b.binary("mul", scalarScale(n, 1), b.convert(n.in(4), DType::F32));
  factor = b.binary("div", factor, scalarScale(n, 6));
  n.out(requantize(b, sum, factor, n.in(7)));
}

void qLinearConv(Node &n) {
  Builder &b = n.b;
  Value x = centered(n, n.in(0), n.in(2), false);
  Value w = b.convert(n.in(3), DType::I32), zero = n.in(5);
  auto rank = static_cast<int64_t>(b.rank(w));
  Value wScale = b.convert(n.in(4), DType::F32);
  auto perChannel = [&](Value v, int64_t axis, int64_t rank) {
    if (b.rank(v) == 0 || b.dim(v, 0).is(1))
      return b.toScalar(v);
    Dims dims(rank, b.num(1));
    dims[axis] = b.dim(v, 0);
    return b.reshape(v, dims);
  };
  w = b.binary("sub", w, perChannel(b.convert(zero, DType::I32), 0, rank));
  Dims in = spatialDims(n, x), kernel = spatialDims(n, w);
  n.ignore("kernel_shape");
  Window window = readWindow(n, in, kernel);
  Value bias = n.has(8) ? n.in(8) : Value();
  Value sum = b.op("conv", {x, w, bias},
                   {{"strides", window.strides},
                    {"low", window.low},
                    {"high", window.high},
                    {"dilations", window.dilations},
                    {"input_dilations", Ints(in.size(), 1)},
                    {"groups", n.i("group", 1)}});
  Value factor = b.binary("div", b.binary("mul", scalarScale(n, 1), wScale),
                          scalarScale(n, 6));
  n.out(requantize(b, sum, perChannel(factor, 1, rank), n.in(7)));
}

} // namespace

OpTable quantOps() {
  static constexpr OpEntry table[] = {
      {"", "QuantizeLinear", 10, latest, quantize},
      {"", "DequantizeLinear", 10, latest, dequantize},
      {"", "DynamicQuantizeLinear", 11, latest, dynamicQuantize},
      {"", "MatMulInteger", 10, latest, matMulInteger},
      {"", "QLinearMatMul", 10, latest, qLinearMatMul},
      {"", "QLinearConv", 10, latest, qLinearConv},
  };
  return table;
}

} // namespace cuvil::onnx
