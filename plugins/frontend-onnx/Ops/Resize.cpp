// SPDX-License-Identifier: Apache-2.0
// Resize and Upsample: sizes and scales resolved, sampling left to the core.
#include "Resample.h"

#include <cmath>

namespace cuvil::onnx {
namespace {

/// A resampling of the whole tensor: result dims and, per axis, the factor of
/// the coordinate rule (0 = result dim over operand dim).
struct Target {
  Dims dims;
  std::vector<double> scales;
};

/// floor(size * scale); exact for symbolic sizes when the scale is a short
/// binary fraction.
Dim scaledSize(Node &n, Dim size, double scale) {
  Builder &b = n.b;
  if (scale == 1)
    return size;
  if (auto known = size.constant())
    return b.num(static_cast<int64_t>(
        std::floor(static_cast<float>(*known) * static_cast<float>(scale))));
  for (int64_t divisor = 1; divisor <= 1024; divisor *= 2) {
    double factor = scale * static_cast<double>(divisor);
    if (factor == std::floor(factor) && factor < 1e6) {
      Dim product = size * static_cast<int64_t>(factor);
      return divisor == 1 ? product : product.floorDiv(b.num(divisor));
    }
  }
  // 1/3 and the like are stored rounded.
  double inverse = std::nearbyint(1 / scale);
  if (scale < 1 && static_cast<float>(1 / inverse) == static_cast<float>(scale))
    return size.floorDiv(b.num(static_cast<int64_t>(inverse)));
  n.refuse("scale ", std::to_string(scale),
           " of an axis whose size is not known");
}

Target fromScales(Node &n, Value x, const Ints &axes,
                  const std::vector<double> &scales) {
  Builder &b = n.b;
  Target t{b.dims(x), std::vector<double>(b.rank(x), 1.0)};
  if (scales.size() != axes.size())
    n.bad("it has ", scales.size(), " scales for ", axes.size(), " axes");
  for (size_t i = 0; i < axes.size(); ++i) {
    if (!(scales[i] > 0) || scales[i] > 1e9)
      n.bad("a scale is ", std::to_string(scales[i]));
    t.dims[axes[i]] = scaledSize(n, t.dims[axes[i]], scales[i]);
    t.scales[axes[i]] = scales[i];
  }
  return t;
}

Target fromSizes(Node &n, Value x, const Ints &axes, const Dims &sizes,
                 const std::string &policy) {
  Builder &b = n.b;
  Target t{b.dims(x), std::vector<double>(b.rank(x), 1.0)};
  if (sizes.size() != axes.size())
    n.bad("it has ", sizes.size(), " sizes for ", axes.size(), " axes");
  if (policy == "stretch") {
    for (size_t i = 0; i < axes.size(); ++i) {
      bool same = t.dims[axes[i]] == sizes[i];
      t.dims[axes[i]] = sizes[i];
      t.scales[axes[i]] = same ? 1 : 0;
    }
    return t;
  }
  // One factor for all axes, the smallest or largest, kept exact.
  std::optional<double> scale;
  for (size_t i = 0; i < axes.size(); ++i) {
    auto in = t.dims[axes[i]].constant(), out = sizes[i].constant();
    if (!in || !out || *in == 0)
      n.refuse("keep_aspect_ratio_policy with sizes that are not known");
    double own = static_cast<double>(*out) / static_cast<double>(*in);
    if (!scale || (policy == "not_larger" ? own < *scale : own > *scale))
      scale = own;
  }
  for (int64_t axis : axes) {
    auto in = static_cast<double>(*t.dims[axis].constant());
    t.dims[axis] = b.num(static_cast<int64_t>(std::floor(in * *scale + 0.5)));
    t.scales[axis] = *scale;
  }
  return t;
}

void sample(Node &n, Value x, const Target &t, const Sampling &s) {
  n.out(n.b.op("resize", {x},
               {{"kind", s.mode},
                {"shape", t.dims},
                {"scales", t.scales},
                {"coordinate", s.coordinate},
                {"rounding", s.rounding},
                {"cubic_a", s.cubicA},
                {"exclude_outside", s.excludeOutside},
                {"antialias", s.antialias}}));
}

std::string readMode(Node &n) {
  std::string mode = n.s("mode", "nearest");
  if (mode == "bilinear" || mode == "trilinear")
    mode = "linear";
  if (mode != "nearest" && mode != "linear" && mode != "cubic")
    n.bad("mode is ", quoted(mode));
  return mode;
}

/// Element i of a vector, as a rank-0 f64.
Value element(Builder &b, Value v, size_t i) {
  Value one = b.sliceAxis(v, 0, b.num(static_cast<int64_t>(i)), b.num(1));
  return b.convert(b.toScalar(one), DType::F64);
}

/// Axis by axis, with scales or sizes that only the run knows, or a region.
void resampleAtRunTime(Node &n, Value x, const Ints &axes, Value scales,
                       Value sizes, Value regions, const std::string &policy,
                       const Sampling &s) {
  Builder &b = n.b;
  Value &given = scales ? scales : sizes;
  if (b.rank(given) != 1)
    n.bad("its scales or sizes have rank ", b.rank(given));
  given = b.refine(given, {b.num(static_cast<int64_t>(axes.size()))},
                   n.label() + ": as many scales or sizes as axes");
  auto number = [&](Dim d) { return b.convert(b.packScalar(d), DType::F64); };
  std::vector<AxisTarget> targets;
  Value common;
  for (size_t i = 0; i < axes.size(); ++i) {
    Value in = number(b.dim(x, axes[i])), value = element(b, given, i);
    AxisTarget t{axes[i], Dim(), value, Value(), Value()};
    if (sizes) {
      t.scale = b.binary("div", value, in);
      const char *pick = policy == "not_larger" ? "min" : "max";
      common = common ? b.binary(pick, common, t.scale) : t.scale;
    }
    if (regions) {
      t.regionStart = element(b, regions, i);
      t.regionEnd = element(b, regions, i + axes.size());
    }
    targets.push_back(t);
  }
  std::optional<Dims> known = sizes ? b.valueAsDims(sizes) : std::nullopt;
  for (size_t i = 0; i < targets.size(); ++i) {
    AxisTarget &t = targets[i];
    Dim in = b.dim(x, t.axis);
    if (sizes && policy == "stretch") {
      t.size = known
                   ? (*known)[i]
                   : b.bindDims(b.convert(element(b, sizes, i), DType::I64))[0];
    } else {
      // Sizes are floored in float32, as the shape rule of ONNX has it.
      if (sizes)
        t.scale = common;
      DType wide = sizes ? DType::F64 : DType::F32;
      Value size = b.binary("mul", b.convert(number(in), wide),
                            b.convert(t.scale, wide));
      if (sizes)
        size = b.binaryReal("add", size, 0.5);
      size = b.convert(b.unary("floor", size), DType::I64);
      t.size = b.bindDims(size)[0];
    }
    x = resampleAxis(n, x, t, s);
  }
  n.out(x);
}

void fromScaleInput(Node &n, Value x, const Ints &axes, Value scales,
                    const Sampling &s) {
  if (auto known = n.b.constantReals(scales))
    return sample(n, x, fromScales(n, x, axes, *known), s);
  resampleAtRunTime(n, x, axes, scales, Value(), Value(), "stretch", s);
}

void upsample(Node &n) {
  Value x = n.in(0);
  Sampling s{readMode(n), "asymmetric", "floor"};
  Ints axes = range(0, static_cast<int64_t>(n.b.rank(x)));
  if (n.opset >= 9)
    return fromScaleInput(n, x, axes, n.in(1), s);
  auto given = n.floats("scales");
  if (!given)
    n.bad("attribute 'scales' is missing");
  sample(n, x, fromScales(n, x, axes, *given), s);
}

bool isEmptyVector(Node &n, size_t i) {
  return !n.has(i) || (n.b.rank(n.in(i)) == 1 && n.b.dim(n.in(i), 0).is(0));
}

void resize(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  Sampling s;
  s.mode = readMode(n);
  s.coordinate = n.s("coordinate_transformation_mode", "half_pixel");
  s.rounding = n.s("nearest_mode", "round_prefer_floor");
  s.cubicA = n.f("cubic_coeff_a", -0.75);
  s.excludeOutside = n.i("exclude_outside", 0);
  s.antialias = n.opset >= 18 && n.i("antialias", 0);
  s.extrapolation = n.f("extrapolation_value", 0);
  bool crops = s.coordinate == "tf_crop_and_resize";
  bool legacyNearest = s.coordinate == "tf_half_pixel_for_nn";
  if (!crops && !legacyNearest && s.coordinate != "half_pixel" &&
      s.coordinate != "pytorch_half_pixel" && s.coordinate != "align_corners" &&
      s.coordinate != "asymmetric" && s.coordinate != "half_pixel_symmetric")
    n.refuse("coordinate_transformation_mode ", quoted(s.coordinate),
             " is not supported");
  Ints axes = range(0, rank);
  std::string policy = "stretch";
  if (n.opset >= 18) {
    if (auto given = n.ints("axes"))
      axes = n.axes(*given, rank);
    policy = n.s("keep_aspect_ratio_policy", "stretch");
    if (policy != "stretch" && policy != "not_larger" &&
        policy != "not_smaller")
      n.bad("keep_aspect_ratio_policy is ", quoted(policy));
  }
  bool bySize = !isEmptyVector(n, 3);
  if (!bySize && isEmptyVector(n, 2))
    n.bad("it has neither scales nor sizes");
  if (crops && isEmptyVector(n, 1))
    n.bad("tf_crop_and_resize needs a region");
  bool sizesKnown = bySize && b.valueAsDims(n.in(3));
  if (crops || legacyNearest || (bySize && !sizesKnown && policy != "stretch"))
    return resampleAtRunTime(n, x, axes, bySize ? Value() : n.in(2),
                             bySize ? n.in(3) : Value(),
                             crops ? n.in(1) : Value(), policy, s);
  if (bySize) {
    Value sizes = b.refine(n.in(3), {b.num(static_cast<int64_t>(axes.size()))},
                           n.label() + ": as many sizes as axes");
    return sample(n, x, fromSizes(n, x, axes, b.bindDims(sizes), policy), s);
  }
  fromScaleInput(n, x, axes, n.in(2), s);
}

void resize10(Node &n) {
  Value x = n.in(0);
  Sampling s{readMode(n), "asymmetric", "floor"};
  Ints axes = range(0, static_cast<int64_t>(n.b.rank(x)));
  fromScaleInput(n, x, axes, n.in(1), s);
}

} // namespace

OpTable resizeOps() {
  static constexpr OpEntry table[] = {
      {"", "Upsample", 7, 9, upsample},
      {"", "Resize", 10, 10, resize10},
      {"", "Resize", 11, latest, resize},
  };
  return table;
}

} // namespace cuvil::onnx
