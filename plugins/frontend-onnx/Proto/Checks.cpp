// SPDX-License-Identifier: Apache-2.0
// Checks versions, names, scopes, cycles and calls of a decoded model.
#include "Checks.h"

#include "Error.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <unordered_set>

namespace cuvil::onnx {
namespace {

/// Nodes that all calls of functions may expand to.
constexpr uint64_t maxExpandedNodes = 1'000'000;

template <typename Fn> void forEachSubgraph(const NodeProto &node, Fn fn) {
  for (const AttributeProto &attribute : node.attributes) {
    if (attribute.g)
      fn(*attribute.g);
    for (const GraphProto &graph : attribute.graphs)
      fn(graph);
  }
}

OpsetMap checkOpsets(const std::vector<OpsetImport> &imports,
                     const std::string &where) {
  OpsetMap opsets;
  for (const OpsetImport &import : imports) {
    std::string_view domain = canonicalDomain(import.domain);
    if (!opsets.emplace(domain, import.version).second)
      fail(where, ": operator set ", quoted(import.domain),
           " is imported twice");
    if (domain.empty() &&
        (import.version < minOpset || import.version > maxOpset))
      fail(where, ": operator set version ", import.version,
           " is not supported; versions ", minOpset, " to ", maxOpset,
           " are. Convert the model with onnx.version_converter");
    if (import.version < 1)
      fail(where, ": operator set ", quoted(import.domain), " has version ",
           import.version);
  }
  return opsets;
}

/// Names defined in one body and the nodes that produce them.
class Scope {
public:
  static constexpr int64_t noNode = -1;

  explicit Scope(std::string where) : where(std::move(where)) {}

  void define(std::string_view name, int64_t node, const std::string &by) {
    if (!producers.emplace(name, node).second)
      fail(where, ": value ", quoted(name), " is defined twice, again by ", by);
  }
  void allow(std::string_view name) { producers.emplace(name, noNode); }
  bool knows(std::string_view name) const { return producers.count(name); }
  int64_t producer(std::string_view name) const {
    auto found = producers.find(name);
    return found == producers.end() ? noNode : found->second;
  }

private:
  std::string where;
  std::unordered_map<std::string_view, int64_t> producers;
};

class BodyChecker {
public:
  BodyChecker(const std::vector<NodeProto> &nodes, std::string where,
              const std::unordered_map<const void *, BodyInfo> &bodies)
      : nodes(nodes), where(where), scope(where), bodies(bodies) {}

  Scope &names() { return scope; }

  BodyInfo run(const std::vector<std::string_view> &results) {
    for (size_t i = 0; i < nodes.size(); ++i)
      defineResults(i);
    uses.resize(nodes.size());
    for (size_t i = 0; i < nodes.size(); ++i)
      collectUses(i);
    for (std::string_view result : results)
      if (!scope.knows(result))
        capture(result);
    BodyInfo info;
    info.order = order();
    info.captures = std::move(captures);
    return info;
  }

  /// Fails for the first captured name: the body has no enclosing scope.
  void requireClosed(const BodyInfo &info) const {
    for (std::string_view name : info.captures) {
      for (size_t i = 0; i < nodes.size(); ++i)
        if (std::find(uses[i].begin(), uses[i].end(), name) != uses[i].end())
          fail(where, ": ", nodeLabel(nodes[i]), " needs value ", quoted(name),
               ", which no input, initializer or node defines");
      fail(where, ": output ", quoted(name),
           " is not defined by any input, initializer or node");
    }
  }

private:
  void defineResults(size_t i) {
    const NodeProto &node = nodes[i];
    if (node.opType.empty())
      fail(where, ": node ", i, " ", quoted(node.name), " has no operator");
    for (std::string_view output : node.outputs)
      if (!output.empty())
        scope.define(output, static_cast<int64_t>(i), nodeLabel(node));
    std::unordered_set<std::string_view> seen;
    for (const AttributeProto &attribute : node.attributes)
      if (!seen.insert(attribute.name).second)
        fail(where, ": ", nodeLabel(node), " has attribute ",
             quoted(attribute.name), " twice");
  }

  void capture(std::string_view name) {
    if (captured.insert(name).second)
      captures.push_back(name);
  }

  void collectUses(size_t i) {
    auto use = [&](std::string_view name) {
      if (name.empty())
        return;
      uses[i].push_back(name);
      if (!scope.knows(name))
        capture(name);
    };
    for (std::string_view input : nodes[i].inputs)
      use(input);
    forEachSubgraph(nodes[i], [&](const GraphProto &graph) {
      for (std::string_view name : bodies.at(&graph).captures)
        use(name);
    });
  }

  /// Kahn's algorithm; among ready nodes the file's order decides.
  std::vector<uint32_t> order() const {
    std::vector<std::vector<uint32_t>> users(nodes.size());
    std::vector<uint32_t> waiting(nodes.size());
    for (uint32_t i = 0; i < nodes.size(); ++i)
      for (std::string_view name : uses[i]) {
        int64_t producer = scope.producer(name);
        if (producer == Scope::noNode)
          continue;
        users[producer].push_back(i);
        ++waiting[i];
      }
    std::priority_queue<uint32_t, std::vector<uint32_t>, std::greater<>> ready;
    for (uint32_t i = 0; i < nodes.size(); ++i)
      if (!waiting[i])
        ready.push(i);
    std::vector<uint32_t> sorted;
    sorted.reserve(nodes.size());
    while (!ready.empty()) {
      uint32_t i = ready.top();
      ready.pop();
      sorted.push_back(i);
      for (uint32_t user : users[i])
        if (--waiting[user] == 0)
          ready.push(user);
    }
    if (sorted.size() != nodes.size())
      reportCycle(waiting);
    return sorted;
  }

  [[noreturn]] void reportCycle(const std::vector<uint32_t> &waiting) const {
    // Going back along inputs that are themselves stuck must come round.
    uint32_t at = 0;
    while (!waiting[at])
      ++at;
    std::unordered_map<uint32_t, size_t> position;
    std::vector<uint32_t> path;
    while (position.emplace(at, path.size()).second) {
      path.push_back(at);
      for (std::string_view name : uses[at]) {
        int64_t producer = scope.producer(name);
        if (producer != Scope::noNode && waiting[producer]) {
          at = static_cast<uint32_t>(producer);
          break;
        }
      }
    }
    std::string text;
    size_t shown = 0;
    for (size_t k = path.size(); k-- > position[at] && shown < 6; ++shown)
      text += (shown ? " -> " : "") + nodeLabel(nodes[path[k]]);
    fail(where, ": the graph is cyclic: ", text, " -> ...");
  }

  const std::vector<NodeProto> &nodes;
  std::string where;
  Scope scope;
  const std::unordered_map<const void *, BodyInfo> &bodies;
  std::vector<std::vector<std::string_view>> uses;
  std::vector<std::string_view> captures;
  std::unordered_set<std::string_view> captured;
};

std::vector<std::string_view>
namesOf(const std::vector<ValueInfoProto> &infos) {
  std::vector<std::string_view> names;
  for (const ValueInfoProto &info : infos)
    names.push_back(info.name);
  return names;
}

void requireNames(const std::vector<std::string_view> &names,
                  const std::string &where, const char *what) {
  for (std::string_view name : names)
    if (name.empty())
      fail(where, ": an ", what, " has no name");
}

} // namespace

std::string nodeLabel(const NodeProto &node) {
  std::string label = "node ";
  if (!node.name.empty())
    return label + quoted(node.name) + " (" + std::string(node.opType) + ")";
  label += std::string(node.opType.substr(0, 80));
  for (std::string_view output : node.outputs)
    if (!output.empty())
      return label + " giving " + quoted(output);
  return label;
}

CheckedModel::CheckedModel(const ModelProto &model) {
  if (model.irVersion < minIrVersion || model.irVersion > maxIrVersion)
    fail("ONNX file: IR version ", model.irVersion,
         " is not supported; versions ", minIrVersion, " to ", maxIrVersion,
         " are", model.irVersion == 0 ? ". This may not be an ONNX model" : "");
  if (!model.graph)
    fail("ONNX file: it holds no graph");
  modelOpsets = checkOpsets(model.opsets, "ONNX file");
  if (modelOpsets.empty())
    fail("ONNX file: it does not say which operator set it uses");
  if (model.graph->outputs.empty())
    fail("ONNX file: the graph has no outputs");

  for (const FunctionProto &function : model.functions) {
    FunctionKey key{canonicalDomain(function.domain), function.name,
                    function.overload};
    if (!functions.emplace(key, &function).second)
      fail("ONNX file: function ", quoted(function.name), " of domain ",
           quoted(function.domain), " is defined twice");
  }
  for (const FunctionProto &function : model.functions)
    checkFunction(function);
  std::map<const FunctionProto *, uint64_t> sizes;
  for (const FunctionProto &function : model.functions)
    checkCalls(function, sizes, 0);

  checkGraph(*model.graph);
  const BodyInfo &main = bodies.at(model.graph.get());
  if (!main.captures.empty()) {
    // Checked once more only to name the node that misses the value.
    BodyChecker checker(model.graph->nodes,
                        "graph " + quoted(model.graph->name), bodies);
    for (const ValueInfoProto &input : model.graph->inputs)
      checker.names().allow(input.name);
    for (const TensorProto &tensor : model.graph->initializers)
      checker.names().allow(tensor.name);
    for (const SparseTensorProto &tensor : model.graph->sparseInitializers)
      checker.names().allow(tensor.values.name);
    checker.requireClosed(checker.run(namesOf(model.graph->outputs)));
  }
}

void CheckedModel::checkGraph(const GraphProto &graph) {
  for (const NodeProto &node : graph.nodes)
    forEachSubgraph(node, [&](const GraphProto &inner) { checkGraph(inner); });
  std::string where = "graph " + quoted(graph.name);
  std::vector<std::string_view> inputs = namesOf(graph.inputs);
  std::vector<std::string_view> results = namesOf(graph.outputs);
  requireNames(inputs, where, "input");
  requireNames(results, where, "output");

  BodyChecker checker(graph.nodes, where, bodies);
  for (std::string_view input : inputs)
    checker.names().define(input, Scope::noNode, "an input");
  // An initializer may give an input its default value, once.
  std::unordered_set<std::string_view> seen;
  auto addInitializer = [&](std::string_view name) {
    if (name.empty())
      fail(where, ": an initializer has no name");
    if (!seen.insert(name).second)
      fail(where, ": initializer ", quoted(name), " is defined twice");
    checker.names().allow(name);
  };
  for (const TensorProto &tensor : graph.initializers)
    addInitializer(tensor.name);
  for (const SparseTensorProto &tensor : graph.sparseInitializers)
    addInitializer(tensor.values.name);
  bodies.emplace(&graph, checker.run(results));
}

void CheckedModel::checkFunction(const FunctionProto &function) {
  for (const NodeProto &node : function.nodes)
    forEachSubgraph(node, [&](const GraphProto &inner) { checkGraph(inner); });
  std::string where = "function " + quoted(function.name);
  requireNames(function.inputs, where, "input");
  requireNames(function.outputs, where, "output");
  functionOpsets.emplace(&function, checkOpsets(function.opsets, where));
  BodyChecker checker(function.nodes, where, bodies);
  for (std::string_view input : function.inputs)
    checker.names().define(input, Scope::noNode, "an input");
  BodyInfo info = checker.run(function.outputs);
  checker.requireClosed(info);
  bodies.emplace(&function, std::move(info));
}

void CheckedModel::checkCalls(const FunctionProto &function,
                              std::map<const FunctionProto *, uint64_t> &sizes,
                              unsigned depth) {
  if (depth > maxDepth)
    fail("function ", quoted(function.name), " is called more than ", maxDepth,
         " levels deep");
  constexpr uint64_t inProgress = ~uint64_t(0);
  auto [slot, fresh] = sizes.emplace(&function, inProgress);
  if (!fresh) {
    if (slot->second == inProgress)
      fail("function ", quoted(function.name), " calls itself");
    return;
  }
  uint64_t total = 0;
  std::function<void(const std::vector<NodeProto> &)> visit =
      [&](const std::vector<NodeProto> &nodes) {
        for (const NodeProto &node : nodes) {
          ++total;
          if (const FunctionProto *callee = this->function(node)) {
            checkCalls(*callee, sizes, depth + 1);
            total += sizes.at(callee);
          }
          if (total > maxExpandedNodes)
            fail("function ", quoted(function.name), " expands to more than ",
                 maxExpandedNodes, " nodes");
          forEachSubgraph(node,
                          [&](const GraphProto &graph) { visit(graph.nodes); });
        }
      };
  visit(function.nodes);
  sizes[&function] = total;
}

const FunctionProto *CheckedModel::function(const NodeProto &node) const {
  if (functions.empty())
    return nullptr;
  auto found = functions.find(
      FunctionKey{canonicalDomain(node.domain), node.opType, node.overload});
  return found == functions.end() ? nullptr : found->second;
}

} // namespace cuvil::onnx
