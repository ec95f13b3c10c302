// SPDX-License-Identifier: Apache-2.0
// Walks a checked ONNX model and builds it through the host's graph builder.
#ifndef CUVIL_FRONTEND_ONNX_IMPORTER_H
#define CUVIL_FRONTEND_ONNX_IMPORTER_H

#include "Builder.h"
#include "Proto/Checks.h"
#include "Proto/Error.h"
#include "Proto/TensorData.h"

#include <set>
#include <unordered_map>

namespace cuvil::onnx {

/// What an ONNX name stands for: a tensor, a list of tensors whose length is
/// known while importing, nothing (an absent optional), or something that is
/// an error to use.
struct Binding {
  enum Kind { Absent, Tensor, Sequence, Unusable } kind = Absent;
  Value value;
  Values items;
  std::string reason;
  /// Set for tensors of 2- or 4-bit integers, which are held in bytes: only
  /// ops that cannot tell the difference may use them.
  bool packed = false;

  Binding() = default;
  Binding(Value v) : kind(v ? Tensor : Absent), value(v) {}
  static Binding sequence(Values items) {
    Binding b;
    b.kind = Sequence;
    b.items = std::move(items);
    return b;
  }
  static Binding unusable(std::string reason) {
    Binding b;
    b.kind = Unusable;
    b.reason = std::move(reason);
    return b;
  }
};

/// Declared types of a body's values, by name.
using Declared = std::unordered_map<std::string_view, const ValueInfoProto *>;

/// A function call in progress: what its attribute references mean.
struct Frame {
  const OpsetMap *opsets;
  std::unordered_map<std::string_view, const AttributeProto *> attributes;
  unsigned depth = 0;
};

/// Names visible in one graph body; inner graphs see outer ones.
class Scope {
public:
  Scope(const Scope *parent, const Frame &frame)
      : parent(parent), frame(frame) {}

  void bind(std::string_view name, Binding binding) {
    if (!name.empty())
      names[name] = std::move(binding);
  }
  const Binding *find(std::string_view name) const {
    for (const Scope *scope = this; scope; scope = scope->parent) {
      auto found = scope->names.find(name);
      if (found != scope->names.end())
        return &found->second;
    }
    return nullptr;
  }

  const Scope *const parent;
  const Frame &frame;

private:
  std::unordered_map<std::string_view, Binding> names;
};

class Importer;

/// One node being converted: its inputs, attributes and place for results.
class Node {
public:
  Node(Importer &importer, Builder &builder, const NodeProto &proto,
       const Scope &scope, const Declared &declared, int64_t opset);

  Builder &b;
  Importer &importer;
  /// Version of the node's operator set.
  const int64_t opset;
  std::string op() const { return std::string(proto.opType); }
  const Scope &scope() const { return names; }

  // Inputs.
  size_t numInputs() const { return proto.inputs.size(); }
  bool has(size_t i) const;
  /// The tensor of a required input; throws when it is absent.
  Value in(size_t i) const;
  /// As in(), for converters that accept 2- and 4-bit integers in bytes.
  Value packedIn(size_t i) const;
  /// The tensor of an optional input, empty when absent.
  Value opt(size_t i) const { return has(i) ? in(i) : Value(); }
  const Binding &binding(size_t i) const;
  Values all() const;

  // Attributes; the first call for a name marks it as understood.
  const AttributeProto *attribute(std::string_view name);
  bool hasAttr(std::string_view name) { return attribute(name) != nullptr; }
  int64_t i(std::string_view name, int64_t fallback);
  double f(std::string_view name, double fallback);
  std::string s(std::string_view name, std::string_view fallback);
  std::optional<Ints> ints(std::string_view name);
  std::optional<std::vector<double>> floats(std::string_view name);
  std::vector<std::string> strings(std::string_view name);
  const GraphProto &graph(std::string_view name);
  /// An attribute that has no effect on the results.
  void ignore(std::string_view name) { attribute(name); }

  // Results.
  size_t numOutputs() const { return proto.outputs.size(); }
  bool wants(size_t i) const {
    return i < proto.outputs.size() && !proto.outputs[i].empty();
  }
  void out(size_t i, Binding value);
  void out(Value value) { out(0, value); }
  /// The rank that the model declares for a result.
  std::optional<size_t> declaredRank(size_t i) const;
  /// Declares result `i` an absent optional.
  void outAbsent(size_t i) { absent.insert(i); }
  bool mayBeAbsent(size_t i) const { return absent.count(i); }
  const std::vector<Binding> &results() const { return outputs; }

  // Common argument forms.
  /// `axis` counted from the front; throws when outside [-rank, rank).
  int64_t axis(int64_t axis, int64_t rank) const;
  Ints axes(const Ints &axes, int64_t rank) const;
  /// The integers of an attribute in old versions, of a constant input in new
  /// ones; nullopt when absent. Throws when the input is not constant.
  std::optional<Ints> intsArg(std::string_view attr, size_t input);
  /// A constant scalar input or nothing.
  std::optional<double> realInput(size_t i);

  /// Throws INVALID_MODEL or UNSUPPORTED with the node in the text.
  template <typename... Parts> [[noreturn]] void bad(const Parts &...p) const {
    fail(label(), ": ", p...);
  }
  template <typename... Parts>
  [[noreturn]] void refuse(const Parts &...p) const {
    refuseText(joined(p...));
  }
  std::string label() const { return nodeLabel(proto); }
  /// Throws for the first attribute that no one asked for.
  void requireAllRead() const;

private:
  [[noreturn]] void refuseText(const std::string &why) const;

  const NodeProto &proto;
  const Scope &names;
  const Declared &declared;
  std::set<std::string_view> read;
  std::vector<Binding> outputs;
  std::set<size_t> absent;
};

/// Imports one model. Use once.
class Importer {
public:
  Importer(Builder &builder, const ModelProto &model,
           std::shared_ptr<const void> modelOwner, ModelFolder folder);

  /// Builds the whole graph. Throws ImportError or HostError.
  void run();

  /// Builds the nodes of a subgraph whose inputs are already bound in `scope`
  /// and returns what its outputs stand for.
  std::vector<Binding> importBody(const GraphProto &graph, Scope &scope);
  /// The constant held by a tensor attribute or initializer.
  Binding importTensor(const TensorProto &tensor);
  Value importSparse(const SparseTensorProto &tensor);
  TensorData tensorData(const TensorProto &tensor);
  const CheckedModel &checkedModel() const { return checked; }
  Builder &builder() { return b; }

private:
  void bindInputs(Scope &scope);
  void bindInitializers(const GraphProto &graph, Scope &scope);
  void importNodes(const std::vector<NodeProto> &nodes, const BodyInfo &info,
                   const Declared &declared, Scope &scope);
  std::vector<Binding> importNode(const NodeProto &node, const Scope &scope,
                                  const Declared &declared);
  std::vector<Binding> callFunction(const NodeProto &node,
                                    const FunctionProto &function,
                                    const Scope &scope);
  void checkDeclared(const ValueInfoProto &info, const Binding &binding);
  Dims inputDims(const ValueInfoProto &info);
  void readShapeOptions();
  Dim namedSize(const std::string &name);
  void addOutputs(const Scope &scope);

  Builder &b;
  const ModelProto &model;
  std::shared_ptr<const void> modelOwner;
  ModelFolder folder;
  CheckedModel checked;
  Frame mainFrame;
  /// Sizes of dim_params: symbols, or what an input_shape option says.
  std::map<std::string, Dim, std::less<>> sizes;
  /// Shapes given by options, by input.
  std::map<std::string_view, std::vector<std::string>> shapeOptions;
  uint64_t nodesLeft = 1'000'000;
};

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_IMPORTER_H
