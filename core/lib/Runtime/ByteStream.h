// SPDX-License-Identifier: Apache-2.0
// Little-endian writing, and reading that never leaves its bytes.
#ifndef CUVIL_LIB_RUNTIME_BYTESTREAM_H
#define CUVIL_LIB_RUNTIME_BYTESTREAM_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace cuvil {

class ByteWriter {
public:
  template <typename T> void number(T value) {
    uint64_t wide = uint64_t(value);
    for (size_t i = 0; i < sizeof(T); ++i)
      out += char(wide >> (8 * i));
  }
  void text(const std::string &s) {
    number(uint64_t(s.size()));
    out += s;
  }
  template <typename T> void numbers(const std::vector<T> &values) {
    number(uint64_t(values.size()));
    for (T value : values)
      number(value);
  }

  std::string out;
};

/// After the first wrong read everything reads as zero and `ok` is false.
class ByteReader {
public:
  ByteReader(const char *data, size_t size) : next(data), left(size) {}

  template <typename T> T number() {
    if (!take(sizeof(T)))
      return T();
    uint64_t wide = 0;
    for (size_t i = 0; i < sizeof(T); ++i)
      wide |= uint64_t(uint8_t(next[i - sizeof(T)])) << (8 * i);
    return T(wide);
  }
  std::string text() {
    uint64_t size = number<uint64_t>();
    if (!take(size))
      return "";
    return std::string(next - size, size);
  }
  /// A count of items of at least `itemSize` bytes each.
  size_t count(size_t itemSize) {
    uint64_t n = number<uint64_t>();
    if (n > left / itemSize) {
      good = false;
      return 0;
    }
    return n;
  }
  template <typename T> std::vector<T> numbers() {
    std::vector<T> values(count(sizeof(T)));
    for (T &value : values)
      value = number<T>();
    return values;
  }
  bool ok() const { return good; }
  void fail() { good = false; }
  bool atEnd() const { return left == 0; }

private:
  bool take(uint64_t size) {
    if (!good || size > left) {
      good = false;
      return false;
    }
    next += size;
    left -= size;
    return true;
  }

  const char *next;
  size_t left;
  bool good = true;
};

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_BYTESTREAM_H
