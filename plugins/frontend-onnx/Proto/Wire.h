// SPDX-License-Identifier: Apache-2.0
// Reads the protobuf wire format from untrusted bytes without copying them.
#ifndef CUVIL_FRONTEND_ONNX_PROTO_WIRE_H
#define CUVIL_FRONTEND_ONNX_PROTO_WIRE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace cuvil::onnx {

using Bytes = std::span<const std::byte>;

/// Limits shared by every reader of one file.
struct Budget {
  /// Bytes of decoded structures still allowed; raw data costs nothing.
  uint64_t memory;
  /// Start of the file, to report offsets.
  const std::byte *base;

  /// Takes `bytes` from the budget or throws.
  void charge(uint64_t bytes);
};

/// Message nesting allowed anywhere in a file.
inline constexpr unsigned maxDepth = 64;

enum class WireType : uint8_t {
  Varint = 0,
  Fixed64 = 1,
  Bytes = 2,
  Fixed32 = 5
};

/// A cursor over the fields of one message.
///
/// Usage: `while (reader.next()) switch (reader.field()) {...}`; a field that
/// no accessor consumed is skipped by the next call of next().
class WireReader {
public:
  WireReader(Bytes bytes, const char *message, unsigned depth, Budget &budget);

  /// Moves to the next field; false at the end of the message.
  bool next();
  uint32_t field() const { return fieldNumber; }

  int64_t int64();
  int32_t int32() { return static_cast<int32_t>(int64()); }
  float float32();
  std::string_view string();
  Bytes bytes();
  /// A reader over the embedded message held by the current field.
  WireReader message(const char *name);

  /// Repeated scalars, packed or not; appended to `out`.
  void repeated(std::vector<int64_t> &out);
  void repeated(std::vector<int32_t> &out);
  void repeated(std::vector<uint64_t> &out);
  void repeated(std::vector<float> &out);
  void repeated(std::vector<double> &out);

  /// Pays for one more decoded object of type T.
  template <typename T> T &append(std::vector<T> &out) {
    budget.charge(2 * sizeof(T));
    return out.emplace_back();
  }
  Budget &limits() { return budget; }

  /// Throws with the file offset, the message and the field in the text.
  [[noreturn]] void error(std::string_view what) const;

private:
  uint64_t varint();
  Bytes take(uint64_t size);
  void expect(WireType type);
  void skip();
  template <typename T> void repeatedVarint(std::vector<T> &out);
  template <typename T> void repeatedFixed(std::vector<T> &out, WireType type);

  const std::byte *cursor;
  const std::byte *end;
  const char *name;
  unsigned depth;
  Budget &budget;
  uint32_t fieldNumber = 0;
  WireType type = WireType::Varint;
  bool pending = false;
};

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_PROTO_WIRE_H
