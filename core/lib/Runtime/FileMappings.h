// SPDX-License-Identifier: Apache-2.0
// Which file some mapped bytes came from.
#ifndef CUVIL_LIB_RUNTIME_FILEMAPPINGS_H
#define CUVIL_LIB_RUNTIME_FILEMAPPINGS_H

#include <cstdint>
#include <map>
#include <string>

namespace cuvil {

/// The read-only file mappings of this process, as they are when it is made.
class FileMappings {
public:
  FileMappings();

  /// The file, and the place in it, whose bytes lie at [data, data + size).
  /// False when there is none, or the file has been replaced since.
  bool find(const void *data, uint64_t size, std::string &path,
            uint64_t &offset) const;

private:
  struct Mapping {
    uint64_t end;
    uint64_t offset;
    std::string path;
  };
  std::map<uint64_t, Mapping> mappings; // by begin
};

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_FILEMAPPINGS_H
