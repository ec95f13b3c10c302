// SPDX-License-Identifier: Apache-2.0
// SHA-256 of what cached things were made from.
#ifndef CUVIL_RUNTIME_DIGEST_H
#define CUVIL_RUNTIME_DIGEST_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace cuvil {

class Digest {
public:
  Digest();
  ~Digest();
  /// Raw bytes.
  void add(const void *data, size_t size);
  /// Length, then bytes: ("ab", "c") and ("a", "bc") differ.
  void add(const std::string &text);
  void add(uint64_t value) { add(&value, sizeof(value)); }
  /// Lower-case hexadecimal; ends the digest.
  std::string finish();

private:
  struct State;
  std::unique_ptr<State> state;
};

/// The digest of some bytes.
std::string digestOf(const void *data, size_t size);

} // namespace cuvil

#endif // CUVIL_RUNTIME_DIGEST_H
