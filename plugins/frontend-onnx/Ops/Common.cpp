// SPDX-License-Identifier: Apache-2.0
// Implements helpers for axes known at run time only.
#include "Common.h"

namespace cuvil::onnx {

Ints range(int64_t first, int64_t last) {
  Ints result(std::max<int64_t>(last - first, 0));
  std::iota(result.begin(), result.end(), first);
  return result;
}

Dims boundAxes(Node &n, Value axes, int64_t rank) {
  Builder &b = n.b;
  Value wide = b.convert(axes, DType::I64);
  Value zero = b.integer(DType::I64, 0);
  Value size = b.integer(DType::I64, rank);
  Value normal =
      b.select(b.compare("lt", wide, zero), b.binary("add", wide, size), wide);
  return b.bindDims(normal);
}

Dim lessThan(Builder &b, Dim a, int64_t constant) {
  return (b.num(constant) - a).max(b.num(0)).min(b.num(1));
}

Value collapseAround(Node &n, Value x, Dim axis) {
  Builder &b = n.b;
  Dims dims = b.dims(x);
  Dim before = b.num(1), at = b.num(1), after = b.num(1);
  for (size_t i = 0; i < dims.size(); ++i) {
    auto d = static_cast<int64_t>(i);
    Dim isAfter = lessThan(b, axis, d);
    Dim isAt = b.ifEqual(axis, d, b.num(1), b.num(0));
    Dim isBefore = b.num(1) - isAfter - isAt;
    before = before * (b.num(1) + isBefore * (dims[i] - 1));
    at = at * (b.num(1) + isAt * (dims[i] - 1));
    after = after * (b.num(1) + isAfter * (dims[i] - 1));
  }
  return b.reshape(x, {before, at, after});
}

Value iotaAlong(Builder &b, Dim size, int64_t axis, int64_t rank, DType type) {
  Dims dims(rank, b.num(1));
  dims[axis] = size;
  return b.iota(dims, axis, type);
}

Value widenFloat(Builder &b, Value x) {
  DType type = b.dtype(x);
  return type == DType::F64 ? x : b.convert(x, DType::F32);
}

void requireFloat(Node &n, Value x) {
  if (!isFloat(n.b.dtype(x)))
    n.refuse("element type ", dtypeName(n.b.dtype(x)), " is not supported");
}

} // namespace cuvil::onnx
