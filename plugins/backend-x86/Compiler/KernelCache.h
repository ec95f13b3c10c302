// SPDX-License-Identifier: Apache-2.0
// Keeps compiled kernels on disk under the hash of what they were made from.
#ifndef CUVIL_BACKEND_X86_KERNELCACHE_H
#define CUVIL_BACKEND_X86_KERNELCACHE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace cuvil::x86 {

/// SHA-256 of the parts in order, each preceded by its length so that
/// ("ab", "c") and ("a", "bc") differ; lower-case hexadecimal.
std::string contentHash(llvm::ArrayRef<llvm::StringRef> parts);

/// A folder of shared objects, safe to share between processes. An entry is
/// `<key>.so` followed, in the same file, by a digest of its bytes: ELF loaders
/// ignore what follows the sections. A damaged entry is a miss.
class KernelCache {
public:
  static constexpr int64_t kDefaultMaxBytes = int64_t(2) << 30;

  /// Opens (creates, mode 0700) a folder.
  static llvm::Expected<KernelCache> open(llvm::StringRef folder,
                                          int64_t maxBytes = kDefaultMaxBytes);

  /// Opens $CUVIL_CACHE_DIR, else $XDG_CACHE_HOME/cuvil, else ~/.cache/cuvil.
  static llvm::Expected<KernelCache> openDefault();

  /// The path of the entry, checked, or nothing. Marks it as used now.
  std::optional<std::string> lookup(llvm::StringRef key) const;

  /// Writes an entry and returns its path. Removes the entries used longest
  /// ago where the folder grows over its bound.
  llvm::Expected<std::string> store(llvm::StringRef key,
                                    llvm::StringRef bytes) const;

  llvm::StringRef folder() const { return path; }

private:
  KernelCache(std::string path, int64_t maxBytes)
      : path(std::move(path)), maxBytes(maxBytes) {}
  std::string entryPath(llvm::StringRef key) const;
  void trim(llvm::StringRef keep) const;

  std::string path;
  int64_t maxBytes;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_KERNELCACHE_H
