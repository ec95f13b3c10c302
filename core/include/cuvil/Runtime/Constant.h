// SPDX-License-Identifier: Apache-2.0
// A model's constant: immutable, ref-counted bytes that nobody copies.
#ifndef CUVIL_RUNTIME_CONSTANT_H
#define CUVIL_RUNTIME_CONSTANT_H

#include "cuvil/plugin.h"
#include <atomic>
#include <string>
#include <vector>

namespace cuvil {

/// Bytes of one tensor, shared by the IR's weight store, programs and plugins.
/// A `void *` constant handle of the ABI is a retained `Constant *`.
class CUVIL_EXPORT Constant {
public:
  /// Takes over the owner of `desc` (its release is called by the last
  /// release() here). The returned object has one reference.
  static Constant *create(const cuvil_constant &desc);
  /// Owned copy of `size` bytes.
  static Constant *copy(cuvil_dtype dtype, const std::vector<int64_t> &dims,
                        const void *data, size_t size);

  void retain() { references.fetch_add(1, std::memory_order_relaxed); }
  void release();

  cuvil_dtype getDtype() const { return dtype; }
  const std::vector<int64_t> &getDims() const { return dims; }
  const void *getData() const { return data; }
  size_t getSize() const { return size; }
  const std::string &getName() const { return name; }
  /// The file that also holds the bytes, or "".
  const std::string &getFile() const { return file; }
  uint64_t getFileOffset() const { return fileOffset; }
  /// A DLPack view that borrows this object's bytes and dims.
  cuvil_dl_tensor getTensor() const;

private:
  Constant() = default;
  ~Constant();

  std::atomic<int64_t> references{1};
  cuvil_dtype dtype = CUVIL_DTYPE_NONE;
  std::vector<int64_t> dims;
  const void *data = nullptr;
  size_t size = 0;
  void *owner = nullptr;
  void (*releaseOwner)(void *) = nullptr;
  std::string name, file;
  uint64_t fileOffset = 0;
};

/// Conversions between the ABI's element types and DLPack's.
CUVIL_EXPORT cuvil_dl_dtype getDlDtype(cuvil_dtype dtype);
CUVIL_EXPORT cuvil_dtype getDtype(cuvil_dl_dtype dtype);
/// Bytes per element (bool takes one); 0 for CUVIL_DTYPE_NONE.
CUVIL_EXPORT size_t getElementSize(cuvil_dtype dtype);
/// e.g. "f32".
CUVIL_EXPORT const char *getDtypeName(cuvil_dtype dtype);

} // namespace cuvil

#endif // CUVIL_RUNTIME_CONSTANT_H
