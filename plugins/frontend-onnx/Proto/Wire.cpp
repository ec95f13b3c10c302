// SPDX-License-Identifier: Apache-2.0
// Implements the bounds-checked protobuf field cursor.
#include "Wire.h"

#include "Error.h"

#include <bit>
#include <cstring>

namespace cuvil::onnx {

static_assert(std::endian::native == std::endian::little,
              "fixed-width fields are read as little-endian");

std::string quoted(std::string_view name) {
  constexpr size_t limit = 160;
  std::string text = "'";
  for (char c : name.substr(0, limit)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      text += c;
      continue;
    }
    constexpr char digits[] = "0123456789abcdef";
    text += "\\x";
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  if (name.size() > limit)
    text += "...";
  return text + "'";
}

void Budget::charge(uint64_t bytes) {
  if (bytes > memory)
    fail("ONNX file: its structure needs more memory than is allowed for a "
         "file of this size; the file is damaged or hostile");
  memory -= bytes;
}

WireReader::WireReader(Bytes bytes, const char *message, unsigned depth,
                       Budget &budget)
    : cursor(bytes.data()), end(bytes.data() + bytes.size()), name(message),
      depth(depth), budget(budget) {
  if (depth > maxDepth)
    error("messages are nested more than 64 deep");
}

void WireReader::error(std::string_view what) const {
  std::string where =
      "ONNX file, byte " + std::to_string(cursor - budget.base) + " (" + name;
  if (fieldNumber)
    where += ", field " + std::to_string(fieldNumber);
  fail(where, "): ", what);
}

uint64_t WireReader::varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70; shift += 7) {
    if (cursor == end)
      error("the file ends inside a number; it is truncated or not ONNX");
    auto byte = static_cast<uint8_t>(*cursor++);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (!(byte & 0x80))
      return value;
  }
  error("a number is longer than 10 bytes; the file is damaged or not ONNX");
}

Bytes WireReader::take(uint64_t size) {
  if (size > static_cast<uint64_t>(end - cursor))
    error("a field of " + std::to_string(size) + " bytes does not fit in the " +
          std::to_string(end - cursor) +
          " bytes that are left; the file is truncated or not ONNX");
  Bytes result(cursor, size);
  cursor += size;
  return result;
}

bool WireReader::next() {
  if (pending)
    skip();
  fieldNumber = 0;
  if (cursor == end)
    return false;
  uint64_t tag = varint();
  uint64_t number = tag >> 3;
  unsigned wire = tag & 7;
  if (number == 0 || number > (1u << 29) - 1)
    error("invalid field number; the file is damaged or not ONNX");
  if (wire != 0 && wire != 1 && wire != 2 && wire != 5)
    error("unsupported wire type " + std::to_string(wire) +
          "; the file is damaged or not ONNX");
  fieldNumber = static_cast<uint32_t>(number);
  type = static_cast<WireType>(wire);
  pending = true;
  return true;
}

void WireReader::skip() {
  pending = false;
  switch (type) {
  case WireType::Varint:
    varint();
    return;
  case WireType::Fixed64:
    take(8);
    return;
  case WireType::Bytes:
    take(varint());
    return;
  case WireType::Fixed32:
    take(4);
    return;
  }
}

void WireReader::expect(WireType wanted) {
  if (type != wanted)
    error("wire type " + std::to_string(static_cast<unsigned>(type)) +
          " where " + std::to_string(static_cast<unsigned>(wanted)) +
          " is expected; the file is damaged or not ONNX");
  pending = false;
}

int64_t WireReader::int64() {
  expect(WireType::Varint);
  return static_cast<int64_t>(varint());
}

float WireReader::float32() {
  expect(WireType::Fixed32);
  float value;
  std::memcpy(&value, take(4).data(), 4);
  return value;
}

Bytes WireReader::bytes() {
  expect(WireType::Bytes);
  return take(varint());
}

std::string_view WireReader::string() {
  Bytes raw = bytes();
  return {reinterpret_cast<const char *>(raw.data()), raw.size()};
}

WireReader WireReader::message(const char *inner) {
  return WireReader(bytes(), inner, depth + 1, budget);
}

template <typename T> void WireReader::repeatedVarint(std::vector<T> &out) {
  if (type == WireType::Varint) {
    budget.charge(2 * sizeof(T));
    out.push_back(static_cast<T>(int64()));
    return;
  }
  Bytes packed = bytes();
  uint64_t count = 0;
  for (std::byte b : packed)
    count += (static_cast<uint8_t>(b) & 0x80) == 0;
  budget.charge(count * sizeof(T));
  out.reserve(out.size() + count);
  WireReader inner(packed, name, depth, budget);
  inner.fieldNumber = fieldNumber;
  while (inner.cursor != inner.end)
    out.push_back(static_cast<T>(inner.varint()));
}

template <typename T>
void WireReader::repeatedFixed(std::vector<T> &out, WireType single) {
  if (type == single) {
    expect(single);
    budget.charge(2 * sizeof(T));
    std::memcpy(&out.emplace_back(), take(sizeof(T)).data(), sizeof(T));
    return;
  }
  Bytes packed = bytes();
  if (packed.size() % sizeof(T))
    error("packed numbers do not fill a whole number of elements");
  if (packed.empty())
    return;
  budget.charge(packed.size());
  size_t old = out.size();
  out.resize(old + packed.size() / sizeof(T));
  std::memcpy(out.data() + old, packed.data(), packed.size());
}

void WireReader::repeated(std::vector<int64_t> &out) { repeatedVarint(out); }
void WireReader::repeated(std::vector<int32_t> &out) { repeatedVarint(out); }
void WireReader::repeated(std::vector<uint64_t> &out) { repeatedVarint(out); }
void WireReader::repeated(std::vector<float> &out) {
  repeatedFixed(out, WireType::Fixed32);
}
void WireReader::repeated(std::vector<double> &out) {
  repeatedFixed(out, WireType::Fixed64);
}

} // namespace cuvil::onnx
