// SPDX-License-Identifier: Apache-2.0
// Looks operators up in the family tables and lists the unsupported ones.
#include "Registry.h"

#include <algorithm>
#include <map>

namespace cuvil::onnx {
namespace {

using Key = std::pair<std::string_view, std::string_view>;
using Index = std::multimap<Key, const OpEntry *>;

const Index &index() {
  static const Index built = [] {
    Index result;
    for (OpTable table :
         {mathOps(),     activationOps(), logicOps(),       layoutOps(),
          sliceOps(),    indexingOps(),   convOps(),        poolOps(),
          normOps(),     reduceOps(),     contractionOps(), creationOps(),
          rnnOps(),      controlOps(),    quantOps(),       resizeOps(),
          sequenceOps(), lossOps(),       attentionOps(),   legacyOps(),
          samplingOps()})
      for (const OpEntry &entry : table)
        result.emplace(Key{entry.domain, entry.name}, &entry);
    return result;
  }();
  return built;
}

/// Collects the uses of unknown operators, by operator.
class Collector {
public:
  Collector(const CheckedModel &checked) : checked(checked) {}

  void visit(const std::vector<NodeProto> &nodes, const OpsetMap &opsets) {
    for (const NodeProto &node : nodes) {
      if (const FunctionProto *function = checked.function(node)) {
        if (visited.insert(function).second)
          visit(function->nodes, checked.opsets(*function));
      } else {
        check(node, opsets);
      }
      for (const AttributeProto &attribute : node.attributes) {
        if (attribute.g)
          visit(attribute.g->nodes, opsets);
        for (const GraphProto &graph : attribute.graphs)
          visit(graph.nodes, opsets);
      }
    }
  }

  void report() const {
    if (missing.empty())
      return;
    std::string text =
        std::to_string(missing.size()) +
        (missing.size() == 1 ? " operator is" : " operators are") +
        " not supported:";
    for (const auto &[op, uses] : missing) {
      text += "\n  " + op + ": ";
      constexpr size_t shown = 8;
      for (size_t i = 0; i < uses.size() && i < shown; ++i)
        text += (i ? ", " : "") + uses[i];
      if (uses.size() > shown)
        text += " and " + std::to_string(uses.size() - shown) + " more";
    }
    throw ImportError(text, ImportError::Unsupported);
  }

private:
  void check(const NodeProto &node, const OpsetMap &opsets) {
    std::string_view domain = canonicalDomain(node.domain);
    auto opset = opsets.find(domain);
    std::string name = domain.empty() ? "" : std::string(domain) + ".";
    name += node.opType.substr(0, 100);
    if (opset == opsets.end())
      name += " (operator set " + quoted(node.domain) + " is not imported)";
    else if (findOp(domain, node.opType, opset->second))
      return;
    else if (std::string known = knownVersions(domain, node.opType);
             !known.empty())
      name += " of operator set " + std::to_string(opset->second) +
              " (supported: " + known + ")";
    missing[name].push_back(nodeLabel(node));
  }

  const CheckedModel &checked;
  std::set<const FunctionProto *> visited;
  std::map<std::string, std::vector<std::string>> missing;
};

} // namespace

const OpEntry *findOp(std::string_view domain, std::string_view name,
                      int64_t opset) {
  auto [begin, end] = index().equal_range({domain, name});
  for (auto it = begin; it != end; ++it)
    if (it->second->since <= opset && opset <= it->second->until)
      return it->second;
  return nullptr;
}

std::string knownVersions(std::string_view domain, std::string_view name) {
  std::string text;
  auto [begin, end] = index().equal_range({domain, name});
  for (auto it = begin; it != end; ++it) {
    if (!text.empty())
      text += ", ";
    text += std::to_string(it->second->since) + " to ";
    text +=
        it->second->until == latest ? "now" : std::to_string(it->second->until);
  }
  return text;
}

void requireSupportedOps(const ModelProto &model, const CheckedModel &checked) {
  Collector collector(checked);
  collector.visit(model.graph->nodes, checked.opsets());
  collector.report();
}

} // namespace cuvil::onnx
