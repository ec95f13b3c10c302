// SPDX-License-Identifier: Apache-2.0
// Attention and rotary embedding as products, masks and a softmax.
#include "Common.h"

#include <cmath>
#include <limits>

namespace cuvil::onnx {
namespace {

/// [B, S, H * D] as [B, H, S, D].
Value splitHeads(Builder &b, Value x, int64_t heads) {
  Dims d = b.dims(x);
  Dim h = b.num(heads);
  return b.transpose(b.reshape(x, {d[0], d[1], h, d[2].floorDiv(h)}),
                     {0, 2, 1, 3});
}

Value mergeHeads(Builder &b, Value x) {
  Dims d = b.dims(x);
  return b.reshape(b.transpose(x, {0, 2, 1, 3}), {d[0], d[2], d[1] * d[3]});
}

/// Each head of [B, H, S, D] `times` times in a row.
Value repeatHeads(Builder &b, Value x, int64_t times) {
  if (times == 1)
    return x;
  Dims d = b.dims(x);
  Value wide =
      b.broadcastAlong(x, {d[0], d[1], b.num(times), d[2], d[3]}, {0, 1, 3, 4});
  return b.reshape(wide, {d[0], d[1] * times, d[2], d[3]});
}

class Attention {
public:
  Attention(Node &n) : n(n), b(n.b) {}

  void run() {
    readInputs();
    Value logits = scores();
    Value raw = logits;
    if (softcap > 0)
      logits = b.binaryReal(
          "mul", b.unary("tanh", b.binaryReal("div", logits, softcap)),
          softcap);
    Value capped = logits;
    Value mask = bias();
    if (mask)
      logits = b.binary("add", logits, mask);
    Value biased = logits;
    if (precision != DType::None)
      logits = b.convert(logits, precision);
    Value weights = b.softmax(logits, 3);
    if (mask) {
      // A row without any key to attend to gives zeros, not NaN.
      Value top =
          b.reduce("max", mask, {static_cast<int64_t>(b.rank(mask)) - 1}, true);
      Value empty = b.compare("eq", top, negativeInfinity());
      weights = b.select(empty, b.real(b.dtype(weights), 0), weights);
    }
    weights = b.convert(weights, type);
    int64_t group = heads / kvHeads;
    Value y = b.matmul(weights, repeatHeads(b, v, group));
    n.out(0, flat ? mergeHeads(b, y) : y);
    n.out(1, k);
    n.out(2, v);
    if (n.wants(3)) {
      Value choice[] = {raw, capped, biased, weights};
      n.out(3, choice[mode]);
    }
  }

private:
  void readInputs() {
    q = n.in(0);
    k = n.in(1);
    v = n.in(2);
    type = b.dtype(q);
    softcap = n.f("softcap", 0);
    causal = n.i("is_causal", 0);
    mode = n.i("qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3)
      n.bad("qk_matmul_output_mode is ", mode);
    if (n.hasAttr("softmax_precision")) {
      precision = dtypeOf(static_cast<int32_t>(n.i("softmax_precision", 0)));
      if (!isFloat(precision))
        n.refuse("softmax_precision is not supported");
    }
    left = n.i("left_window_size", -1);
    right = n.i("right_window_size", -1);
    flat = b.rank(q) == 3;
    int64_t queries = n.i("q_num_heads", 0), keys = n.i("kv_num_heads", 0);
    if (flat) {
      if (queries < 1 || keys < 1)
        n.bad("inputs of rank 3 need q_num_heads and kv_num_heads");
      q = splitHeads(b, q, queries);
      k = splitHeads(b, k, keys);
      v = splitHeads(b, v, keys);
    }
    if (b.rank(q) != 4 || b.rank(k) != 4 || b.rank(v) != 4)
      n.bad("its inputs have ranks other than 3 and 4");
    auto h = b.dim(q, 1).constant(), kv = b.dim(k, 1).constant();
    if (!h || !kv)
      n.refuse("the numbers of heads have to be known");
    if (*kv == 0 || *h % *kv)
      n.bad(*h, " query heads do not divide into ", *kv, " key heads");
    heads = *h;
    kvHeads = *kv;
    pastLength = b.num(0);
    if (n.has(4) != n.has(5))
      n.bad("past_key and past_value have to be given together");
    if (n.has(4)) {
      pastLength = b.dim(n.in(4), 2);
      k = b.concat({n.in(4), k}, 2);
      v = b.concat({n.in(5), v}, 2);
    }
    lengths = n.opt(6);
    if (lengths && n.has(4))
      n.bad("nonpad_kv_seqlen and a past cannot be combined");
  }

  Value scores() {
    Value keys = repeatHeads(b, k, heads / kvHeads);
    keys = b.transpose(keys, {0, 1, 3, 2});
    Value factor;
    if (n.hasAttr("scale")) {
      factor = b.real(type, std::sqrt(n.f("scale", 1)));
    } else if (auto size = b.dim(q, 3).constant()) {
      factor =
          b.real(type, std::sqrt(1 / std::sqrt(static_cast<double>(*size))));
    } else {
      Value width = b.convert(b.packScalar(b.dim(q, 3)), DType::F64);
      factor = b.unary("rsqrt", b.unary("sqrt", width));
      factor = b.convert(factor, type);
    }
    return b.matmul(b.binary("mul", q, factor), b.binary("mul", keys, factor));
  }

  Value negativeInfinity() {
    return b.real(type, -std::numeric_limits<double>::infinity());
  }

  /// 0 where `allowed`, else minus infinity.
  Value asBias(Value allowed) {
    return b.select(allowed, b.real(type, 0), negativeInfinity());
  }

  Value add(Value x, Value y) { return x ? b.binary("add", x, y) : y; }

  /// What is added to the scores, or nothing.
  Value bias() {
    Value total;
    Dim keys = b.dim(k, 2);
    if (Value mask = n.opt(3)) {
      auto last = static_cast<int64_t>(b.rank(mask)) - 1;
      bool isBool = b.dtype(mask) == DType::Bool;
      if (last < 0)
        n.bad("its mask has rank 0");
      Value additive = isBool ? asBias(mask) : mask;
      Dim width = b.dim(mask, last);
      if (!(width == keys)) {
        if (!width.constant() || !keys.constant())
          n.refuse("a mask whose width may differ from the keys");
        if (!width.is(1) || isBool || n.opset >= 24) {
          Dims low(last + 1, b.num(0)), high = low;
          high[last] = keys - width;
          additive = b.padConstant(additive, negativeInfinity(), low, high);
        }
      }
      total = additive;
    }
    // Query i stands at i + offset among the keys.
    Value row = iotaAlong(b, b.dim(q, 2), 0, 2, DType::I64);
    Value column = iotaAlong(b, keys, 1, 2, DType::I64);
    Value offset = b.packScalar(pastLength);
    if (lengths) {
      Value valid = b.convert(lengths, DType::I64);
      offset = b.binary("sub", valid, b.packScalar(b.dim(q, 2)));
      offset = b.unsqueeze(offset, {1, 2, 3});
    }
    Value position = b.binary("add", row, offset);
    if (causal)
      total = add(total, asBias(b.compare("le", column, position)));
    Value ahead = b.binary("sub", position, column);
    if (left >= 0)
      total = add(total,
                  asBias(b.compare("le", ahead, b.integer(DType::I64, left))));
    if (right >= 0)
      total = add(
          total, asBias(b.compare("ge", ahead, b.integer(DType::I64, -right))));
    if (lengths) {
      Value valid = b.unsqueeze(b.convert(lengths, DType::I64), {1, 2, 3});
      total = add(total, asBias(b.compare("lt", column, valid)));
    }
    return total;
  }

  Node &n;
  Builder &b;
  Value q, k, v, lengths;
  DType type = DType::None, precision = DType::None;
  double softcap = 0;
  bool causal = false, flat = false;
  int64_t mode = 0, left = -1, right = -1, heads = 0, kvHeads = 0;
  Dim pastLength;
};

void attention(Node &n) { Attention(n).run(); }

/// Rotates pairs of the first elements of each head by position.
void rotaryEmbedding(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), cosines = n.in(1), sines = n.in(2);
  bool flat = b.rank(x) == 3;
  bool interleaved = n.i("interleaved", 0);
  int64_t heads = n.i("num_heads", 0);
  int64_t rotated = n.i("rotary_embedding_dim", 0);
  if (flat) {
    if (heads < 1)
      n.bad("an input of rank 3 needs num_heads");
    Dims d = b.dims(x);
    x = b.reshape(x, {d[0], d[1], b.num(heads), d[2].floorDiv(b.num(heads))});
  } else if (b.rank(x) == 4) {
    x = b.transpose(x, {0, 2, 1, 3});
  } else {
    n.bad("its input has rank ", b.rank(x));
  }
  // From here on [batch, sequence, head, element].
  Dims d = b.dims(x);
  Dim width = rotated ? b.num(rotated) : d[3];
  Dim half = width.floorDiv(b.num(2));
  Value head = b.sliceAxis(x, 3, b.num(0), width);
  if (Value positions = n.opt(3)) {
    Value at = b.convert(positions, DType::I64);
    cosines = b.gather(cosines, at, 0);
    sines = b.gather(sines, at, 0);
  }
  auto perHead = [&](Value v) {
    v = b.sliceAxis(v, 2, b.num(0), half);
    return b.unsqueeze(v, {2});
  };
  cosines = perHead(cosines);
  sines = perHead(sines);
  Value first, second;
  Dims parts = b.dims(head);
  if (interleaved) {
    Value pairs = b.reshape(head, {d[0], d[1], d[2], half, b.num(2)});
    first = b.squeeze(b.sliceAxis(pairs, 4, b.num(0), b.num(1)), {4});
    second = b.squeeze(b.sliceAxis(pairs, 4, b.num(1), b.num(1)), {4});
  } else {
    first = b.sliceAxis(head, 3, b.num(0), half);
    second = b.sliceAxis(head, 3, half, half);
  }
  Value real = b.binary("sub", b.binary("mul", cosines, first),
                        b.binary("mul", sines, second));
  Value imaginary = b.binary("add", b.binary("mul", sines, first),
                             b.binary("mul", cosines, second));
  Value turned;
  if (interleaved)
    turned = b.reshape(
        b.concat({b.unsqueeze(real, {4}), b.unsqueeze(imaginary, {4})}, 4),
        parts);
  else
    turned = b.concat({real, imaginary}, 3);
  Value y = turned;
  if (!(width == d[3]))
    y = b.concat({turned, b.sliceAxis(x, 3, width, d[3] - width)}, 3);
  if (flat)
    n.out(b.reshape(y, {d[0], d[1], d[2] * d[3]}));
  else
    n.out(b.transpose(y, {0, 2, 1, 3}));
}

} // namespace

OpTable attentionOps() {
  static constexpr OpEntry table[] = {
      {"", "Attention", 23, latest, attention},
      {"", "RotaryEmbedding", 23, latest, rotaryEmbedding},
  };
  return table;
}

} // namespace cuvil::onnx
