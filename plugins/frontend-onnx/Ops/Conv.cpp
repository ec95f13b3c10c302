// SPDX-License-Identifier: Apache-2.0
// Convolutions: Conv, ConvTranspose, ConvInteger.
#include "Window.h"

namespace cuvil::onnx {

Dim extent(Dim kernel, int64_t dilation) { return (kernel - 1) * dilation + 1; }

Dims spatialDims(Node &n, Value x) {
  Dims dims = n.b.dims(x);
  if (dims.size() < 3 || dims.size() > 5)
    n.refuse("rank ", dims.size(), " is not supported; ranks 3 to 5 are");
  return Dims(dims.begin() + 2, dims.end());
}

namespace {

Ints perAxis(Node &n, const char *name, size_t axes) {
  Ints values = n.ints(name).value_or(Ints(axes, 1));
  if (values.size() != axes)
    n.bad("attribute ", quoted(name), " has ", values.size(), " entries for ",
          axes, " spatial axes");
  for (int64_t value : values)
    if (value < 1)
      n.bad("attribute ", quoted(name), " holds ", value);
  return values;
}

std::string readAutoPad(Node &n) {
  std::string mode = n.s("auto_pad", "NOTSET");
  if (mode != "NOTSET" && mode != "VALID" && mode != "SAME_UPPER" &&
      mode != "SAME_LOWER")
    n.bad("auto_pad is ", quoted(mode));
  return mode;
}

Ints readPads(Node &n, size_t axes) {
  Ints pads = n.ints("pads").value_or(Ints(2 * axes, 0));
  if (pads.size() != 2 * axes)
    n.bad("attribute 'pads' has ", pads.size(), " entries for ", axes,
          " spatial axes");
  return pads;
}

void checkKernelShape(Node &n, const Dims &kernel) {
  auto given = n.ints("kernel_shape");
  if (!given)
    return;
  bool fits = given->size() == kernel.size();
  for (size_t i = 0; fits && i < kernel.size(); ++i)
    fits = !kernel[i].constant() || kernel[i].is((*given)[i]);
  if (!fits)
    n.bad("kernel_shape ", dimsText(*given),
          " does not agree with the weights");
}

} // namespace

Window readWindow(Node &n, const Dims &in, const Dims &kernel) {
  Builder &b = n.b;
  size_t axes = in.size();
  Window w;
  w.strides = perAxis(n, "strides", axes);
  w.dilations = perAxis(n, "dilations", axes);
  w.autoPad = readAutoPad(n);
  Ints pads = readPads(n, axes);
  for (size_t i = 0; i < axes; ++i) {
    if (w.autoPad == "NOTSET") {
      w.low.push_back(b.num(pads[i]));
      w.high.push_back(b.num(pads[i + axes]));
    } else if (w.autoPad == "VALID") {
      w.low.push_back(b.num(0));
      w.high.push_back(b.num(0));
    } else {
      // ceil(in / stride) windows, the odd element at the named end.
      Dim stride = b.num(w.strides[i]);
      Dim windows = in[i].ceilDiv(stride);
      Dim total =
          ((windows - 1) * stride + extent(kernel[i], w.dilations[i]) - in[i])
              .max(b.num(0));
      Dim half = total.floorDiv(b.num(2));
      Dim rest = total - half;
      bool upper = w.autoPad == "SAME_UPPER";
      w.low.push_back(upper ? half : rest);
      w.high.push_back(upper ? rest : half);
    }
  }
  return w;
}

namespace {

Value convolve(Builder &b, Value x, Value w, Value bias, const Window &window,
               const Ints &inputDilations, int64_t groups) {
  return b.op("conv", {x, w, bias},
              {{"strides", window.strides},
               {"low", window.low},
               {"high", window.high},
               {"dilations", window.dilations},
               {"input_dilations", inputDilations},
               {"groups", groups}});
}

void conv(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), w = n.in(1), bias = n.opt(2);
  Dims in = spatialDims(n, x), kernel = spatialDims(n, w);
  if (in.size() != kernel.size())
    n.bad("its weights have rank ", b.rank(w), " for an input of rank ",
          b.rank(x));
  checkKernelShape(n, kernel);
  Window window = readWindow(n, in, kernel);
  n.out(convolve(b, x, w, bias, window, Ints(in.size(), 1), n.i("group", 1)));
}

/// [C, OC/g, k...] to [OC, C/g, k...] with the kernel mirrored.
Value transposedWeights(Node &n, Value w, int64_t groups) {
  Builder &b = n.b;
  Dims dims = b.dims(w);
  auto rank = static_cast<int64_t>(dims.size());
  if (groups < 1 || (dims[0].constant() && *dims[0].constant() % groups))
    n.bad("group ", groups, " does not divide the channels");
  Dim g = b.num(groups), part = dims[0].floorDiv(g);
  Dims split = {g, part, dims[1]}, merged = {g * dims[1], part};
  split.insert(split.end(), dims.begin() + 2, dims.end());
  merged.insert(merged.end(), dims.begin() + 2, dims.end());
  Ints perm = range(0, rank + 1);
  std::swap(perm[1], perm[2]);
  Value y = b.reshape(b.transpose(b.reshape(w, split), perm), merged);
  return b.reverse(y, range(2, rank));
}

/// Padding of the equal convolution over the spread input; what is negative
/// crops the result instead.
void convTranspose(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), w = n.in(1), bias = n.opt(2);
  Dims in = spatialDims(n, x), kernel = spatialDims(n, w);
  size_t axes = in.size();
  if (axes != kernel.size())
    n.bad("its weights have rank ", b.rank(w), " for an input of rank ",
          b.rank(x));
  checkKernelShape(n, kernel);
  Ints strides = perAxis(n, "strides", axes);
  Ints dilations = perAxis(n, "dilations", axes);
  std::string autoPad = readAutoPad(n);
  Ints pads = readPads(n, axes);
  Ints extra = n.ints("output_padding").value_or(Ints(axes, 0));
  std::optional<Ints> wanted = n.ints("output_shape");
  if (wanted && wanted->size() == axes + 2)
    wanted->erase(wanted->begin(), wanted->begin() + 2);
  if (extra.size() != axes || (wanted && wanted->size() != axes))
    n.bad("output_padding or output_shape does not fit the spatial axes");

  Window window;
  window.strides = Ints(axes, 1);
  window.dilations = dilations;
  Dims cropStart(axes + 2, b.num(0)), sizes;
  bool crops = false;
  for (size_t i = 0; i < axes; ++i) {
    Dim reach = extent(kernel[i], dilations[i]);
    Dim full = (in[i] - 1) * strides[i] + extra[i] + reach;
    Dim start = b.num(pads[i]), end = b.num(pads[i + axes]);
    bool same = autoPad == "SAME_UPPER" || autoPad == "SAME_LOWER";
    if (wanted || same) {
      Dim size = wanted ? b.num((*wanted)[i]) : in[i] * strides[i];
      Dim total = full - size;
      if (!wanted)
        total = total.max(b.num(0));
      Dim half = total.floorDiv(b.num(2));
      bool upper = autoPad == "SAME_UPPER";
      start = upper ? half : total - half;
      end = total - start;
    } else if (autoPad == "VALID") {
      start = end = b.num(0);
    }
    Dim low = reach - 1 - start, high = reach - 1 - end + extra[i];
    sizes.push_back(full - start - end);
    auto cropped = [&](Dim pad) {
      bool negative = pad.constant() && *pad.constant() < 0;
      crops |= negative;
      return negative ? b.num(0) : pad;
    };
    if (low.constant() && *low.constant() < 0)
      cropStart[i + 2] = b.num(0) - low;
    window.low.push_back(cropped(low));
    window.high.push_back(cropped(high));
  }
  int64_t groups = n.i("group", 1);
  Value y = convolve(b, x, transposedWeights(n, w, groups), bias, window,
                     strides, groups);
  if (crops) {
    Dims result = b.dims(y);
    std::copy(sizes.begin(), sizes.end(), result.begin() + 2);
    y = b.slice(y, cropStart, result, Ints(axes + 2, 1));
  }
  n.out(y);
}

/// Both sides become int32 less their zero points.
void convInteger(Node &n) {
  Builder &b = n.b;
  Value x = b.convert(n.in(0), DType::I32);
  Value w = b.convert(n.in(1), DType::I32);
  if (n.has(2))
    x = b.binary("sub", x, b.convert(b.toScalar(n.in(2)), DType::I32));
  if (n.has(3)) {
    Value zero = b.convert(n.in(3), DType::I32);
    if (b.rank(zero) == 1 && !b.dim(zero, 0).is(1))
      zero = b.unsqueeze(zero, range(1, static_cast<int64_t>(b.rank(w))));
    w = b.binary("sub", w, zero);
  }
  Dims in = spatialDims(n, x), kernel = spatialDims(n, w);
  checkKernelShape(n, kernel);
  Window window = readWindow(n, in, kernel);
  n.out(
      convolve(b, x, w, Value(), window, Ints(in.size(), 1), n.i("group", 1)));
}

} // namespace

OpTable convOps() {
  static constexpr OpEntry table[] = {
      {"", "Conv", 1, latest, conv},
      {"", "ConvTranspose", 1, latest, convTranspose},
      {"", "ConvInteger", 10, latest, convInteger},
  };
  return table;
}

} // namespace cuvil::onnx
