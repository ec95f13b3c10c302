// SPDX-License-Identifier: Apache-2.0
// Saved programs on disk, by the digest of what they were made from.
#ifndef CUVIL_RUNTIME_COMPILECACHE_H
#define CUVIL_RUNTIME_COMPILECACHE_H

#include "cuvil/Runtime/MappedFile.h"

namespace cuvil {

/// $CUVIL_CACHE_DIR, else $XDG_CACHE_HOME/cuvil, else ~/.cache/cuvil; empty
/// when there is none or the process has raised privileges.
std::string getCacheRoot();

/// A folder of entries, safe to share between processes: entries are written
/// under another name and renamed, and only a folder that nobody else can
/// write is used.
class CompileCache {
public:
  static constexpr uint64_t kMaxBytes = uint64_t(2) << 30;

  /// Opens (creates, mode 0700) `folder`.
  static StatusOr<CompileCache> open(const std::string &folder,
                                     uint64_t maxBytes = kMaxBytes);

  /// The entry's file, marked as used now; fails when there is none.
  StatusOr<std::shared_ptr<MappedFile>> lookup(const std::string &key) const;
  /// Writes an entry; removes those used longest ago beyond the limit.
  Status store(const std::string &key, const std::string &bytes) const;
  /// Removes an entry that has turned out to be of no use.
  void remove(const std::string &key) const;

private:
  CompileCache(std::string folder, uint64_t maxBytes)
      : folder(std::move(folder)), maxBytes(maxBytes) {}
  std::string entryPath(const std::string &key) const;
  void trim() const;

  std::string folder;
  uint64_t maxBytes;
};

} // namespace cuvil

#endif // CUVIL_RUNTIME_COMPILECACHE_H
