// SPDX-License-Identifier: Apache-2.0
// Gives converters typed access to a node's inputs and attributes.
#include "Importer.h"

namespace cuvil::onnx {

Node::Node(Importer &importer, Builder &builder, const NodeProto &proto,
           const Scope &scope, const Declared &declared, int64_t opset)
    : b(builder), importer(importer), opset(opset), proto(proto), names(scope),
      declared(declared), outputs(proto.outputs.size()) {}

void Node::refuseText(const std::string &why) const {
  throw ImportError(label() + ": " + why, ImportError::Unsupported);
}

//===----------------------------------------------------------------------===//
// Inputs and results
//===----------------------------------------------------------------------===//

const Binding &Node::binding(size_t i) const {
  static const Binding absent;
  if (i >= proto.inputs.size() || proto.inputs[i].empty())
    return absent;
  const Binding *found = names.find(proto.inputs[i]);
  if (!found)
    bad("value ", quoted(proto.inputs[i]), " is not defined");
  return *found;
}

bool Node::has(size_t i) const { return binding(i).kind != Binding::Absent; }

Value Node::in(size_t i) const {
  if (binding(i).packed)
    refuse("input ", i, " has 2- or 4-bit elements, which are not supported");
  return packedIn(i);
}

Value Node::packedIn(size_t i) const {
  const Binding &found = binding(i);
  if (found.kind == Binding::Sequence)
    refuse("input ", i, " is a sequence where a tensor is expected");
  if (found.kind == Binding::Absent)
    bad("input ", i, " is missing");
  if (found.kind == Binding::Unusable)
    refuse(found.reason);
  return found.value;
}

Values Node::all() const {
  Values result;
  for (size_t i = 0; i < numInputs(); ++i)
    result.push_back(in(i));
  return result;
}

std::optional<size_t> Node::declaredRank(size_t i) const {
  auto found = declared.find(proto.outputs.at(i));
  if (found == declared.end() || !found->second->type.hasShape)
    return std::nullopt;
  return found->second->type.shape.size();
}

void Node::out(size_t i, Binding value) {
  if (i < outputs.size())
    outputs[i] = std::move(value);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

const AttributeProto *Node::attribute(std::string_view name) {
  read.insert(name);
  for (const AttributeProto &a : proto.attributes) {
    if (a.name != name)
      continue;
    if (a.refName.empty())
      return &a;
    auto found = names.frame.attributes.find(a.refName);
    return found == names.frame.attributes.end() ? nullptr : found->second;
  }
  return nullptr;
}

namespace {

void expectType(const Node &node, const AttributeProto &a, int32_t type,
                const char *what) {
  if (a.type != type)
    node.bad("attribute ", quoted(a.name), " is not ", what);
}

} // namespace

int64_t Node::i(std::string_view name, int64_t fallback) {
  const AttributeProto *a = attribute(name);
  if (!a)
    return fallback;
  expectType(*this, *a, AttributeProto::Int, "an integer");
  return a->i;
}

double Node::f(std::string_view name, double fallback) {
  const AttributeProto *a = attribute(name);
  if (!a)
    return static_cast<float>(fallback);
  expectType(*this, *a, AttributeProto::Float, "a number");
  return a->f;
}

std::string Node::s(std::string_view name, std::string_view fallback) {
  const AttributeProto *a = attribute(name);
  if (!a)
    return std::string(fallback);
  expectType(*this, *a, AttributeProto::String, "a string");
  return std::string(a->s);
}

std::optional<Ints> Node::ints(std::string_view name) {
  const AttributeProto *a = attribute(name);
  if (!a)
    return std::nullopt;
  expectType(*this, *a, AttributeProto::Ints, "a list of integers");
  return a->ints;
}

std::optional<std::vector<double>> Node::floats(std::string_view name) {
  const AttributeProto *a = attribute(name);
  if (!a)
    return std::nullopt;
  expectType(*this, *a, AttributeProto::Floats, "a list of numbers");
  return std::vector<double>(a->floats.begin(), a->floats.end());
}

std::vector<std::string> Node::strings(std::string_view name) {
  const AttributeProto *a = attribute(name);
  if (!a)
    return {};
  expectType(*this, *a, AttributeProto::Strings, "a list of strings");
  return {a->strings.begin(), a->strings.end()};
}

const GraphProto &Node::graph(std::string_view name) {
  const AttributeProto *a = attribute(name);
  if (!a || !a->g)
    bad("graph attribute ", quoted(name), " is missing");
  return *a->g;
}

void Node::requireAllRead() const {
  for (const AttributeProto &a : proto.attributes)
    if (!read.count(a.name))
      refuse("attribute ", quoted(a.name), " is not supported");
}

//===----------------------------------------------------------------------===//
// Common argument forms
//===----------------------------------------------------------------------===//

int64_t Node::axis(int64_t axis, int64_t rank) const {
  if (axis < -rank || axis >= rank)
    bad("axis ", axis, " is outside of rank ", rank);
  return axis < 0 ? axis + rank : axis;
}

Ints Node::axes(const Ints &values, int64_t rank) const {
  Ints result;
  for (int64_t value : values) {
    int64_t normal = axis(value, rank);
    for (int64_t other : result)
      if (other == normal)
        bad("axis ", normal, " is given twice");
    result.push_back(normal);
  }
  return result;
}

std::optional<Ints> Node::intsArg(std::string_view attr, size_t input) {
  if (auto values = ints(attr))
    return values;
  if (!has(input))
    return std::nullopt;
  auto values = b.constantInts(in(input));
  if (!values)
    refuse("input ", input, " (", attr, ") has to be a constant");
  return values;
}

std::optional<double> Node::realInput(size_t i) {
  if (!has(i))
    return std::nullopt;
  auto values = b.constantReals(in(i));
  if (!values || values->size() != 1)
    return std::nullopt;
  return (*values)[0];
}

} // namespace cuvil::onnx
