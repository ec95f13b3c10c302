// SPDX-License-Identifier: Apache-2.0
// Reading structs that another build of the ABI may have filled.
#ifndef CUVIL_RUNTIME_STRUCTCOPY_H
#define CUVIL_RUNTIME_STRUCTCOPY_H

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace cuvil {

/// A copy with every member the other side does not know set to zero. The
/// first member of T is its `struct_size`, as the other side sees it.
template <typename T> T zeroExtended(const T &given) {
  T copy;
  std::memset(static_cast<void *>(&copy), 0, sizeof(T));
  std::memcpy(static_cast<void *>(&copy), &given,
              std::min(given.struct_size, sizeof(T)));
  copy.struct_size = sizeof(T);
  return copy;
}

/// Writes a struct into the other side's memory, whose `struct_size` says how
/// much of it that side knows.
template <typename T> void storeTruncated(const T &value, T *out) {
  size_t known = std::min(out->struct_size, sizeof(T));
  size_t size = out->struct_size;
  std::memcpy(static_cast<void *>(out), &value, known);
  out->struct_size = size;
}

} // namespace cuvil

#endif // CUVIL_RUNTIME_STRUCTCOPY_H
