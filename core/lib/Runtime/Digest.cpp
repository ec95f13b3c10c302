// SPDX-License-Identifier: Apache-2.0
// SHA-256 through OpenSSL.
#include "cuvil/Runtime/Digest.h"
#include <new>
#include <openssl/evp.h>

namespace cuvil {

struct Digest::State {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

Digest::Digest() : state(std::make_unique<State>()) {
  if (!state->context ||
      !EVP_DigestInit_ex(state->context, EVP_sha256(), nullptr))
    throw std::bad_alloc();
}
Digest::~Digest() = default;

void Digest::add(const void *data, size_t size) {
  EVP_DigestUpdate(state->context, data, size);
}

void Digest::add(const std::string &text) {
  add(uint64_t(text.size()));
  add(text.data(), text.size());
}

std::string Digest::finish() {
  unsigned char bytes[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  EVP_DigestFinal_ex(state->context, bytes, &size);
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    text += "0123456789abcdef"[bytes[i] >> 4];
    text += "0123456789abcdef"[bytes[i] & 15];
  }
  return text;
}

std::string digestOf(const void *data, size_t size) {
  Digest digest;
  digest.add(data, size);
  return digest.finish();
}

} // namespace cuvil
