// SPDX-License-Identifier: Apache-2.0
// Pooling over windows and over whole channels.
#include "Window.h"

#include <cmath>

namespace cuvil::onnx {
namespace {

struct Pool {
  Ints kernel;
  Window window;
  Dims out;
};

Pool readPool(Node &n, Value x) {
  Builder &b = n.b;
  Dims in = spatialDims(n, x);
  auto kernel = n.ints("kernel_shape");
  if (!kernel || kernel->size() != in.size())
    n.bad("kernel_shape is missing or does not fit ", in.size(),
          " spatial axes");
  for (int64_t size : *kernel)
    if (size < 1)
      n.bad("kernel_shape holds ", size);
  Pool pool{*kernel, readWindow(n, in, b.nums(*kernel)), {}};
  bool ceilMode = n.i("ceil_mode", 0);
  const Window &w = pool.window;
  for (size_t i = 0; i < in.size(); ++i) {
    Dim stride = b.num(w.strides[i]);
    Dim room = in[i] + w.low[i] + w.high[i] -
               extent(b.num((*kernel)[i]), w.dilations[i]);
    Dim count = (ceilMode ? room.ceilDiv(stride) : room.floorDiv(stride)) + 1;
    // A window that starts in the padding at the end does not count.
    if (ceilMode)
      count = count.min((in[i] + w.low[i]).ceilDiv(stride));
    pool.out.push_back(count);
  }
  return pool;
}

Attrs poolAttrs(const Pool &pool) {
  return {{"kernel", pool.kernel},
          {"strides", pool.window.strides},
          {"low", pool.window.low},
          {"high", pool.window.high},
          {"dilations", pool.window.dilations},
          {"out", pool.out}};
}

void maxPool(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Pool pool = readPool(n, x);
  bool columnMajor = n.i("storage_order", 0);
  Attrs attrs = poolAttrs(pool);
  attrs.emplace_back("kind", "max");
  n.out(b.op("pool", {x}, attrs));
  if (!n.wants(1))
    return;
  Attrs argAttrs = poolAttrs(pool);
  argAttrs.emplace_back("column_major", columnMajor);
  n.out(1, b.op("arg_pool", {x}, argAttrs));
}

void averagePool(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Attrs attrs = poolAttrs(readPool(n, x));
  attrs.emplace_back("kind", "avg");
  attrs.emplace_back("count_include_pad", n.i("count_include_pad", 0) != 0);
  n.out(b.op("pool", {x}, attrs));
}

void lpPool(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Attrs attrs = poolAttrs(readPool(n, x));
  attrs.emplace_back("kind", "lp");
  attrs.emplace_back("p", n.i("p", 2));
  n.out(b.op("pool", {x}, attrs));
}

template <Word kind> void globalPool(Node &n) {
  auto rank = static_cast<int64_t>(n.b.rank(n.in(0)));
  n.out(n.b.reduce(kind.chars, n.in(0), range(2, rank), true));
}

void globalLpPool(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Ints axes = range(2, static_cast<int64_t>(b.rank(x)));
  auto p = static_cast<double>(n.i("p", 2));
  Value powers = b.binaryReal("pow", b.unary("abs", x), p);
  n.out(b.binaryReal("pow", b.reduce("sum", powers, axes, true), 1 / p));
}

/// Scatters into zeros at the flat positions that MaxPool gave.
void maxUnpool(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), indices = n.in(1);
  Dims in = spatialDims(n, x);
  auto kernel = n.ints("kernel_shape");
  if (!kernel || kernel->size() != in.size())
    n.bad("kernel_shape is missing or does not fit");
  Window w = readWindow(n, in, b.nums(*kernel));
  Dims inner = b.dims(x), outer;
  for (size_t i = 0; i < in.size(); ++i)
    inner[i + 2] =
        (in[i] - 1) * w.strides[i] + (*kernel)[i] - w.low[i] - w.high[i];
  outer = n.has(2) ? b.bindDims(n.in(2)) : inner;
  if (outer.size() != inner.size())
    n.bad("output_shape does not fit the rank");
  // Positions count in the shape that the pool had, which may be smaller.
  Dim total = b.product(inner);
  Value flat = b.fill(b.real(b.dtype(x), 0), {total});
  Dim elements = b.product(b.dims(x));
  Value y =
      b.op("scatter_elements",
           {flat, b.reshape(indices, {elements}), b.reshape(x, {elements})},
           {{"reduction", "none"}, {"axis", 0}});
  y = b.reshape(y, inner);
  if (!(outer == inner)) {
    Dims low(outer.size(), b.num(0)), high;
    for (size_t i = 0; i < outer.size(); ++i)
      high.push_back(outer[i] - inner[i]);
    y = b.padConstant(y, b.real(b.dtype(x), 0), low, high);
  }
  n.out(y);
}

} // namespace

OpTable poolOps() {
  static constexpr OpEntry table[] = {
      {"", "MaxPool", 1, latest, maxPool},
      {"", "AveragePool", 1, latest, averagePool},
      {"", "LpPool", 2, latest, lpPool},
      {"", "GlobalAveragePool", 1, latest, globalPool<"mean">},
      {"", "GlobalMaxPool", 1, latest, globalPool<"max">},
      {"", "GlobalLpPool", 2, latest, globalLpPool},
      {"", "MaxUnpool", 9, latest, maxUnpool},
  };
  return table;
}

} // namespace cuvil::onnx
