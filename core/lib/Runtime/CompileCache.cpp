// SPDX-License-Identifier: Apache-2.0
// The folder of saved programs.
#include "cuvil/Runtime/CompileCache.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace cuvil {
namespace {

namespace fs = std::filesystem;
constexpr const char *kExtension = ".cuvprog";

Status systemError(const std::string &what, const std::string &path) {
  return Status(CUVIL_IO_ERROR,
                what + " '" + path + "': " + std::strerror(errno), path);
}

bool writeAll(int fd, const char *data, size_t size) {
  while (size) {
    ssize_t n = ::write(fd, data, size);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    data += n;
    size -= n;
  }
  return true;
}

} // namespace

std::string getCacheRoot() {
  if (getauxval(AT_SECURE))
    return "";
  auto get = [](const char *name) {
    const char *value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (std::string folder = get("CUVIL_CACHE_DIR"); !folder.empty())
    return folder;
  if (std::string folder = get("XDG_CACHE_HOME"); !folder.empty())
    return folder + "/cuvil";
  std::string home = get("HOME");
  return home.empty() ? "" : home + "/.cache/cuvil";
}

StatusOr<CompileCache> CompileCache::open(const std::string &folder,
                                          uint64_t maxBytes) {
  if (folder.empty())
    return Status(CUVIL_NOT_FOUND, "there is no cache folder");
  std::error_code ec;
  fs::create_directories(fs::path(folder).parent_path(), ec);
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)
    return systemError("cannot create", folder);
  struct stat info;
  if (lstat(folder.c_str(), &info) != 0)
    return systemError("cannot read", folder);
  if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() ||
      (info.st_mode & (S_IWGRP | S_IWOTH)))
    return Status(CUVIL_PERMISSION_DENIED,
                  "the cache folder '" + folder +
                      "' is not a folder that only its owner can write",
                  folder, "remove it, or chmod 700 it");
  return CompileCache(folder, maxBytes);
}

std::string CompileCache::entryPath(const std::string &key) const {
  return folder + "/" + key + kExtension;
}

StatusOr<std::shared_ptr<MappedFile>>
CompileCache::lookup(const std::string &key) const {
  std::string path = entryPath(key);
  auto file = MappedFile::open(path);
  if (file.ok())
    utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
  return file;
}

Status CompileCache::store(const std::string &key,
                           const std::string &bytes) const {
  std::string path = entryPath(key);
  std::string temporary = path + ".XXXXXX";
  int fd = mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0)
    return systemError("cannot create", temporary);
  bool written = writeAll(fd, bytes.data(), bytes.size());
  written &= ::close(fd) == 0;
  if (!written || rename(temporary.c_str(), path.c_str()) != 0) {
    Status status = systemError("cannot write", path);
    unlink(temporary.c_str());
    return status;
  }
  trim();
  return {};
}

void CompileCache::remove(const std::string &key) const {
  unlink(entryPath(key).c_str());
}

void CompileCache::trim() const {
  struct Entry {
    fs::file_time_type used;
    uint64_t size;
    fs::path path;
  };
  std::vector<Entry> entries;
  uint64_t total = 0;
  std::error_code ec;
  for (fs::directory_iterator it(folder, ec), end; !ec && it != end;
       it.increment(ec)) {
    std::error_code gone;
    uint64_t size = it->file_size(gone);
    auto used = it->last_write_time(gone);
    if (gone)
      continue;
    entries.push_back({used, size, it->path()});
    total += size;
  }
  std::sort(entries.begin(), entries.end(),
            [](const Entry &a, const Entry &b) { return a.used < b.used; });
  // The newest stays: it is the one just written.
  for (size_t i = 0; i + 1 < entries.size() && total > maxBytes; ++i) {
    total -= entries[i].size;
    fs::remove(entries[i].path, ec);
  }
}

} // namespace cuvil
