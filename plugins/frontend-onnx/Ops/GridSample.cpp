// SPDX-License-Identifier: Apache-2.0
// GridSample: a weighted sum of gathers at positions that a grid gives.
#include "Resample.h"

namespace cuvil::onnx {
namespace {

class GridSampler {
public:
  GridSampler(Node &n) : n(n), b(n.b) {}

  void run() {
    read();
    Dims dims = b.dims(x), gridDims = b.dims(grid);
    Dim points = b.product(std::span(gridDims).subspan(1, gridDims.size() - 2));
    Dim pixels = b.product(std::span(dims).subspan(2));
    flatGrid = b.reshape(
        grid, {gridDims[0], points, b.num(static_cast<int64_t>(spatial))});
    // Channels last, so that one gather takes all of a point.
    source = b.transpose(b.reshape(x, {dims[0], dims[1], pixels}), {0, 2, 1});
    std::vector<std::vector<Tap>> taps;
    for (size_t i = 0; i < spatial; ++i)
      taps.push_back(tapsOf(i));
    combine(taps, 0, Tap());
    Dims result = {dims[0], dims[1]};
    result.insert(result.end(), gridDims.begin() + 1, gridDims.end() - 1);
    Value y = b.reshape(b.transpose(sum, {0, 2, 1}), result);
    n.out(b.convert(y, b.dtype(x)));
  }

private:
  /// One neighbour along one or more axes: flat position, weight, and whether
  /// it lies inside (empty = always).
  struct Tap {
    Value index, weight, inside;
  };

  void read() {
    x = n.in(0);
    requireFloat(n, x);
    wide = b.dtype(x) == DType::F64 ? DType::F64 : DType::F32;
    grid = b.convert(n.in(1), wide);
    mode = n.s("mode", "linear");
    if (mode == "bilinear")
      mode = "linear";
    if (mode == "bicubic")
      mode = "cubic";
    padding = n.s("padding_mode", "zeros");
    align = n.i("align_corners", 0);
    if (mode != "linear" && mode != "nearest" && mode != "cubic")
      n.bad("mode is ", quoted(mode));
    if (padding != "zeros" && padding != "border" && padding != "reflection")
      n.bad("padding_mode is ", quoted(padding));
    spatial = b.rank(x) - 2;
    if (b.rank(x) < 3 || b.rank(grid) != b.rank(x) || spatial > 3 ||
        (b.dim(grid, spatial + 1).constant() &&
         !b.dim(grid, spatial + 1).is(static_cast<int64_t>(spatial))))
      n.bad("its grid does not fit an input of rank ", b.rank(x));
  }

  /// Mirrors positions at the borders until they are inside.
  Value reflect(Value at, Value size) {
    Value low = b.real(wide, align ? 0 : -0.5);
    Value span = align ? b.binaryReal("sub", size, 1) : size;
    // A single pixel is its own mirror image.
    span =
        b.select(b.compare("le", span, b.real(wide, 0)), b.real(wide, 1), span);
    Value period = b.binaryReal("mul", span, 2);
    Value from = b.binary("sub", at, low);
    Value turns = b.unary("floor", b.binary("div", from, period));
    from = b.binary("sub", from, b.binary("mul", turns, period));
    Value back = b.binary("sub", period, from);
    return b.binary("add", b.binary("min", from, back), low);
  }

  Value clampTo(Value at, Value size) {
    Value last = b.binaryReal("sub", size, 1);
    return b.binary("max", b.binary("min", at, last), b.real(wide, 0));
  }

  std::vector<Tap> tapsOf(size_t i) {
    Dim length = b.dim(x, i + 2);
    Value size = b.convert(b.packScalar(length), wide);
    // The last grid element is the first axis from the end.
    auto element = static_cast<int64_t>(spatial - 1 - i);
    Value at =
        b.squeeze(b.sliceAxis(flatGrid, 2, b.num(element), b.num(1)), {2});
    at = b.binaryReal("add", at, 1);
    if (align)
      at = b.binary("mul", b.binaryReal("div", at, 2),
                    b.binaryReal("sub", size, 1));
    else
      at = b.binaryReal("div",
                        b.binaryReal("sub", b.binary("mul", at, size), 1), 2);
    if (mode == "nearest")
      at = b.unary("round_even", at);
    if (padding == "border")
      at = clampTo(at, size);
    else if (padding == "reflection")
      at = reflect(at, size);
    if (mode == "nearest")
      at = b.unary("trunc", at);
    Value base = b.unary("floor", at), part = b.binary("sub", at, base);
    Values weights = {Value()};
    double first = 0;
    if (mode == "linear") {
      weights = {b.binary("sub", b.real(wide, 1), part), part};
    } else if (mode == "cubic") {
      first = -1;
      weights = cubicWeights(b, part, -0.75);
    }
    std::vector<Tap> taps;
    for (size_t k = 0; k < weights.size(); ++k) {
      Value position =
          b.binaryReal("add", base, first + static_cast<double>(k));
      Tap tap;
      tap.weight = weights[k];
      if (padding == "zeros")
        tap.inside = b.binary("and", b.compare("ge", position, b.real(wide, 0)),
                              b.compare("lt", position, size));
      else if (padding == "reflection")
        position = b.unary("trunc", reflect(position, size));
      position = b.convert(clampTo(position, size), DType::I64);
      Dims sizes = b.dims(x);
      Dim stride = b.product(std::span(sizes).subspan(i + 3));
      tap.index = b.binary("mul", position, b.packScalar(stride));
      taps.push_back(tap);
    }
    return taps;
  }

  void combine(const std::vector<std::vector<Tap>> &taps, size_t axis, Tap so) {
    if (axis == taps.size())
      return add(so);
    for (const Tap &tap : taps[axis]) {
      auto merged = [&](const char *kind, Value a, Value c) {
        return a && c ? b.binary(kind, a, c) : a ? a : c;
      };
      combine(taps, axis + 1,
              {merged("add", so.index, tap.index),
               merged("mul", so.weight, tap.weight),
               merged("and", so.inside, tap.inside)});
    }
  }

  void add(const Tap &tap) {
    Value term = b.convert(b.gather(source, tap.index, 1, 1), wide);
    if (tap.inside)
      term = b.select(b.unsqueeze(tap.inside, {2}), term, b.real(wide, 0));
    if (tap.weight)
      term = b.binary("mul", term, b.unsqueeze(tap.weight, {2}));
    sum = sum ? b.binary("add", sum, term) : term;
  }

  Node &n;
  Builder &b;
  Value x, grid, flatGrid, source, sum;
  DType wide = DType::F32;
  std::string mode, padding;
  bool align = false;
  size_t spatial = 0;
};

void gridSample(Node &n) { GridSampler(n).run(); }

} // namespace

OpTable samplingOps() {
  static constexpr OpEntry table[] = {
      {"", "GridSample", 16, latest, gridSample},
  };
  return table;
}

} // namespace cuvil::onnx
