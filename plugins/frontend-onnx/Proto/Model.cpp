// SPDX-License-Identifier: Apache-2.0
// Decodes the messages of onnx.proto field by field.
#include "Model.h"

#include "Error.h"

namespace cuvil::onnx {
namespace {

void parse(WireReader r, StringEntry &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      out.key = r.string();
      break;
    case 2:
      out.value = r.string();
      break;
    }
}

void parse(WireReader r, OpsetImport &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      out.domain = r.string();
      break;
    case 2:
      out.version = r.int64();
      break;
    }
}

void parse(WireReader r, TensorProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      r.repeated(out.dims);
      break;
    case 2:
      out.dataType = r.int32();
      break;
    case 3:
      out.segmented = true;
      break;
    case 4:
      r.repeated(out.floatData);
      break;
    case 5:
      r.repeated(out.int32Data);
      break;
    case 6:
      r.append(out.stringData) = r.string();
      break;
    case 7:
      r.repeated(out.int64Data);
      break;
    case 8:
      out.name = r.string();
      break;
    case 9:
      out.raw = r.bytes();
      break;
    case 10:
      r.repeated(out.doubleData);
      break;
    case 11:
      r.repeated(out.uint64Data);
      break;
    case 13:
      parse(r.message("StringStringEntryProto"), r.append(out.externalData));
      break;
    case 14:
      out.external = r.int32() == 1;
      break;
    }
}

void parse(WireReader r, SparseTensorProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      parse(r.message("TensorProto"), out.values);
      break;
    case 2:
      parse(r.message("TensorProto"), out.indices);
      break;
    case 3:
      r.repeated(out.dims);
      break;
    }
}

void parse(WireReader r, DimProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      out.kind = DimProto::Value;
      out.value = r.int64();
      break;
    case 2:
      out.param = r.string();
      out.kind = out.param.empty() ? DimProto::Unknown : DimProto::Param;
      break;
    }
}

void parseShape(WireReader r, TypeProto &out) {
  out.hasShape = true;
  while (r.next())
    if (r.field() == 1)
      parse(r.message("TensorShapeProto.Dimension"), r.append(out.shape));
}

void parseTensorType(WireReader r, TypeProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      out.elementType = r.int32();
      break;
    case 2:
      parseShape(r.message("TensorShapeProto"), out);
      break;
    }
}

void parse(WireReader r, TypeProto &out);

void parseNestedType(WireReader r, TypeProto &out, uint32_t elementField) {
  while (r.next())
    if (r.field() == elementField) {
      WireReader inner = r.message("TypeProto");
      r.limits().charge(sizeof(TypeProto));
      out.element = std::make_unique<TypeProto>();
      parse(inner, *out.element);
    }
}

void parse(WireReader r, TypeProto &out) {
  while (r.next()) {
    TypeProto value;
    switch (r.field()) {
    case 1:
      value.kind = TypeProto::Tensor;
      parseTensorType(r.message("TypeProto.Tensor"), value);
      break;
    case 4:
      value.kind = TypeProto::Sequence;
      parseNestedType(r.message("TypeProto.Sequence"), value, 1);
      break;
    case 5:
      value.kind = TypeProto::Map;
      parseNestedType(r.message("TypeProto.Map"), value, 2);
      break;
    case 7:
      value.kind = TypeProto::Opaque;
      break;
    case 8:
      value.kind = TypeProto::Sparse;
      parseTensorType(r.message("TypeProto.SparseTensor"), value);
      break;
    case 9:
      value.kind = TypeProto::Optional;
      parseNestedType(r.message("TypeProto.Optional"), value, 1);
      break;
    default:
      continue;
    }
    out = std::move(value);
  }
}

void parse(WireReader r, ValueInfoProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      out.name = r.string();
      break;
    case 2:
      parse(r.message("TypeProto"), out.type);
      break;
    }
}

void parse(WireReader r, GraphProto &out);

template <typename T>
void parseOwned(WireReader &r, const char *name, std::unique_ptr<T> &out) {
  WireReader inner = r.message(name);
  r.limits().charge(sizeof(T));
  if (!out)
    out = std::make_unique<T>();
  parse(inner, *out);
}

/// Files of IR version 1 leave the type out; the filled field decides then.
void inferType(AttributeProto &a) {
  if (a.type != AttributeProto::Undefined || !a.refName.empty())
    return;
  if (a.t)
    a.type = AttributeProto::Tensor;
  else if (a.g)
    a.type = AttributeProto::Graph;
  else if (!a.floats.empty())
    a.type = AttributeProto::Floats;
  else if (!a.ints.empty())
    a.type = AttributeProto::Ints;
  else if (!a.strings.empty())
    a.type = AttributeProto::Strings;
}

void parse(WireReader r, AttributeProto &out) {
  int32_t scalar = AttributeProto::Undefined;
  while (r.next())
    switch (r.field()) {
    case 1:
      out.name = r.string();
      break;
    case 2:
      out.f = r.float32();
      scalar = AttributeProto::Float;
      break;
    case 3:
      out.i = r.int64();
      scalar = AttributeProto::Int;
      break;
    case 4:
      out.s = r.string();
      scalar = AttributeProto::String;
      break;
    case 5:
      parseOwned(r, "TensorProto", out.t);
      break;
    case 6:
      parseOwned(r, "GraphProto", out.g);
      break;
    case 7:
      r.repeated(out.floats);
      break;
    case 8:
      r.repeated(out.ints);
      break;
    case 9:
      r.append(out.strings) = r.string();
      break;
    case 10:
      parse(r.message("TensorProto"), r.append(out.tensors));
      break;
    case 11:
      parse(r.message("GraphProto"), r.append(out.graphs));
      break;
    case 14:
      parseOwned(r, "TypeProto", out.typeProto);
      break;
    case 20:
      out.type = r.int32();
      break;
    case 21:
      out.refName = r.string();
      break;
    case 22:
      parseOwned(r, "SparseTensorProto", out.sparse);
      break;
    }
  inferType(out);
  if (out.type == AttributeProto::Undefined && out.refName.empty())
    out.type = scalar;
}

void parse(WireReader r, NodeProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      r.append(out.inputs) = r.string();
      break;
    case 2:
      r.append(out.outputs) = r.string();
      break;
    case 3:
      out.name = r.string();
      break;
    case 4:
      out.opType = r.string();
      break;
    case 5:
      parse(r.message("AttributeProto"), r.append(out.attributes));
      break;
    case 7:
      out.domain = r.string();
      break;
    case 8:
      out.overload = r.string();
      break;
    }
}

void parse(WireReader r, GraphProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      parse(r.message("NodeProto"), r.append(out.nodes));
      break;
    case 2:
      out.name = r.string();
      break;
    case 5:
      parse(r.message("TensorProto"), r.append(out.initializers));
      break;
    case 11:
      parse(r.message("ValueInfoProto"), r.append(out.inputs));
      break;
    case 12:
      parse(r.message("ValueInfoProto"), r.append(out.outputs));
      break;
    case 13:
      parse(r.message("ValueInfoProto"), r.append(out.valueInfos));
      break;
    case 15:
      parse(r.message("SparseTensorProto"), r.append(out.sparseInitializers));
      break;
    }
}

void parse(WireReader r, FunctionProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      out.name = r.string();
      break;
    case 4:
      r.append(out.inputs) = r.string();
      break;
    case 5:
      r.append(out.outputs) = r.string();
      break;
    case 6:
      r.append(out.attributes) = r.string();
      break;
    case 7:
      parse(r.message("NodeProto"), r.append(out.nodes));
      break;
    case 9:
      parse(r.message("OperatorSetIdProto"), r.append(out.opsets));
      break;
    case 10:
      out.domain = r.string();
      break;
    case 11:
      parse(r.message("AttributeProto"), r.append(out.attributeDefaults));
      break;
    case 12:
      parse(r.message("ValueInfoProto"), r.append(out.valueInfos));
      break;
    case 13:
      out.overload = r.string();
      break;
    }
}

void parse(WireReader r, ModelProto &out) {
  while (r.next())
    switch (r.field()) {
    case 1:
      out.irVersion = r.int64();
      break;
    case 2:
      out.producer = r.string();
      break;
    case 3:
      out.producerVersion = r.string();
      break;
    case 7:
      parseOwned(r, "GraphProto", out.graph);
      break;
    case 8:
      parse(r.message("OperatorSetIdProto"), r.append(out.opsets));
      break;
    case 20:
      out.hasTraining = true;
      break;
    case 25:
      parse(r.message("FunctionProto"), r.append(out.functions));
      break;
    }
}

} // namespace

ModelProto parseModel(Bytes bytes) {
  if (bytes.empty())
    fail("ONNX file: it is empty");
  constexpr uint64_t fixedAllowance = uint64_t(128) << 20;
  Budget budget{fixedAllowance + 4 * uint64_t(bytes.size()), bytes.data()};
  ModelProto model;
  parse(WireReader(bytes, "ModelProto", 0, budget), model);
  return model;
}

bool looksLikeModel(Bytes bytes) {
  Budget budget{1 << 16, bytes.data()};
  // Only the leading scalar fields are read: the graph may be gigabytes.
  try {
    WireReader r(bytes, "ModelProto", 0, budget);
    while (r.next()) {
      if (r.field() == 1) {
        int64_t version = r.int64();
        return version >= 1 && version < 1000;
      }
      if (r.field() == 7 || r.field() > 25)
        return false;
    }
  } catch (const ImportError &) {
  }
  return false;
}

} // namespace cuvil::onnx
