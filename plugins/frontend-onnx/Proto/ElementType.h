// SPDX-License-Identifier: Apache-2.0
// The element types of TensorProto: names, widths, and checked size arithmetic.
#ifndef CUVIL_FRONTEND_ONNX_PROTO_ELEMENTTYPE_H
#define CUVIL_FRONTEND_ONNX_PROTO_ELEMENTTYPE_H

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace cuvil::onnx {

/// TensorProto.DataType.
enum class ElementType : int32_t {
  Undefined = 0,
  Float = 1,
  UInt8 = 2,
  Int8 = 3,
  UInt16 = 4,
  Int16 = 5,
  Int32 = 6,
  Int64 = 7,
  String = 8,
  Bool = 9,
  Float16 = 10,
  Double = 11,
  UInt32 = 12,
  UInt64 = 13,
  Complex64 = 14,
  Complex128 = 15,
  BFloat16 = 16,
  Float8E4M3FN = 17,
  Float8E4M3FNUZ = 18,
  Float8E5M2 = 19,
  Float8E5M2FNUZ = 20,
  UInt4 = 21,
  Int4 = 22,
  Float4E2M1 = 23,
  Float8E8M0 = 24,
  UInt2 = 25,
  Int2 = 26,
  Float6E2M3 = 27,
  Float6E3M2 = 28
};

/// The spelling used in messages, such as "float32"; "type 99" when unknown.
std::string elementTypeName(int32_t type);

/// Bits one element takes in a tensor's bytes; 0 for strings and unknown types.
unsigned elementBits(ElementType type);

/// Elements a tensor may have, whatever its type.
inline constexpr int64_t maxElements = int64_t(1) << 40;

/// Product of `dims`, or nothing when a dim is negative or the product is
/// above maxElements.
std::optional<int64_t> elementCount(std::span<const int64_t> dims);

/// Bytes of `count` elements, the last byte of packed types rounded up.
uint64_t byteCount(ElementType type, int64_t count);

/// "[2, 3]".
std::string dimsText(std::span<const int64_t> dims);

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_PROTO_ELEMENTTYPE_H
