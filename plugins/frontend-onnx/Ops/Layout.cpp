// SPDX-License-Identifier: Apache-2.0
// Ops that move elements or change the shape: Reshape, Transpose, Concat, ...
#include "Common.h"

namespace cuvil::onnx {
namespace {

void identity(Node &n) { n.out(0, n.binding(0)); }

/// Inference only: the input itself and, if asked for, a mask of ones.
void dropout(Node &n) {
  Builder &b = n.b;
  n.ignore("seed");
  n.ignore("ratio");
  if (n.has(2)) {
    auto training = b.constantInts(n.in(2));
    auto ratio = n.realInput(1);
    bool off = training && training->size() == 1 && (*training)[0] == 0;
    bool keepsAll = n.has(1) && ratio && *ratio == 0;
    if (!off && !keepsAll)
      n.refuse("training mode is not supported");
  }
  Value x = n.in(0);
  n.out(x);
  if (n.wants(1)) {
    DType maskType = n.opset < 10 ? b.dtype(x) : DType::Bool;
    n.out(1, b.fill(b.integer(maskType, 1), b.dims(x)));
  }
}

//===----------------------------------------------------------------------===//
// Reshape
//===----------------------------------------------------------------------===//

/// The size that -1 stands for: the elements divided by the other dims, with
/// equal factors cancelled first so that the quotient stays simple.
Dim inferredDim(Node &n, Dims have, Dims others) {
  Builder &b = n.b;
  for (auto it = others.begin(); it != others.end();) {
    auto same = std::find(have.begin(), have.end(), *it);
    if (same == have.end() || it->is(0)) {
      ++it;
      continue;
    }
    have.erase(same);
    it = others.erase(it);
  }
  Dim total = b.product(have), known = b.product(others);
  auto ct = total.constant(), ck = known.constant();
  if (ck == 0)
    n.bad("-1 beside a dimension of size 0");
  if (ct && ck && *ct % *ck != 0)
    n.bad("cannot fit ", *ct, " elements into multiples of ", *ck);
  return known.is(1) ? total : total.floorDiv(known);
}

/// A target shape known at run time only, with 0 and -1 resolved.
Dims resolveShape(Node &n, Value x, Value shape, bool allowZero) {
  Builder &b = n.b;
  auto length = b.dim(shape, 0).constant();
  if (!length)
    n.refuse("the rank of its result has to be known");
  Value target = b.convert(shape, DType::I64);
  Value zero = b.integer(DType::I64, 0), one = b.integer(DType::I64, 1);
  if (!allowZero) {
    Dims copied = b.dims(x);
    copied.resize(*length, b.num(0));
    target = b.select(b.compare("eq", target, zero), b.pack(copied), target);
  }
  Value unknown = b.compare("lt", target, zero);
  Value known = b.reduce("prod", b.select(unknown, one, target), {0}, false);
  // Avoids dividing by zero where no -1 asks for the quotient.
  Value divisor = b.binary("max", known, one);
  Value total = b.packScalar(b.product(b.dims(x)));
  Value rest = b.binary("div", total, divisor);
  return b.bindDims(b.select(unknown, rest, target));
}

void reshape(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), shape = n.in(1);
  bool allowZero = n.opset >= 14 && n.i("allowzero", 0);
  if (b.rank(shape) != 1)
    n.bad("its shape has rank ", b.rank(shape));
  Dims dims = b.dims(x);
  auto target = b.valueAsDims(shape);
  if (!target)
    return n.out(b.reshape(x, resolveShape(n, x, shape, allowZero)));
  Dims result = *target, others;
  std::optional<size_t> inferred;
  for (size_t i = 0; i < result.size(); ++i) {
    auto value = result[i].constant();
    if (value == 0 && !allowZero) {
      if (i >= dims.size())
        n.bad("dimension ", i, " of its shape is 0, but the input has rank ",
              dims.size());
      result[i] = dims[i];
    } else if (value == -1) {
      if (inferred)
        n.bad("its shape has more than one -1");
      inferred = i;
      continue;
    } else if (value && *value < -1) {
      n.bad("dimension ", i, " of its shape is ", *value);
    }
    others.push_back(result[i]);
  }
  if (inferred)
    result[*inferred] = inferredDim(n, dims, others);
  n.out(b.reshape(x, result));
}

void flatten(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Dims dims = b.dims(x);
  auto rank = static_cast<int64_t>(dims.size());
  int64_t axis = n.i("axis", 1);
  axis = axis == rank ? rank : rank == 0 ? 0 : n.axis(axis, rank);
  n.out(b.reshape(x, {b.product(std::span(dims).first(axis)),
                      b.product(std::span(dims).subspan(axis))}));
}

void transpose(Node &n) {
  Builder &b = n.b;
  auto rank = static_cast<int64_t>(b.rank(n.in(0)));
  Ints reversed = range(0, rank);
  std::reverse(reversed.begin(), reversed.end());
  Ints perm = n.ints("perm").value_or(reversed);
  if (static_cast<int64_t>(perm.size()) != rank)
    n.bad("perm has ", perm.size(), " entries for rank ", rank);
  n.out(b.transpose(n.in(0), n.axes(perm, rank)));
}

//===----------------------------------------------------------------------===//
// Squeeze, Unsqueeze
//===----------------------------------------------------------------------===//

void squeeze(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Dims dims = b.dims(x);
  auto rank = static_cast<int64_t>(dims.size());
  std::optional<Ints> axes;
  if (n.opset < 13) {
    axes = n.ints("axes");
  } else if (n.has(1)) {
    axes = b.constantInts(n.in(1));
    if (!axes)
      n.refuse("axes that are not constant");
  }
  if (!axes) {
    axes = Ints{};
    for (int64_t i = 0; i < rank; ++i) {
      if (!dims[i].constant())
        n.refuse("without axes, all sizes have to be known");
      if (dims[i].is(1))
        axes->push_back(i);
    }
  }
  Ints normal = n.axes(*axes, rank);
  for (int64_t axis : normal)
    if (dims[axis].constant() && !dims[axis].is(1))
      n.bad("axis ", axis, " has size ", *dims[axis].constant(), ", not 1");
  n.out(b.squeeze(x, normal));
}

void unsqueeze(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  auto rank = static_cast<int64_t>(b.rank(x));
  std::optional<Ints> axes =
      n.opset < 13 ? n.ints("axes") : b.constantInts(n.in(1));
  if (axes)
    return n.out(b.unsqueeze(
        x, n.axes(*axes, rank + static_cast<int64_t>(axes->size()))));
  if (n.opset < 13)
    n.bad("attribute 'axes' is missing");
  if (b.rank(n.in(1)) == 1 && !b.dim(n.in(1), 0).is(1))
    n.refuse("several axes that are not constant");
  Dim axis = boundAxes(n, n.in(1), rank + 1)[0];
  Dims dims = b.dims(x), result;
  for (int64_t d = 0; d <= rank; ++d) {
    Dim isAfter = lessThan(b, axis, d);
    Dim isAt = b.ifEqual(axis, d, b.num(1), b.num(0));
    Dim size = isAt;
    if (d > 0)
      size = size + isAfter * dims[d - 1];
    if (d < rank)
      size = size + (b.num(1) - isAfter - isAt) * dims[d];
    result.push_back(size);
  }
  n.out(b.reshape(x, result));
}

//===----------------------------------------------------------------------===//
// Concat, Split, Expand, Tile
//===----------------------------------------------------------------------===//

void concat(Node &n) {
  Builder &b = n.b;
  Values parts = n.all();
  if (parts.empty())
    n.bad("it has no inputs");
  if (!n.hasAttr("axis"))
    n.bad("attribute 'axis' is missing");
  auto rank = static_cast<int64_t>(b.rank(parts[0]));
  n.out(b.concat(parts, n.axis(n.i("axis", 0), rank)));
}

void split(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t axis = n.axis(n.i("axis", 0), static_cast<int64_t>(b.rank(x)));
  Dim size = b.dim(x, axis);
  auto count = static_cast<int64_t>(n.numOutputs());
  Dims sizes;
  if (auto given = n.ints("split")) {
    sizes = b.nums(*given);
  } else if (n.opset >= 13 && n.has(1)) {
    sizes = b.bindDims(n.in(1));
  } else {
    if (n.opset >= 18)
      if (int64_t parts = n.i("num_outputs", count); parts != count)
        n.bad("num_outputs is ", parts, ", but it has ", count, " outputs");
    // Only since version 18 may the last part be smaller.
    if (n.opset < 18 && size.constant() && *size.constant() % count)
      n.bad("size ", *size.constant(), " does not split into ", count,
            " equal parts");
    Dim part = size.ceilDiv(b.num(count));
    for (int64_t i = 0; i < count; ++i) {
      Dim left = (size - part * i).max(b.num(0));
      bool even = size.constant() && *size.constant() % count == 0;
      sizes.push_back(even ? part : part.min(left));
    }
  }
  if (static_cast<int64_t>(sizes.size()) != count)
    n.bad("it has ", sizes.size(), " split sizes for ", count, " outputs");
  Dim start = b.num(0);
  for (int64_t i = 0; i < count; ++i) {
    n.out(i, b.sliceAxis(x, axis, start, sizes[i]));
    start = start + sizes[i];
  }
  auto total = start.constant();
  if (total && size.constant() && *total != *size.constant())
    n.bad("split sizes add up to ", *total, ", not ", *size.constant());
}

void expand(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Dims dims = b.broadcastDims(b.dims(x), b.bindDims(n.in(1)));
  n.out(b.broadcast(x, dims));
}

void tile(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  Dims dims = b.dims(x), repeats = b.bindDims(n.in(1));
  if (repeats.size() != dims.size())
    n.bad("it has ", repeats.size(), " repeats for rank ", dims.size());
  // [a, b] -> [1, a, 1, b] -> [r, a, s, b] -> [r*a, s*b]
  Dims wide, result;
  Ints mapping;
  for (size_t i = 0; i < dims.size(); ++i) {
    mapping.push_back(static_cast<int64_t>(2 * i + 1));
    wide.push_back(repeats[i]);
    wide.push_back(dims[i]);
    result.push_back(repeats[i] * dims[i]);
  }
  n.out(b.reshape(b.broadcastAlong(x, wide, mapping), result));
}

//===----------------------------------------------------------------------===//
// Depth and space
//===----------------------------------------------------------------------===//

void depthToSpace(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t block = n.i("blocksize", 0);
  std::string mode = n.s("mode", "DCR");
  if (block < 1 || b.rank(x) != 4 || (mode != "DCR" && mode != "CRD"))
    n.bad("it needs rank 4, a blocksize and mode DCR or CRD");
  Dims d = b.dims(x);
  Dim s = b.num(block), c = d[1].floorDiv(b.num(block * block));
  Value y;
  if (mode == "DCR")
    y = b.transpose(b.reshape(x, {d[0], s, s, c, d[2], d[3]}),
                    {0, 3, 4, 1, 5, 2});
  else
    y = b.transpose(b.reshape(x, {d[0], c, s, s, d[2], d[3]}),
                    {0, 1, 4, 2, 5, 3});
  n.out(b.reshape(y, {d[0], c, d[2] * s, d[3] * s}));
}

void spaceToDepth(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  int64_t block = n.i("blocksize", 0);
  std::string mode = n.s("mode", "DCR");
  if (block < 1 || b.rank(x) != 4 || (mode != "DCR" && mode != "CRD"))
    n.bad("it needs rank 4, a blocksize and mode DCR or CRD");
  Dims d = b.dims(x);
  Dim s = b.num(block), h = d[2].floorDiv(s), w = d[3].floorDiv(s);
  Value blocks = b.reshape(x, {d[0], d[1], h, s, w, s});
  Value y = mode == "DCR" ? b.transpose(blocks, {0, 3, 5, 1, 2, 4})
                          : b.transpose(blocks, {0, 1, 3, 5, 2, 4});
  n.out(b.reshape(y, {d[0], d[1] * s * s, h, w}));
}

} // namespace

OpTable layoutOps() {
  static constexpr OpEntry table[] = {
      {"", "Identity", 1, latest, identity},
      {"", "Dropout", 7, latest, dropout},
      {"", "Reshape", 5, latest, reshape},
      {"", "Flatten", 1, latest, flatten},
      {"", "Transpose", 1, latest, transpose},
      {"", "Squeeze", 1, latest, squeeze},
      {"", "Unsqueeze", 1, latest, unsqueeze},
      {"", "Concat", 4, latest, concat},
      {"", "Split", 2, latest, split},
      {"", "Expand", 8, latest, expand},
      {"", "Tile", 6, latest, tile},
      {"", "DepthToSpace", 1, latest, depthToSpace},
      {"", "SpaceToDepth", 1, latest, spaceToDepth},
  };
  return table;
}

} // namespace cuvil::onnx
