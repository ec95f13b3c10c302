// SPDX-License-Identifier: Apache-2.0
// Constraints and result dims of the recurrent layers.
#include "Constraints.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Recurrent.cpp.inc"

namespace {
struct RnnKind {
  StringRef word;
  int64_t gates, activations;
};
} // namespace

static constexpr RnnKind rnnKinds[] = {
    {"lstm", 4, 3}, {"gru", 3, 2}, {"simple", 1, 1}};

static constexpr llvm::StringLiteral activationNames[] = {
    "relu",       "tanh",        "sigmoid",
    "affine",     "leakyrelu",   "thresholdedrelu",
    "scaledtanh", "hardsigmoid", "elu",
    "softsign",   "softplus"};

/// (c3): the activation lists.
static LogicalResult checkActivations(RnnOp op, int64_t expected) {
  if (failed(checkCount(op, "c3", "activations", op.getActivations().size(),
                        expected)) ||
      failed(checkCount(op, "c3", "alphas", op.getAlphas().size(), expected)) ||
      failed(checkCount(op, "c3", "betas", op.getBetas().size(), expected)))
    return failure();
  for (StringAttr name : op.getActivations().getAsRange<StringAttr>())
    if (!llvm::is_contained(activationNames, name.getValue()))
      return violation(op, "c3", "unknown activation {0}, expected one of {1}",
                       name, llvm::join(ArrayRef(activationNames), ", "));
  return success();
}

LogicalResult RnnOp::inferTypes(DimContext &dims,
                                SmallVectorImpl<Type> &types) {
  const RnnKind &kind = *llvm::find_if(
      rnnKinds, [&](const RnnKind &entry) { return entry.word == getKind(); });
  if (failed(checkRank(*this, "c1", "x", getX(), 3)) ||
      failed(checkRank(*this, "c1", "w", getW(), 3)) ||
      failed(checkRank(*this, "c1", "r", getR(), 3)))
    return failure();
  SmallVector<DimExpr> x = getDims(getX());
  DimExpr batch = x[1], input = x[2], hidden = getDims(getR())[2];
  int64_t count = getDirection() == "bidirectional" ? 2 : 1;
  DimExpr directions = dims.constant(count);
  DimExpr gates = hidden * kind.gates;
  SmallVector<DimExpr> state = {directions, batch, hidden};
  const std::tuple<StringRef, Value, SmallVector<DimExpr>> operands[] = {
      {"w", getW(), {directions, gates, input}},
      {"r", getR(), {directions, gates, hidden}},
      {"b", getB(), {directions, gates * 2}},
      {"lengths", getLengths(), {batch}},
      {"h0", getH0(), state},
      {"c0", getC0(), state},
      {"peephole", getPeephole(), {directions, hidden * 3}}};
  for (auto &[name, operand, expected] : operands)
    if (operand &&
        failed(checkDims(*this, dims, "c1", name, operand, expected)))
      return failure();
  if (getLengths() && !getElement(getLengths()).isInteger(32))
    return violation(*this, "c1",
                     "expected lengths of element type i32, got {0}",
                     getLengths().getType());
  for (Value operand :
       {getW(), getR(), getB(), getH0(), getC0(), getPeephole()})
    if (operand && failed(checkSameElement(*this, "c2", getX(), operand)))
      return failure();
  if (failed(checkActivations(*this, kind.activations * count)))
    return failure();
  double clip = getClip().convertToDouble();
  if (!(clip >= 0))
    return violation(*this, "c4", "expected clip >= 0, got {0}", clip);
  for (auto [name, given, owner] :
       {std::tuple<StringRef, bool, StringRef>("c0", bool(getC0()), "lstm"),
        std::tuple<StringRef, bool, StringRef>("peephole", bool(getPeephole()),
                                               "lstm"),
        std::tuple<StringRef, bool, StringRef>("input_forget", getInputForget(),
                                               "lstm"),
        std::tuple<StringRef, bool, StringRef>("linear_before_reset",
                                               getLinearBeforeReset(), "gru")})
    if (given && getKind() != owner)
      return violation(*this, "c5", "{0} is for kind {1}, got kind {2}", name,
                       owner, getKind());
  SmallVector<DimExpr> y = {x[0], directions, batch, hidden};
  Type element = getElement(getX());
  if (failed(addResult(*this, types, y, element)) ||
      failed(addResult(*this, types, state, element)))
    return failure();
  return addResult(*this, types, state, element);
}

/// The two matrix products of every step and direction.
DimExpr RnnOp::getFlops() {
  SmallVector<DimExpr> w = getDims(getW()), r = getDims(getR()), x = getDims(getX());
  return product(getContext(), {x[0], x[1], w[0], w[1]}) * (w[2] + r[2]) * 2;
}
