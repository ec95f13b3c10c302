// SPDX-License-Identifier: Apache-2.0
// Which operators are known, in which versions, and what converts them.
#ifndef CUVIL_FRONTEND_ONNX_REGISTRY_H
#define CUVIL_FRONTEND_ONNX_REGISTRY_H

#include "Importer.h"

namespace cuvil::onnx {

inline constexpr int64_t latest = 1 << 20;

/// One row of a family's table. Versions are those of the operator set that
/// the model imports, from the first to the last that `convert` handles.
struct OpEntry {
  std::string_view domain;
  std::string_view name;
  int64_t since;
  int64_t until;
  void (*convert)(Node &);
};

using OpTable = std::span<const OpEntry>;

/// The entry for an operator, or null.
const OpEntry *findOp(std::string_view domain, std::string_view name,
                      int64_t opset);
/// The versions in which an operator is known, as text; empty when it is not.
std::string knownVersions(std::string_view domain, std::string_view name);

/// Throws one error that names every operator used in the model, subgraphs
/// and called functions included, that is not supported.
void requireSupportedOps(const ModelProto &model, const CheckedModel &checked);

// One table per family, in Ops/.
OpTable mathOps();
OpTable activationOps();
OpTable logicOps();
OpTable layoutOps();
OpTable legacyOps();
OpTable sliceOps();
OpTable indexingOps();
OpTable convOps();
OpTable poolOps();
OpTable normOps();
OpTable reduceOps();
OpTable contractionOps();
OpTable creationOps();
OpTable rnnOps();
OpTable controlOps();
OpTable quantOps();
OpTable resizeOps();
OpTable samplingOps();
OpTable sequenceOps();
OpTable lossOps();
OpTable attentionOps();

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_REGISTRY_H
