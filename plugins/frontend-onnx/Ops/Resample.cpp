// SPDX-License-Identifier: Apache-2.0
// Implements resampling of an axis as weighted gathers at computed positions.
#include "Resample.h"

namespace cuvil::onnx {
namespace {

Value number(Builder &b, Dim dim) {
  return b.convert(b.packScalar(dim), DType::F64);
}

/// Where each result element lies in the operand, as a vector of f64.
Value coordinates(Node &n, Value x, const AxisTarget &t, const Sampling &s) {
  Builder &b = n.b;
  Value i = b.iota({t.size}, 0, DType::F64);
  // The rules are written for the exact product, not for the floored size.
  Value in = number(b, b.dim(x, t.axis)), out = b.binary("mul", in, t.scale);
  Value one = b.real(DType::F64, 1), zero = b.real(DType::F64, 0);
  Value single = b.compare("eq", out, one);
  auto scaled = [&](Value position) {
    return b.binary("div", position, t.scale);
  };
  auto halfPixel = [&] {
    return b.binaryReal("sub", scaled(b.binaryReal("add", i, 0.5)), 0.5);
  };
  // A divisor of zero is replaced: its quotient is not used.
  Value steps = b.select(single, one, b.binary("sub", out, one));
  Value last = b.binary("sub", in, one);
  if (s.coordinate == "half_pixel")
    return halfPixel();
  if (s.coordinate == "pytorch_half_pixel")
    return b.select(single, zero, halfPixel());
  if (s.coordinate == "asymmetric")
    return scaled(i);
  if (s.coordinate == "tf_half_pixel_for_nn")
    return scaled(b.binaryReal("add", i, 0.5));
  if (s.coordinate == "align_corners")
    return b.select(single, zero,
                    b.binary("div", b.binary("mul", i, last), steps));
  if (s.coordinate == "half_pixel_symmetric") {
    Value adjustment = b.binary("div", number(b, t.size), out);
    Value center = b.binaryReal("div", in, 2);
    Value offset = b.binary("mul", center, b.binary("sub", one, adjustment));
    return b.binary("add", offset, halfPixel());
  }
  Value width = b.binary("sub", t.regionEnd, t.regionStart);
  Value stride = b.binary("div", b.binary("mul", width, last), steps);
  Value many = b.binary("add", b.binary("mul", t.regionStart, last),
                        b.binary("mul", i, stride));
  Value middle = b.binary(
      "mul",
      b.binaryReal("mul", b.binary("add", t.regionStart, t.regionEnd), 0.5),
      last);
  return b.select(single, middle, many);
}

Value roundedDown(Node &n, Value at, const std::string &rounding) {
  Builder &b = n.b;
  if (rounding == "floor")
    return b.unary("floor", at);
  if (rounding == "ceil")
    return b.unary("ceil", at);
  if (rounding == "round_prefer_floor")
    return b.unary("ceil", b.binaryReal("sub", at, 0.5));
  if (rounding == "round_prefer_ceil")
    return b.unary("floor", b.binaryReal("add", at, 0.5));
  n.bad("nearest_mode is ", quoted(rounding));
}

} // namespace

Values cubicWeights(Builder &b, Value t, double a) {
  auto poly = [&](Value d, double c3, double c2, double c1, double c0) {
    Value y = b.binaryReal("add", b.binaryReal("mul", d, c3), c2);
    y = b.binaryReal("add", b.binary("mul", y, d), c1);
    return b.binaryReal("add", b.binary("mul", y, d), c0);
  };
  auto far = [&](Value d) { return poly(d, a, -5 * a, 8 * a, -4 * a); };
  auto near = [&](Value d) { return poly(d, a + 2, -(a + 3), 0, 1); };
  Value rest = b.binary("sub", b.real(b.dtype(t), 1), t);
  return {far(b.binaryReal("add", t, 1)), near(t), near(rest),
          far(b.binaryReal("add", rest, 1))};
}

Value resampleAxis(Node &n, Value x, const AxisTarget &t, const Sampling &s) {
  Builder &b = n.b;
  if (s.antialias)
    n.refuse("antialias with factors known in the run only");
  Value at = coordinates(n, x, t, s);
  Value zero = b.real(DType::F64, 0);
  Value last = b.binaryReal("sub", number(b, b.dim(x, t.axis)), 1);
  auto pick = [&](Value position) {
    Value inside = b.binary("max", b.binary("min", position, last), zero);
    return b.gather(x, b.convert(inside, DType::I64), t.axis);
  };
  auto along = [&](Value v) {
    Dims dims(b.rank(x), b.num(1));
    dims[t.axis] = t.size;
    return b.reshape(v, dims);
  };
  Value y;
  if (s.mode == "nearest") {
    y = pick(roundedDown(n, at, s.rounding));
  } else {
    requireFloat(n, x);
    Value base = b.unary("floor", at), part = b.binary("sub", at, base);
    int64_t first = 0;
    Values weights = {b.binary("sub", b.real(DType::F64, 1), part), part};
    if (s.mode == "cubic") {
      first = -1;
      weights = cubicWeights(b, part, s.cubicA);
    }
    Value sum;
    for (size_t k = 0; k < weights.size(); ++k) {
      Value position = b.binaryReal("add", base, double(first) + double(k));
      if (s.excludeOutside) {
        Value inside = b.binary("and", b.compare("ge", position, zero),
                                b.compare("le", position, last));
        weights[k] = b.select(inside, weights[k], zero);
        sum = sum ? b.binary("add", sum, weights[k]) : weights[k];
      }
    }
    for (size_t k = 0; k < weights.size(); ++k) {
      Value position = b.binaryReal("add", base, double(first) + double(k));
      Value weight = sum ? b.binary("div", weights[k], sum) : weights[k];
      DType wide = b.dtype(widenFloat(b, x));
      Value term = b.binary("mul", b.convert(pick(position), wide),
                            along(b.convert(weight, wide)));
      y = y ? b.binary("add", y, term) : term;
    }
    y = b.convert(y, b.dtype(x));
  }
  if (s.coordinate == "tf_crop_and_resize") {
    Value inside =
        b.binary("and", b.compare("ge", at, zero), b.compare("le", at, last));
    y = b.select(along(inside), y, b.real(b.dtype(x), s.extrapolation));
  }
  return y;
}

} // namespace cuvil::onnx
