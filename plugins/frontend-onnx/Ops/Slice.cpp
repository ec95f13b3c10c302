// SPDX-License-Identifier: Apache-2.0
// Slice and Pad, with bounds from constants, size expressions or the run.
#include "Common.h"

namespace cuvil::onnx {
namespace {

/// Bounds this large mean "to the end" in every exporter.
constexpr int64_t farAway = INT32_MAX;

/// Counts from the end when negative; sizes that are known not to be negative
/// stay as they are.
Dim fromEnd(Builder &b, Dim value, Dim size) {
  if (auto c = value.constant()) {
    if (*c >= farAway)
      return size;
    if (*c <= -farAway)
      return b.num(*c);
    return *c < 0 ? size + *c : value;
  }
  Dim isNegative = (b.num(0) - value).max(b.num(0)).min(b.num(1));
  return value + isNegative * size;
}

struct Range {
  Dim start, size;
};

/// The clamped start and length of x[start:end:step].
Range clampRange(Builder &b, Dim start, Dim end, int64_t step, Dim size) {
  Dim zero = b.num(0), last = size - 1;
  start = fromEnd(b, start, size);
  end = fromEnd(b, end, size);
  if (step > 0) {
    start = start == size ? size : start.max(zero).min(size);
    end = end == size ? size : end.max(zero).min(size);
    Dim length = (end - start).max(zero);
    return {start, step == 1 ? length : length.ceilDiv(b.num(step))};
  }
  start = start == size ? last : start.max(zero).min(last);
  end = end == size ? last : end.max(b.num(-1)).min(last);
  Dim length = (start - end).max(zero);
  return {start, step == -1 ? length : length.ceilDiv(b.num(-step))};
}

/// Everything about a slice as i64 tensors with one element per axis of x.
struct BoundSlice {
  Value start, size, step;
};

/// Spreads values given for some axes over all axes.
Value spread(Node &n, Value given, Value axes, Value fallback) {
  Builder &b = n.b;
  Value wide = b.convert(given, DType::I64);
  if (!axes)
    return wide;
  return b.op("scatter_elements", {fallback, b.convert(axes, DType::I64), wide},
              {{"reduction", "none"}, {"axis", 0}});
}

BoundSlice boundSlice(Node &n, Value x, Value starts, Value ends, Value axes,
                      Value steps) {
  Builder &b = n.b;
  auto rank = static_cast<int64_t>(b.rank(x));
  Value sizes = b.pack(b.dims(x));
  Value zeros = b.intVector(Ints(rank, 0)), ones = b.intVector(Ints(rank, 1));
  if (!axes && !b.dim(starts, 0).is(rank))
    axes = b.iota({b.dim(starts, 0)}, 0, DType::I64);
  Value start = spread(n, starts, axes, zeros);
  Value end = spread(n, ends, axes, sizes);
  Value step = steps ? spread(n, steps, axes, ones) : ones;
  Value forward = b.compare("gt", step, zeros);
  Value last = b.binary("sub", sizes, ones);
  Value minusOne = b.intVector(Ints(rank, -1));
  auto wrap = [&](Value v) {
    return b.select(b.compare("lt", v, zeros), b.binary("add", v, sizes), v);
  };
  auto bound = [&](Value v, Value low, Value high) {
    return b.binary("max", b.binary("min", v, high), low);
  };
  start = bound(wrap(start), zeros, b.select(forward, sizes, last));
  end = bound(wrap(end), b.select(forward, zeros, minusOne),
              b.select(forward, sizes, last));
  // ceil((end - start) / step), which is not negative when it is not empty.
  Value distance = b.binary("sub", end, start);
  Value up =
      b.binary("sub", zeros,
               b.binary("floordiv", b.binary("sub", zeros, distance), step));
  return {start, b.binary("max", up, zeros), step};
}

void sliceAtRunTime(Node &n, Value x, Value starts, Value ends, Value axes,
                    Value steps) {
  Builder &b = n.b;
  auto rank = static_cast<int64_t>(b.rank(x));
  if (b.rank(starts) != 1 || !b.dim(starts, 0).constant())
    n.refuse("the number of its axes has to be known");
  BoundSlice s = boundSlice(n, x, starts, ends, axes, steps);
  Dims sizes = b.bindDims(s.size);
  bool plain = !steps;
  if (auto known = steps ? b.constantInts(steps) : std::nullopt)
    plain = std::all_of(known->begin(), known->end(),
                        [](int64_t v) { return v == 1; });
  if (plain) {
    // Starts of empty parts may lie at the end; they touch nothing.
    return n.out(b.slice(x, b.bindDims(s.start), sizes, Ints(rank, 1)));
  }
  for (int64_t d = 0; d < rank; ++d) {
    auto element = [&](Value v) {
      return b.sliceAxis(v, 0, b.num(d), b.num(1));
    };
    Value at =
        b.binary("mul", b.iota({sizes[d]}, 0, DType::I64), element(s.step));
    x = b.gather(x, b.binary("add", at, element(s.start)), d);
  }
  n.out(x);
}

void slice(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  std::optional<Dims> starts, ends;
  std::optional<Ints> axes, steps;
  if (n.opset < 10) {
    auto s = n.ints("starts"), e = n.ints("ends");
    if (!s || !e)
      n.bad("attribute 'starts' or 'ends' is missing");
    starts = b.nums(*s);
    ends = b.nums(*e);
    axes =
        n.ints("axes").value_or(range(0, static_cast<int64_t>(starts->size())));
    steps = Ints(starts->size(), 1);
  } else {
    starts = b.valueAsDims(n.in(1));
    ends = b.valueAsDims(n.in(2));
    if (n.has(3))
      axes = b.constantInts(n.in(3));
    else if (starts)
      axes = range(0, static_cast<int64_t>(starts->size()));
    if (n.has(4))
      steps = b.constantInts(n.in(4));
    else if (starts)
      steps = Ints(starts->size(), 1);
    if (!starts || !ends || !axes || !steps)
      return sliceAtRunTime(n, x, n.in(1), n.in(2), n.opt(3), n.opt(4));
  }
  if (starts->size() != ends->size() || starts->size() != axes->size() ||
      starts->size() != steps->size())
    n.bad("starts, ends, axes and steps have different lengths");
  Ints normal = n.axes(*axes, rank), allSteps(rank, 1);
  Dims allStarts(rank, b.num(0)), sizes = b.dims(x);
  for (size_t i = 0; i < normal.size(); ++i) {
    int64_t axis = normal[i], step = (*steps)[i];
    if (step == 0)
      n.bad("a step is 0");
    step = std::clamp(step, -farAway, farAway);
    Range r = clampRange(b, (*starts)[i], (*ends)[i], step, sizes[axis]);
    allStarts[axis] = r.start;
    sizes[axis] = r.size;
    allSteps[axis] = step;
  }
  n.out(b.slice(x, allStarts, sizes, allSteps));
}

//===----------------------------------------------------------------------===//
// Pad
//===----------------------------------------------------------------------===//

/// Low and high counts for every axis.
struct Pads {
  Dims low, high;
};

Pads boundPads(Node &n, Value x, Value pads, Value axes) {
  Builder &b = n.b;
  Dims dims = b.dims(x);
  auto rank = static_cast<int64_t>(dims.size());
  auto length =
      b.rank(pads) == 1 ? b.dim(pads, 0).constant() : std::optional<int64_t>();
  if (!length || *length % 2)
    n.refuse("the number of its pads has to be known");
  Value wide = b.convert(pads, DType::I64);
  Value sizes = b.pack(dims), zeros = b.intVector(Ints(rank, 0));
  auto half = [&](int64_t from) {
    Value part = b.sliceAxis(wide, 0, b.num(from), b.num(*length / 2));
    if (axes)
      part = spread(n, part, axes, zeros);
    // Removing more than there is cannot happen, so this is not negative.
    Dims bound = b.bindDims(b.binary("add", part, sizes));
    for (int64_t d = 0; d < rank; ++d)
      bound[d] = bound[d] - dims[d];
    return bound;
  };
  return {half(0), half(*length / 2)};
}

void pad(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  std::string mode = n.s("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge" &&
      mode != "wrap")
    n.bad("mode is ", quoted(mode));
  Value fillWith;
  Pads pads{Dims(rank, b.num(0)), Dims(rank, b.num(0))};
  std::optional<Dims> given;
  std::optional<Ints> axes = range(0, rank);
  if (n.opset < 11) {
    auto values = n.ints("pads");
    if (!values)
      n.bad("attribute 'pads' is missing");
    given = b.nums(*values);
    fillWith = b.real(b.dtype(x), n.f("value", 0));
  } else {
    given = b.valueAsDims(n.in(1));
    fillWith = n.opt(2);
    if (n.has(3))
      axes = b.constantInts(n.in(3));
  }
  if (given && axes) {
    Ints normal = n.axes(*axes, rank);
    if (given->size() != 2 * normal.size())
      n.bad("it has ", given->size(), " pads for ", normal.size(), " axes");
    for (size_t i = 0; i < normal.size(); ++i) {
      pads.low[normal[i]] = (*given)[i];
      pads.high[normal[i]] = (*given)[i + normal.size()];
    }
  } else {
    pads = boundPads(n, x, n.in(1), n.opt(3));
  }
  Values operands = {x};
  if (mode == "constant")
    operands.push_back(fillWith ? b.toScalar(fillWith)
                                : b.integer(b.dtype(x), 0));
  n.out(b.op("pad", operands,
             {{"mode", mode}, {"low", pads.low}, {"high", pads.high}}));
}

} // namespace

OpTable sliceOps() {
  static constexpr OpEntry table[] = {
      {"", "Slice", 1, latest, slice},
      {"", "Pad", 2, latest, pad},
  };
  return table;
}

} // namespace cuvil::onnx
