// SPDX-License-Identifier: Apache-2.0
// Reads /proc/self/maps.
#include "FileMappings.h"
#include <cstdio>
#include <fstream>
#include <sys/stat.h>

namespace cuvil {

FileMappings::FileMappings() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin, end, offset, inode;
    char permissions[5];
    int pathAt = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx %4s %lx %*s %lu %n", &begin, &end,
                    permissions, &offset, &inode, &pathAt) != 5)
      continue;
    // What can be written may differ from the file.
    if (!inode || permissions[0] != 'r' || permissions[1] == 'w' || !pathAt)
      continue;
    std::string path = line.substr(pathAt);
    struct stat info;
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) ||
        info.st_ino != inode)
      continue;
    mappings[begin] = {end, offset, std::move(path)};
  }
}

bool FileMappings::find(const void *data, uint64_t size, std::string &path,
                        uint64_t &offset) const {
  auto begin = reinterpret_cast<uintptr_t>(data);
  auto it = mappings.upper_bound(begin);
  if (it == mappings.begin())
    return false;
  --it;
  if (begin + size > it->second.end)
    return false;
  path = it->second.path;
  offset = it->second.offset + (begin - it->first);
  return true;
}

} // namespace cuvil
