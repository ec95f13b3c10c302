// SPDX-License-Identifier: Apache-2.0
// Tables of the ONNX element types.
#include "ElementType.h"

#include <iterator>

namespace cuvil::onnx {
namespace {

struct Row {
  const char *name;
  unsigned bits;
};

constexpr Row rows[] = {
    {"undefined", 0},      {"float32", 32},   {"uint8", 8},
    {"int8", 8},           {"uint16", 16},    {"int16", 16},
    {"int32", 32},         {"int64", 64},     {"string", 0},
    {"bool", 8},           {"float16", 16},   {"float64", 64},
    {"uint32", 32},        {"uint64", 64},    {"complex64", 64},
    {"complex128", 128},   {"bfloat16", 16},  {"float8e4m3fn", 8},
    {"float8e4m3fnuz", 8}, {"float8e5m2", 8}, {"float8e5m2fnuz", 8},
    {"uint4", 4},          {"int4", 4},       {"float4e2m1", 4},
    {"float8e8m0", 8},     {"uint2", 2},      {"int2", 2},
    {"float6e2m3", 0},     {"float6e3m2", 0},
};

} // namespace

std::string elementTypeName(int32_t type) {
  if (type >= 0 && type < static_cast<int32_t>(std::size(rows)))
    return rows[type].name;
  return "type " + std::to_string(type);
}

unsigned elementBits(ElementType type) {
  auto index = static_cast<int32_t>(type);
  if (index >= 0 && index < static_cast<int32_t>(std::size(rows)))
    return rows[index].bits;
  return 0;
}

std::optional<int64_t> elementCount(std::span<const int64_t> dims) {
  bool empty = false;
  int64_t count = 1;
  for (int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    if (dim == 0) {
      empty = true;
      continue;
    }
    // Checked without the zero dims too: a later reshape may drop them.
    if (__builtin_mul_overflow(count, dim, &count) || count > maxElements)
      return std::nullopt;
  }
  return empty ? 0 : count;
}

uint64_t byteCount(ElementType type, int64_t count) {
  return (static_cast<uint64_t>(count) * elementBits(type) + 7) / 8;
}

std::string dimsText(std::span<const int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

} // namespace cuvil::onnx
