// SPDX-License-Identifier: Apache-2.0
// Reductions, running sums, extreme positions and TopK.
#include "Common.h"

namespace cuvil::onnx {
namespace {

using Reducer = Value (*)(Node &, Value x, const Ints &axes, bool keepdims);

/// Removes axes known at run time only: each is seen as the middle one of
/// three, so that the reduction itself stays static.
Value reduceBound(Node &n, Value x, Value axesTensor, bool keepdims,
                  Reducer reducer) {
  Builder &b = n.b;
  Dims dims = b.dims(x);
  auto rank = static_cast<int64_t>(dims.size());
  Dims axes = boundAxes(n, axesTensor, rank);
  for (Dim axis : axes) {
    Dims before = b.dims(x);
    Value y = reducer(n, collapseAround(n, x, axis), {1}, false);
    for (int64_t d = 0; d < rank; ++d)
      before[d] = b.ifEqual(axis, d, b.num(1), before[d]);
    x = b.reshape(y, before);
  }
  if (keepdims)
    return x;
  // Result dim k is the k-th of the dims that are not reduced.
  auto count = static_cast<int64_t>(axes.size());
  Dims result(rank - count, b.num(0));
  Dim position = b.num(0);
  for (int64_t d = 0; d < rank; ++d) {
    Dim hit = b.num(0);
    for (Dim axis : axes)
      hit = hit + b.ifEqual(axis, d, b.num(1), b.num(0));
    Dim free = b.num(1) - hit;
    for (int64_t k = 0; k < rank - count; ++k)
      result[k] = result[k] + free * b.ifEqual(position, k, dims[d], b.num(0));
    position = position + free;
  }
  return b.reshape(x, result);
}

/// Reads axes and keepdims, which moved from attribute to input.
template <Reducer reducer, int inputSince, bool stepwise = true>
void reduction(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  bool keepdims = n.i("keepdims", 1);
  const Ints none;
  bool noop = n.opset >= inputSince && n.i("noop_with_empty_axes", 0);
  std::optional<Ints> axes;
  if (n.opset < inputSince) {
    axes = n.ints("axes");
  } else if (n.has(1)) {
    axes = b.constantInts(n.in(1));
    auto length = b.rank(n.in(1)) == 1 ? b.dim(n.in(1), 0).constant()
                                       : std::optional<int64_t>();
    if (length == 0)
      axes.emplace();
    if (!axes) {
      if (!length)
        n.refuse("the number of its axes has to be known");
      // sum(x^2) of sum(x^2) is not a sum of squares.
      if (!stepwise && *length > 1)
        n.refuse("several axes that are not constant");
      return n.out(reduceBound(n, x, n.in(1), keepdims, reducer));
    }
  }
  if (!axes || axes->empty()) {
    if (noop)
      return n.out(reducer(n, x, none, keepdims));
    axes = range(0, rank);
  }
  n.out(reducer(n, x, n.axes(*axes, rank), keepdims));
}

template <Word kind>
Value plain(Node &n, Value x, const Ints &axes, bool keepdims) {
  return n.b.reduce(kind.chars, x, axes, keepdims);
}

/// The extreme of booleans is their conjunction or disjunction.
template <Word kind, Word boolKind>
Value extreme(Node &n, Value x, const Ints &axes, bool keepdims) {
  bool isBool = n.b.dtype(x) == DType::Bool;
  return n.b.reduce(isBool ? boolKind.chars : kind.chars, x, axes, keepdims);
}

Value l1(Node &n, Value x, const Ints &axes, bool keepdims) {
  Value size = isUnsigned(n.b.dtype(x)) ? x : n.b.unary("abs", x);
  return n.b.reduce("sum", size, axes, keepdims);
}

Value sumSquare(Node &n, Value x, const Ints &axes, bool keepdims) {
  return n.b.reduce("sum", n.b.binary("mul", x, x), axes, keepdims);
}

/// Computes in a float type and converts back for integers.
template <typename Fn> Value inFloat(Node &n, Value x, Fn fn) {
  DType type = n.b.dtype(x);
  Value wide = isFloat(type) ? widenFloat(n.b, x) : n.b.convert(x, DType::F64);
  return n.b.convert(fn(wide), type);
}

Value l2(Node &n, Value x, const Ints &axes, bool keepdims) {
  return inFloat(n, x, [&](Value wide) {
    return n.b.unary("sqrt", sumSquare(n, wide, axes, keepdims));
  });
}

Value logSum(Node &n, Value x, const Ints &axes, bool keepdims) {
  return inFloat(n, x, [&](Value wide) {
    return n.b.unary("log", n.b.reduce("sum", wide, axes, keepdims));
  });
}

/// log(sum(exp(x))), shifted by the maximum where that is finite.
Value logSumExp(Node &n, Value x, const Ints &axes, bool keepdims) {
  Builder &b = n.b;
  return inFloat(n, x, [&](Value wide) {
    Value top = b.reduce("max", wide, axes, true);
    top = b.select(b.unary("is_inf", top), b.real(b.dtype(wide), 0), top);
    Value shifted = b.unary("exp", b.binary("sub", wide, top));
    Value sum = b.unary("log", b.reduce("sum", shifted, axes, true));
    Value y = b.binary("add", sum, top);
    return keepdims ? y : b.squeeze(y, axes);
  });
}

template <Word kind> void argReduce(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t axis = n.axis(n.i("axis", 0), static_cast<int64_t>(b.rank(x)));
  n.out(b.op("arg_reduce", {x},
             {{"kind", kind.chars},
              {"axis", axis},
              {"keepdims", n.i("keepdims", 1) != 0},
              {"last", n.i("select_last_index", 0) != 0}}));
}

template <Word kind> void cumulate(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  bool exclusive = n.i("exclusive", 0), backwards = n.i("reverse", 0);
  auto run = [&](Value v, int64_t axis) {
    return b.op("cumulate", {v},
                {{"kind", kind.chars},
                 {"axis", axis},
                 {"exclusive", exclusive},
                 {"reverse", backwards}});
  };
  auto axis = b.constantInts(n.in(1));
  if (axis && axis->size() == 1)
    return n.out(run(x, n.axis((*axis)[0], rank)));
  Dims bound = boundAxes(n, n.in(1), rank);
  if (bound.size() != 1)
    n.bad("its axis is not a single number");
  Value middle = run(collapseAround(n, x, bound[0]), 1);
  n.out(b.reshape(middle, b.dims(x)));
}

void topK(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t axis = n.axis(n.i("axis", -1), static_cast<int64_t>(b.rank(x)));
  bool largest = true;
  if (n.opset >= 11) {
    largest = n.i("largest", 1);
    n.ignore("sorted"); // sorted results satisfy unsorted ones too
  }
  Dim k;
  if (n.opset < 10) {
    k = b.num(n.i("k", -1));
    if (*k.constant() < 0)
      n.bad("attribute 'k' is missing");
  } else {
    k = b.bindDim(n.in(1));
  }
  Values results = b.ops(
      "topk", {x}, {{"k", Dims{k}}, {"axis", axis}, {"largest", largest}}, 2);
  n.out(0, results[0]);
  n.out(1, results[1]);
}

} // namespace

OpTable reduceOps() {
  static constexpr OpEntry table[] = {
      {"", "ReduceSum", 1, latest, reduction<plain<"sum">, 13>},
      {"", "ReduceMean", 1, latest, reduction<plain<"mean">, 18>},
      {"", "ReduceProd", 1, latest, reduction<plain<"prod">, 18>},
      {"", "ReduceMax", 1, latest, reduction<extreme<"max", "or">, 18>},
      {"", "ReduceMin", 1, latest, reduction<extreme<"min", "and">, 18>},
      {"", "ReduceL1", 1, latest, reduction<l1, 18>},
      {"", "ReduceL2", 1, latest, reduction<l2, 18, false>},
      {"", "ReduceSumSquare", 1, latest, reduction<sumSquare, 18, false>},
      {"", "ReduceLogSum", 1, latest, reduction<logSum, 18, false>},
      {"", "ReduceLogSumExp", 1, latest, reduction<logSumExp, 18>},
      {"", "ArgMax", 1, latest, argReduce<"max">},
      {"", "ArgMin", 1, latest, argReduce<"min">},
      {"", "CumSum", 11, latest, cumulate<"sum">},
      {"", "CumProd", 26, latest, cumulate<"prod">},
      {"", "TopK", 1, latest, topK},
  };
  return table;
}

} // namespace cuvil::onnx
