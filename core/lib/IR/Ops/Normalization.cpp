// SPDX-License-Identifier: Apache-2.0
// Constraints and result dims of softmax and the normalisations.
#include "Constraints.h"
#include <cmath>

using namespace mlir;
using namespace cuvil;

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Normalization.cpp.inc"

LogicalResult SoftmaxOp::inferTypes(DimContext &,
                                    SmallVectorImpl<Type> &types) {
  if (failed(checkAxis(*this, "c1", getAxis(), getRank(getX()))))
    return failure();
  return addResult(*this, types, getDims(getX()), getElement(getX()));
}

namespace {
/// Whether a kind needs, allows or refuses an operand.
enum class Presence { Needed, Optional, Absent };

struct NormalizeKind {
  StringRef word;
  Presence scale, bias, statistics;
  int64_t minRank;
  bool hasAxis, hasGroups;
};
} // namespace

static constexpr auto Needed = Presence::Needed, Optional = Presence::Optional,
                      Absent = Presence::Absent;
static const NormalizeKind normalizeKinds[] = {
    {"batch", Needed, Needed, Needed, 2, false, false},
    {"layer", Optional, Optional, Absent, 1, true, false},
    {"rms", Optional, Absent, Absent, 1, true, false},
    {"instance", Needed, Needed, Absent, 2, false, false},
    {"group", Optional, Optional, Absent, 2, false, true},
};

LogicalResult NormalizeOp::inferTypes(DimContext &dims,
                                      SmallVectorImpl<Type> &types) {
  const auto *kind = llvm::find_if(normalizeKinds, [&](const auto &entry) {
    return entry.word == getKind();
  });
  SmallVector<DimExpr> x = getDims(getX());
  int64_t rank = x.size();
  if (rank < kind->minRank)
    return violation(*this, "c1", "kind {0} needs x of rank >= {1}, got {2}",
                     getKind(), kind->minRank, getX().getType());
  if (kind->hasAxis != getAxis().has_value())
    return violation(*this, "c1", "kind {0} {1} axis", getKind(),
                     kind->hasAxis ? "needs" : "takes no");
  if (kind->hasAxis &&
      failed(checkAxis(*this, "c3", int64_t(*getAxis()), rank)))
    return failure();
  if (kind->hasGroups != getGroups().has_value())
    return violation(*this, "c4", "kind {0} {1} groups", getKind(),
                     kind->hasGroups ? "needs" : "takes no");
  if (kind->hasGroups) {
    int64_t groups = *getGroups();
    if (groups <= 0 ||
        !dims.requireEqual(x[1].mod(dims.constant(groups)), dims.constant(0)))
      return violation(*this, "c4",
                       "expected groups that divide the {0} channels, got {1}",
                       x[1].str(), groups);
  }
  ArrayRef<DimExpr> all = x;
  ArrayRef<DimExpr> parameter =
      kind->hasAxis ? all.drop_front(int64_t(*getAxis())) : all.slice(1, 1);
  for (auto [name, operand, presence] :
       {std::tuple<StringRef, Value, Presence>("scale", getScale(),
                                               kind->scale),
        std::tuple<StringRef, Value, Presence>("bias", getBias(), kind->bias),
        std::tuple<StringRef, Value, Presence>("mean", getMean(),
                                               kind->statistics),
        std::tuple<StringRef, Value, Presence>("var", getVar(),
                                               kind->statistics)}) {
    if (operand ? presence == Absent : presence == Needed)
      return violation(*this, "c1", "kind {0} {1} operand {2}", getKind(),
                       operand ? "takes no" : "needs", name);
    if (!operand)
      continue;
    if (failed(checkDims(*this, dims, "c1", name, operand, parameter)) ||
        failed(checkSameElement(*this, "c2", getX(), operand)))
      return failure();
  }
  double eps = getEps().convertToDouble();
  if (!std::isfinite(eps) || eps < 0)
    return violation(*this, "c5", "expected a finite eps >= 0, got {0}", eps);
  return addResult(*this, types, x, getElement(getX()));
}
