// SPDX-License-Identifier: Apache-2.0
// Implements the walk over graphs, functions, inputs and outputs.
#include "Importer.h"

#include "Registry.h"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace cuvil::onnx {
namespace {

/// How a node is called in the IR's locations.
std::string locationOf(const NodeProto &node) {
  if (!node.name.empty())
    return std::string(node.name);
  std::string text(node.opType);
  for (std::string_view output : node.outputs)
    if (!output.empty())
      return text + ":" + std::string(output);
  return text;
}

std::optional<int64_t> parseInt(std::string_view text) {
  int64_t value = 0;
  auto [stop, code] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || stop != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::vector<std::string> splitShape(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t comma = std::min(text.find(','), text.size());
    std::string_view part = text.substr(0, comma);
    while (!part.empty() && part.front() == ' ')
      part.remove_prefix(1);
    while (!part.empty() && part.back() == ' ')
      part.remove_suffix(1);
    parts.emplace_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

/// Symbols are identifiers in the IR; dim_params are any text.
std::string symbolName(std::string_view param) {
  std::string name;
  for (char c : param.substr(0, 60)) {
    bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                 (c >= 'A' && c <= 'Z') || c == '_';
    name += plain ? c : '_';
  }
  if (name.empty() || (name[0] >= '0' && name[0] <= '9'))
    name = "d" + name;
  return name;
}

/// Some exporters write "?" for every size that they do not know.
bool isNamed(const DimProto &d) {
  auto plain = [](char c) {
    return c == '_' || std::isalnum(static_cast<unsigned char>(c));
  };
  return d.kind == DimProto::Param &&
         std::any_of(d.param.begin(), d.param.end(), plain);
}

std::string declaredText(const TypeProto &type) {
  std::string text = elementTypeName(type.elementType) + " [";
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const DimProto &d = type.shape[i];
    text += i ? ", " : "";
    if (d.kind == DimProto::Value)
      text += std::to_string(d.value);
    else
      text += d.kind == DimProto::Param ? d.param : "?";
  }
  return text + "]";
}

} // namespace

Importer::Importer(Builder &builder, const ModelProto &model,
                   std::shared_ptr<const void> modelOwner, ModelFolder folder)
    : b(builder), model(model), modelOwner(std::move(modelOwner)),
      folder(std::move(folder)), checked(model),
      mainFrame{&checked.opsets(), {}, 0} {
  requireSupportedOps(model, checked);
}

void Importer::run() {
  const GraphProto &graph = *model.graph;
  Scope scope(nullptr, mainFrame);
  readShapeOptions();
  bindInitializers(graph, scope);
  bindInputs(scope);
  Declared declared;
  for (const ValueInfoProto &info : graph.valueInfos)
    declared[info.name] = &info;
  for (const ValueInfoProto &info : graph.outputs)
    declared[info.name] = &info;
  importNodes(graph.nodes, checked.info(graph), declared, scope);
  addOutputs(scope);
  for (const std::string &path : folder.opened())
    b.dependsOn(path);
}

//===----------------------------------------------------------------------===//
// Inputs, initializers, outputs
//===----------------------------------------------------------------------===//

Dim Importer::namedSize(const std::string &name) {
  auto found = sizes.find(name);
  if (found != sizes.end())
    return found->second;
  // Two names may look alike once their odd characters are gone.
  std::string symbol = symbolName(name);
  bool taken = false;
  for (const auto &[other, dim] : sizes)
    taken |= symbolName(other) == symbol;
  Dim size = taken ? b.fresh(symbol) : b.symbol(symbol);
  sizes.emplace(name, size);
  return size;
}

void Importer::readShapeOptions() {
  auto isInitializer = [&](const ValueInfoProto &input) {
    const std::vector<TensorProto> &tensors = model.graph->initializers;
    return std::any_of(tensors.begin(), tensors.end(), [&](const TensorProto &tensor) {
      return tensor.name == input.name;
    });
  };
  size_t position = 0;
  for (const ValueInfoProto &input : model.graph->inputs) {
    // By name, or by the place among the inputs that a caller passes: "#0".
    std::string text = b.option("input_shape:" + std::string(input.name));
    std::string place = "#" + std::to_string(position);
    position += !isInitializer(input);
    if (text.empty() && !isInitializer(input))
      text = b.option("input_shape:" + place);
    if (text.empty())
      continue;
    std::vector<std::string> parts =
        text == "scalar" ? std::vector<std::string>() : splitShape(text);
    const TypeProto &type = input.type;
    if (type.hasShape && type.shape.size() != parts.size())
      fail("input_shape of ", quoted(input.name), " has ", parts.size(),
           " sizes, but the model declares ", declaredText(type));
    for (size_t i = 0; type.hasShape && i < parts.size(); ++i) {
      std::optional<int64_t> size = parseInt(parts[i]);
      if (!size || *size < 0)
        continue;
      const DimProto &d = type.shape[i];
      if (d.kind == DimProto::Value && d.value != *size)
        fail("input_shape of ", quoted(input.name), " gives ", *size,
             " for dimension ", i, ", but the model declares ",
             declaredText(type));
      if (!isNamed(d))
        continue;
      auto [known, fresh] = sizes.emplace(d.param, b.num(*size));
      if (!fresh && !known->second.is(*size))
        fail("input_shape of ", quoted(input.name), " gives ", *size, " for ",
             quoted(d.param), ", which is ", b.dimText(known->second),
             " elsewhere");
    }
    shapeOptions[input.name] = std::move(parts);
  }
}

Dims Importer::inputDims(const ValueInfoProto &info) {
  const TypeProto &type = info.type;
  std::string stem = symbolName(info.name);
  Dims dims;
  for (size_t i = 0; i < type.shape.size(); ++i) {
    const DimProto &d = type.shape[i];
    if (d.kind == DimProto::Value && d.value >= 0)
      dims.push_back(b.num(d.value));
    else if (isNamed(d))
      dims.push_back(namedSize(std::string(d.param)));
    else
      dims.push_back(Dim());
  }
  auto option = shapeOptions.find(info.name);
  if (option != shapeOptions.end()) {
    const std::vector<std::string> &parts = option->second;
    dims.resize(parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
      std::optional<int64_t> size = parseInt(parts[i]);
      if (size && *size >= 0)
        dims[i] = b.num(*size);
      else if (!size && !parts[i].empty() && parts[i] != "?")
        dims[i] = namedSize(parts[i]);
    }
  }
  for (size_t i = 0; i < dims.size(); ++i)
    if (!dims[i].get())
      dims[i] = b.fresh(stem + "_" + std::to_string(i));
  return dims;
}

void Importer::bindInputs(Scope &scope) {
  for (const ValueInfoProto &input : model.graph->inputs) {
    // An initializer of this name is the input's value; it stays a constant.
    if (scope.find(input.name))
      continue;
    const TypeProto &type = input.type;
    std::string shown = "input " + quoted(input.name);
    if (type.kind != TypeProto::Tensor)
      throw ImportError(shown + ": only tensors can be inputs of a model",
                        ImportError::Unsupported);
    DType dtype = dtypeOf(type.elementType);
    if (dtype == DType::None)
      throw ImportError(shown + ": element type " +
                            elementTypeName(type.elementType) +
                            " is not supported",
                        ImportError::Unsupported);
    if (!type.hasShape && !shapeOptions.count(input.name))
      throw ImportError(shown + ": the model does not declare its rank; give "
                                "input_shape",
                        ImportError::Unsupported);
    std::string name(input.name);
    std::vector<cuvil_dim> handles;
    for (const Dim &d : inputDims(input))
      handles.push_back(d.get());
    b.setLocation(name);
    cuvil_value value = nullptr;
    b.check(b.c().add_input(b.get(), name.c_str(),
                            static_cast<cuvil_dtype>(dtype), handles.data(),
                            handles.size(), &value));
    scope.bind(input.name, Value(value));
  }
}

void Importer::bindInitializers(const GraphProto &graph, Scope &scope) {
  auto bind = [&](std::string_view name, const auto &make) {
    b.setLocation(std::string(name));
    scope.bind(name, make());
  };
  for (const TensorProto &tensor : graph.initializers)
    bind(tensor.name, [&]() -> Binding {
      // Unused tensors of odd types do no harm.
      auto type = static_cast<ElementType>(tensor.dataType);
      if (dtypeOf(tensor.dataType) == DType::None &&
          (elementBits(type) == 0 || elementBits(type) >= 8 ||
           type == ElementType::Float4E2M1))
        return Binding::unusable("constant " + quoted(tensor.name) + " is of " +
                                 elementTypeName(tensor.dataType) +
                                 ", which is not supported");
      return importTensor(tensor);
    });
  for (const SparseTensorProto &tensor : graph.sparseInitializers)
    bind(tensor.values.name, [&]() -> Binding { return importSparse(tensor); });
}

TensorData Importer::tensorData(const TensorProto &tensor) {
  return readTensor(tensor, folder, modelOwner);
}

Binding Importer::importTensor(const TensorProto &tensor) {
  std::string name(tensor.name);
  TensorData data = tensorData(tensor);
  Binding binding = b.constant(data, name.c_str());
  binding.packed = elementBits(data.type) < 8;
  return binding;
}

Value Importer::importSparse(const SparseTensorProto &tensor) {
  std::string name(tensor.values.name);
  return b.constant(readSparseTensor(tensor, folder, modelOwner), name.c_str());
}

void Importer::checkDeclared(const ValueInfoProto &info,
                             const Binding &binding) {
  const TypeProto &type = info.type;
  if (type.kind != TypeProto::Tensor || binding.kind != Binding::Tensor)
    return;
  Value value = binding.value;
  auto mismatch = [&] {
    fail("value ", quoted(info.name), " is declared as ", declaredText(type),
         ", but the model computes ", b.typeText(value));
  };
  // Packed types are widened, so only known types can be compared.
  DType dtype = dtypeOf(type.elementType);
  if (dtype != DType::None && dtype != b.dtype(value))
    mismatch();
  if (!type.hasShape)
    return;
  if (type.shape.size() != b.rank(value))
    mismatch();
  for (size_t i = 0; i < type.shape.size(); ++i) {
    std::optional<int64_t> size = b.dim(value, i).constant();
    if (type.shape[i].kind == DimProto::Value && size &&
        *size != type.shape[i].value)
      mismatch();
  }
}

void Importer::addOutputs(const Scope &scope) {
  for (const ValueInfoProto &output : model.graph->outputs) {
    const Binding *found = scope.find(output.name);
    if (!found || found->kind != Binding::Tensor)
      throw ImportError("output " + quoted(output.name) +
                            ": only tensors can be outputs of a model",
                        ImportError::Unsupported);
    checkDeclared(output, *found);
    std::string name(output.name);
    b.check(b.c().add_output(b.get(), name.c_str(), found->value.get()));
  }
}

//===----------------------------------------------------------------------===//
// Bodies and nodes
//===----------------------------------------------------------------------===//

std::vector<Binding> Importer::importBody(const GraphProto &graph,
                                          Scope &scope) {
  bindInitializers(graph, scope);
  Declared declared;
  for (const ValueInfoProto &info : graph.valueInfos)
    declared[info.name] = &info;
  importNodes(graph.nodes, checked.info(graph), declared, scope);
  std::vector<Binding> results;
  for (const ValueInfoProto &output : graph.outputs) {
    const Binding *found = scope.find(output.name);
    if (!found)
      fail("output ", quoted(output.name), " of graph ", quoted(graph.name),
           " is not defined");
    results.push_back(*found);
  }
  return results;
}

void Importer::importNodes(const std::vector<NodeProto> &nodes,
                           const BodyInfo &info, const Declared &declared,
                           Scope &scope) {
  for (uint32_t index : info.order) {
    const NodeProto &node = nodes[index];
    if (nodesLeft-- == 0)
      fail("the model expands to too many nodes");
    std::vector<Binding> results;
    try {
      results = importNode(node, scope, declared);
      for (size_t i = 0; i < results.size() && i < node.outputs.size(); ++i) {
        auto found = declared.find(node.outputs[i]);
        if (found != declared.end())
          checkDeclared(*found->second, results[i]);
      }
    } catch (const ImportError &error) {
      // Name the innermost node only once.
      std::string text = error.what();
      if (text.find("node ") != std::string::npos)
        throw;
      throw ImportError(nodeLabel(node) + ": " + text, error.kind());
    }
    for (size_t i = 0; i < results.size() && i < node.outputs.size(); ++i) {
      // Users ask for values of the main graph by name.
      if (!scope.parent && &scope.frame == &mainFrame &&
          results[i].kind == Binding::Tensor && !node.outputs[i].empty())
        b.c().name_value(b.get(), results[i].value.get(),
                         std::string(node.outputs[i]).c_str());
      scope.bind(node.outputs[i], std::move(results[i]));
    }
  }
}

std::vector<Binding> Importer::importNode(const NodeProto &node,
                                          const Scope &scope,
                                          const Declared &declared) {
  if (const FunctionProto *function = checked.function(node))
    return callFunction(node, *function, scope);
  std::string_view domain = canonicalDomain(node.domain);
  auto opset = scope.frame.opsets->find(domain);
  if (opset == scope.frame.opsets->end())
    fail("operator set ", quoted(node.domain), " is not imported");
  const OpEntry *entry = findOp(domain, node.opType, opset->second);
  if (!entry)
    fail("operator ", quoted(node.opType), " is not supported");
  b.setLocation(locationOf(node));
  Node converted(*this, b, node, scope, declared, opset->second);
  entry->convert(converted);
  converted.requireAllRead();
  for (size_t i = 0; i < node.outputs.size(); ++i)
    if (!node.outputs[i].empty() &&
        converted.results()[i].kind == Binding::Absent &&
        !converted.mayBeAbsent(i))
      converted.refuse("output ", i, " is not supported");
  return converted.results();
}

std::vector<Binding> Importer::callFunction(const NodeProto &node,
                                            const FunctionProto &function,
                                            const Scope &scope) {
  Frame frame;
  frame.opsets = &checked.opsets(function);
  frame.depth = scope.frame.depth + 1;
  if (frame.depth > maxDepth)
    fail("functions are called more than ", maxDepth, " levels deep");
  if (node.inputs.size() > function.inputs.size())
    fail("function ", quoted(function.name), " takes ", function.inputs.size(),
         " inputs, but gets ", node.inputs.size());
  for (const AttributeProto &a : function.attributeDefaults)
    frame.attributes[a.name] = &a;
  for (const AttributeProto &a : node.attributes) {
    const AttributeProto *value = &a;
    if (!a.refName.empty()) {
      auto found = scope.frame.attributes.find(a.refName);
      if (found == scope.frame.attributes.end())
        continue;
      value = found->second;
    }
    frame.attributes[a.name] = value;
  }
  Scope body(nullptr, frame);
  for (size_t i = 0; i < function.inputs.size(); ++i) {
    Binding binding;
    if (i < node.inputs.size() && !node.inputs[i].empty())
      if (const Binding *found = scope.find(node.inputs[i]))
        binding = *found;
    body.bind(function.inputs[i], std::move(binding));
  }
  Declared declared;
  importNodes(function.nodes, checked.info(function), declared, body);
  std::vector<Binding> results;
  for (std::string_view output : function.outputs) {
    const Binding *found = body.find(output);
    results.push_back(found ? *found : Binding());
  }
  return results;
}

} // namespace cuvil::onnx
