// SPDX-License-Identifier: Apache-2.0
// Writes protobuf messages by hand, well-formed or not, for the parser's tests.
#ifndef CUVIL_TESTS_UNIT_ONNX_PROTOWRITER_H
#define CUVIL_TESTS_UNIT_ONNX_PROTOWRITER_H

#include "Proto/Wire.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace cuvil::onnx::test {

class ProtoWriter {
public:
  ProtoWriter &raw(std::string_view bytes) {
    text += bytes;
    return *this;
  }
  ProtoWriter &varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      text += static_cast<char>(value | 0x80);
    text += static_cast<char>(value);
    return *this;
  }
  ProtoWriter &tag(uint32_t field, unsigned wire) {
    return varint(uint64_t(field) << 3 | wire);
  }
  ProtoWriter &num(uint32_t field, int64_t value) {
    return tag(field, 0).varint(static_cast<uint64_t>(value));
  }
  ProtoWriter &str(uint32_t field, std::string_view value) {
    return tag(field, 2).varint(value.size()).raw(value);
  }
  ProtoWriter &msg(uint32_t field, const ProtoWriter &value) {
    return str(field, value.text);
  }
  template <typename T>
  ProtoWriter &packed(uint32_t field, const std::vector<T> &values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return str(field, bytes);
  }
  ProtoWriter &packedInts(uint32_t field, const std::vector<int64_t> &values) {
    ProtoWriter inner;
    for (int64_t value : values)
      inner.varint(static_cast<uint64_t>(value));
    return msg(field, inner);
  }
  const std::string &bytes() const { return text; }

private:
  std::string text;
};

inline Bytes asBytes(const std::string &text) {
  return {reinterpret_cast<const std::byte *>(text.data()), text.size()};
}

inline ProtoWriter dim(int64_t value) { return ProtoWriter().num(1, value); }

/// ValueInfoProto of a tensor; negative dims are written without a value.
inline ProtoWriter valueInfo(std::string_view name, int type,
                             const std::vector<int64_t> &dims) {
  ProtoWriter shape;
  for (int64_t d : dims)
    shape.msg(1, d < 0 ? ProtoWriter() : dim(d));
  ProtoWriter tensor;
  tensor.num(1, type).msg(2, shape);
  return ProtoWriter().str(1, name).msg(2, ProtoWriter().msg(1, tensor));
}

inline ProtoWriter node(std::string_view op,
                        const std::vector<std::string> &inputs,
                        const std::vector<std::string> &outputs,
                        std::string_view name = "") {
  ProtoWriter n;
  for (const std::string &input : inputs)
    n.str(1, input);
  for (const std::string &output : outputs)
    n.str(2, output);
  if (!name.empty())
    n.str(3, name);
  return n.str(4, op);
}

inline ProtoWriter model(const ProtoWriter &graph, int64_t opset = 17,
                         int64_t ir = 8) {
  return ProtoWriter()
      .num(1, ir)
      .msg(8, ProtoWriter().str(1, "").num(2, opset))
      .msg(7, graph);
}

} // namespace cuvil::onnx::test

#endif // CUVIL_TESTS_UNIT_ONNX_PROTOWRITER_H
