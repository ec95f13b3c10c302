// SPDX-License-Identifier: Apache-2.0
// Structural checks of a decoded model, done before anything is built from it.
#ifndef CUVIL_FRONTEND_ONNX_PROTO_CHECKS_H
#define CUVIL_FRONTEND_ONNX_PROTO_CHECKS_H

#include "Model.h"

#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

namespace cuvil::onnx {

inline constexpr int64_t minOpset = 1;
inline constexpr int64_t maxOpset = 28;
inline constexpr int64_t minIrVersion = 3;
inline constexpr int64_t maxIrVersion = 14;

using OpsetMap = std::map<std::string_view, int64_t>;

/// "node 'conv1' (Conv)", or the op and its first output for a node without a
/// name.
std::string nodeLabel(const NodeProto &node);

/// The standard domain has two spellings; this gives "" for both.
inline std::string_view canonicalDomain(std::string_view domain) {
  return domain == "ai.onnx" ? std::string_view() : domain;
}

/// What the checks found out about one graph or function body.
struct BodyInfo {
  /// Node indices in an order that respects every dependence.
  std::vector<uint32_t> order;
  /// Names of enclosing scopes that the body uses, each once.
  std::vector<std::string_view> captures;
};

/// A model whose structure is sound: known versions, single assignment, no
/// cycle, no missing value. Points into the model.
class CheckedModel {
public:
  /// Throws an ImportError for the first violation.
  explicit CheckedModel(const ModelProto &model);

  const BodyInfo &info(const GraphProto &graph) const {
    return bodies.at(&graph);
  }
  const BodyInfo &info(const FunctionProto &function) const {
    return bodies.at(&function);
  }
  const OpsetMap &opsets() const { return modelOpsets; }
  const OpsetMap &opsets(const FunctionProto &function) const {
    return functionOpsets.at(&function);
  }
  /// The model-local function that `node` calls, or null.
  const FunctionProto *function(const NodeProto &node) const;

private:
  using FunctionKey =
      std::tuple<std::string_view, std::string_view, std::string_view>;

  void checkGraph(const GraphProto &graph);
  void checkFunction(const FunctionProto &function);
  void checkCalls(const FunctionProto &function,
                  std::map<const FunctionProto *, uint64_t> &sizes,
                  unsigned depth);

  std::unordered_map<const void *, BodyInfo> bodies;
  OpsetMap modelOpsets;
  std::map<const FunctionProto *, OpsetMap> functionOpsets;
  std::map<FunctionKey, const FunctionProto *> functions;
};

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_PROTO_CHECKS_H
