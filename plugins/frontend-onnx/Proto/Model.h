// SPDX-License-Identifier: Apache-2.0
// Plain structs for the messages of onnx.proto; text and raw data point into
// the file's bytes.
#ifndef CUVIL_FRONTEND_ONNX_PROTO_MODEL_H
#define CUVIL_FRONTEND_ONNX_PROTO_MODEL_H

#include "Wire.h"

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace cuvil::onnx {

struct StringEntry {
  std::string_view key, value;
};

struct TensorProto {
  std::vector<int64_t> dims;
  int32_t dataType = 0;
  std::string_view name;
  std::optional<Bytes> raw;
  std::vector<float> floatData;
  std::vector<int32_t> int32Data;
  std::vector<std::string_view> stringData;
  std::vector<int64_t> int64Data;
  std::vector<double> doubleData;
  std::vector<uint64_t> uint64Data;
  std::vector<StringEntry> externalData;
  bool external = false;
  bool segmented = false;
};

struct SparseTensorProto {
  TensorProto values, indices;
  std::vector<int64_t> dims;
};

struct DimProto {
  enum Kind { Unknown, Value, Param } kind = Unknown;
  int64_t value = 0;
  std::string_view param;
};

struct TypeProto {
  enum Kind { None, Tensor, Sequence, Map, Optional, Sparse, Opaque };
  Kind kind = None;
  int32_t elementType = 0;
  bool hasShape = false;
  std::vector<DimProto> shape;
  std::unique_ptr<TypeProto> element;
};

struct ValueInfoProto {
  std::string_view name;
  TypeProto type;
};

struct GraphProto;

struct AttributeProto {
  enum Type {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    Sparse = 11,
    Sparses = 12,
    TypeProtoValue = 13,
    TypeProtos = 14
  };
  std::string_view name, refName;
  int32_t type = Undefined;
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  std::unique_ptr<TensorProto> t;
  std::unique_ptr<GraphProto> g;
  std::unique_ptr<SparseTensorProto> sparse;
  std::unique_ptr<onnx::TypeProto> typeProto;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::vector<TensorProto> tensors;
  std::vector<GraphProto> graphs;
};

struct NodeProto {
  std::vector<std::string_view> inputs, outputs;
  std::string_view name, opType, domain, overload;
  std::vector<AttributeProto> attributes;
};

struct OpsetImport {
  std::string_view domain;
  int64_t version = 0;
};

struct GraphProto {
  std::string_view name;
  std::vector<NodeProto> nodes;
  std::vector<TensorProto> initializers;
  std::vector<SparseTensorProto> sparseInitializers;
  std::vector<ValueInfoProto> inputs, outputs, valueInfos;
};

struct FunctionProto {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs, attributes;
  std::vector<AttributeProto> attributeDefaults;
  std::vector<NodeProto> nodes;
  std::vector<OpsetImport> opsets;
  std::vector<ValueInfoProto> valueInfos;
};

struct ModelProto {
  int64_t irVersion = 0;
  std::vector<OpsetImport> opsets;
  std::string_view producer, producerVersion;
  std::unique_ptr<GraphProto> graph;
  std::vector<FunctionProto> functions;
  bool hasTraining = false;
};

/// Decodes a serialized ModelProto. The result points into `bytes`, which have
/// to outlive it. Throws ImportError with the offset of the first problem.
ModelProto parseModel(Bytes bytes);

/// True when the first fields of `bytes` are those of a ModelProto: a cheap
/// test for choosing a frontend, without decoding the file.
bool looksLikeModel(Bytes bytes);

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_PROTO_MODEL_H
