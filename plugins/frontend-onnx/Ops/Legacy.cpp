// SPDX-License-Identifier: Apache-2.0
// Forms of operator set 6 that later versions dropped: `broadcast` and `axis`
// of arithmetic, `is_test`.
#include "Common.h"

namespace cuvil::onnx {
namespace {

/// The second operand lined up with the axes that `axis` names; without
/// `broadcast` the shapes have to be equal.
Value alignedOperand(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), y = n.in(1);
  bool broadcast = n.i("broadcast", 0);
  auto rankX = static_cast<int64_t>(b.rank(x));
  auto rankY = static_cast<int64_t>(b.rank(y));
  if (!broadcast) {
    n.ignore("axis");
    if (rankX != rankY)
      n.bad("its operands have ranks ", rankX, " and ", rankY,
            " without broadcast");
    return y;
  }
  if (!n.hasAttr("axis"))
    return b.broadcast(y, b.dims(x));
  int64_t axis = n.axis(n.i("axis", 0), rankX);
  if (axis + rankY > rankX)
    n.bad("axis ", axis, " leaves no room for rank ", rankY);
  Ints mapping = range(axis, axis + rankY);
  return b.broadcastAlong(y, b.dims(x), mapping);
}

template <Word kind> void legacyBinary(Node &n) {
  n.ignore("consumed_inputs");
  n.out(n.b.binary(kind.chars, n.in(0), alignedOperand(n)));
}

template <Word kind> void legacyCompare(Node &n) {
  n.out(n.b.compare(kind.chars, n.in(0), alignedOperand(n)));
}

void legacyPow(Node &n) {
  Value y = n.b.convert(alignedOperand(n), n.b.dtype(n.in(0)));
  n.out(n.b.binary("pow", n.in(0), y));
}

/// One slope for all, or one per channel.
void legacyPRelu(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), slope = n.in(1);
  n.ignore("consumed_inputs");
  Dims dims = b.dims(x);
  bool perChannel = b.rank(slope) == 1 && !b.dim(slope, 0).is(1);
  Value wide = perChannel ? b.broadcastAlong(slope, dims, {1})
                          : b.broadcast(b.toScalar(slope), dims);
  Value negative = b.compare("lt", x, b.real(b.dtype(x), 0));
  n.out(b.select(negative, b.binary("mul", x, wide), x));
}

void legacyGemm(Node &n) {
  n.ignore("broadcast");
  findOp("", "Gemm", latest)->convert(n);
}

void legacyBatchNorm(Node &n) {
  n.ignore("consumed_inputs");
  if (n.i("is_test", 0) == 0)
    n.refuse("training mode is not supported");
  findOp("", "BatchNormalization", latest)->convert(n);
}

void legacyDropout(Node &n) {
  n.ignore("consumed_inputs");
  if (n.i("is_test", 0) == 0)
    n.refuse("training mode is not supported");
  findOp("", "Dropout", latest)->convert(n);
}

} // namespace

OpTable legacyOps() {
  static constexpr OpEntry table[] = {
      {"", "Add", 1, 6, legacyBinary<"add">},
      {"", "Sub", 1, 6, legacyBinary<"sub">},
      {"", "Mul", 1, 6, legacyBinary<"mul">},
      {"", "Div", 1, 6, legacyBinary<"div">},
      {"", "Pow", 1, 6, legacyPow},
      {"", "And", 1, 6, legacyBinary<"and">},
      {"", "Or", 1, 6, legacyBinary<"or">},
      {"", "Xor", 1, 6, legacyBinary<"xor">},
      {"", "Equal", 1, 6, legacyCompare<"eq">},
      {"", "Less", 1, 6, legacyCompare<"lt">},
      {"", "Greater", 1, 6, legacyCompare<"gt">},
      {"", "PRelu", 1, 6, legacyPRelu},
      {"", "Gemm", 1, 6, legacyGemm},
      {"", "BatchNormalization", 1, 6, legacyBatchNorm},
      {"", "Dropout", 1, 6, legacyDropout},
  };
  return table;
}

} // namespace cuvil::onnx
