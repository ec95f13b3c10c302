// SPDX-License-Identifier: Apache-2.0
// Gather and Scatter families, NonZero, Compress, OneHot, Trilu.
#include "Common.h"

namespace cuvil::onnx {
namespace {

Value asIndex(Builder &b, Value v) {
  DType type = b.dtype(v);
  return type == DType::I32 || type == DType::I64 ? v
                                                  : b.convert(v, DType::I64);
}

void gather(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t axis = n.axis(n.i("axis", 0), static_cast<int64_t>(b.rank(x)));
  n.out(b.gather(x, asIndex(b, n.in(1)), axis));
}

void gatherElements(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t axis = n.axis(n.i("axis", 0), static_cast<int64_t>(b.rank(x)));
  n.out(b.op("gather_elements", {x, asIndex(b, n.in(1))}, {{"axis", axis}}));
}

/// Index tuples of unknown length would leave the result's rank open.
void requireTupleLength(Node &n, Value indices) {
  Builder &b = n.b;
  if (b.rank(indices) == 0)
    n.bad("its indices have rank 0");
  if (!b.dim(indices, b.rank(indices) - 1).constant())
    n.refuse("the last size of its indices has to be known");
}

void gatherND(Node &n) {
  Builder &b = n.b;
  requireTupleLength(n, n.in(1));
  int64_t batch = n.opset >= 12 ? n.i("batch_dims", 0) : 0;
  n.out(b.op("gather_nd", {n.in(0), asIndex(b, n.in(1))},
             {{"batch_dims", batch}}));
}

std::string reduction(Node &n, int since, int minMaxSince) {
  std::string kind = n.opset >= since ? n.s("reduction", "none") : "none";
  bool known = kind == "none" || kind == "add" || kind == "mul" ||
               (n.opset >= minMaxSince && (kind == "min" || kind == "max"));
  if (!known)
    n.bad("reduction is ", quoted(kind));
  return kind;
}

void scatterND(Node &n) {
  Builder &b = n.b;
  requireTupleLength(n, n.in(1));
  n.out(b.op("scatter_nd", {n.in(0), asIndex(b, n.in(1)), n.in(2)},
             {{"reduction", reduction(n, 16, 18)}}));
}

void scatterElements(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t axis = n.axis(n.i("axis", 0), static_cast<int64_t>(b.rank(x)));
  n.out(b.op("scatter_elements", {x, asIndex(b, n.in(1)), n.in(2)},
             {{"reduction", reduction(n, 16, 18)}, {"axis", axis}}));
}

/// Positions of the true elements of a vector, as a vector.
Value nonZero(Builder &b, Value x) {
  Value ones = b.compare("ne", x, b.integer(b.dtype(x), 0));
  Ints axes = range(0, static_cast<int64_t>(b.rank(x)));
  Value count = b.reduce("sum", b.convert(ones, DType::I64), axes, false);
  Dims bound = b.bindDims(count);
  return b.op("nonzero", {x}, {{"count", bound}});
}

void nonZeroOp(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  if (b.rank(x) == 0)
    x = b.reshape(x, {b.num(1)});
  n.out(nonZero(b, x));
}

void compress(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), condition = n.in(1);
  int64_t axis = 0;
  if (n.hasAttr("axis"))
    axis = n.axis(n.i("axis", 0), static_cast<int64_t>(b.rank(x)));
  else
    x = b.reshape(x, {b.product(b.dims(x))});
  Value at = nonZero(b, condition);
  n.out(b.gather(x, b.reshape(at, {b.dim(at, 1)}), axis));
}

void oneHot(Node &n) {
  Builder &b = n.b;
  Value indices = n.in(0), values = n.in(2);
  auto rank = static_cast<int64_t>(b.rank(indices)) + 1;
  int64_t axis = n.axis(n.i("axis", -1), rank);
  // Floats count as their integer part, here as everywhere.
  Dim depth = b.bindDim(b.convert(n.in(1), DType::I64));
  Value at = b.unsqueeze(b.convert(indices, DType::I64), {axis});
  Value size = b.packScalar(depth);
  Value zero = b.integer(DType::I64, 0);
  at = b.select(b.compare("lt", at, zero), b.binary("add", at, size), at);
  Value hit = b.compare("eq", iotaAlong(b, depth, axis, rank, DType::I64), at);
  auto choice = [&](int64_t i) {
    return b.toScalar(b.sliceAxis(values, 0, b.num(i), b.num(1)));
  };
  n.out(b.select(hit, choice(1), choice(0)));
}

void trilu(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  if (rank < 2)
    n.bad("its input has rank ", rank);
  bool upper = n.i("upper", 1);
  Value k = n.has(1) ? b.toScalar(n.in(1)) : b.integer(DType::I64, 0);
  Dims d = b.dims(x);
  Value row = iotaAlong(b, d[rank - 2], rank - 2, rank, DType::I64);
  Value column = iotaAlong(b, d[rank - 1], rank - 1, rank, DType::I64);
  Value diagonal = b.binary("add", row, k);
  Value keep = b.compare(upper ? "ge" : "le", column, diagonal);
  n.out(b.select(keep, x, b.integer(b.dtype(x), 0)));
}

void reverseSequence(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  int64_t time = n.axis(n.i("time_axis", 0), rank);
  int64_t batch = n.axis(n.i("batch_axis", 1), rank);
  if (time == batch || time > 1 || batch > 1)
    n.bad("time_axis and batch_axis have to be 0 and 1");
  Dims dims = b.dims(x);
  Value step = iotaAlong(b, dims[time], time, 2, DType::I64);
  Value length = b.unsqueeze(b.convert(n.in(1), DType::I64), {time});
  Value mirrored = b.binaryInt("sub", b.binary("sub", length, step), 1);
  Value at = b.select(b.compare("lt", step, length), mirrored, step);
  // Same index for all elements behind the first two axes.
  Value wide = b.broadcastAlong(at, dims, {0, 1});
  n.out(b.op("gather_elements", {x, wide}, {{"axis", time}}));
}

} // namespace

OpTable indexingOps() {
  static constexpr OpEntry table[] = {
      {"", "Gather", 1, latest, gather},
      {"", "GatherElements", 11, latest, gatherElements},
      {"", "GatherND", 11, latest, gatherND},
      {"", "Scatter", 9, latest, scatterElements},
      {"", "ScatterElements", 11, latest, scatterElements},
      {"", "ScatterND", 11, latest, scatterND},
      {"", "NonZero", 9, latest, nonZeroOp},
      {"", "Compress", 9, latest, compress},
      {"", "OneHot", 9, latest, oneHot},
      {"", "Trilu", 14, latest, trilu},
      {"", "ReverseSequence", 10, latest, reverseSequence},
  };
  return table;
}

} // namespace cuvil::onnx
