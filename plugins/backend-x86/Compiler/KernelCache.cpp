// SPDX-License-Identifier: Apache-2.0
// Implements the on-disk kernel cache.
#include "KernelCache.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <openssl/evp.h>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace cuvil::x86;
namespace fs = llvm::sys::fs;

/// Marks the digest that ends an entry; 8 bytes.
static constexpr llvm::StringLiteral kTrailerTag("CUVILK01");
static constexpr size_t kDigestChars = 64;
static constexpr size_t kTrailerBytes = 8 + kDigestChars;

std::string cuvil::x86::contentHash(llvm::ArrayRef<llvm::StringRef> parts) {
  std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX *)> context(EVP_MD_CTX_new(),
                                                              EVP_MD_CTX_free);
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  bool ok = context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr);
  for (llvm::StringRef part : parts) {
    uint64_t length = part.size();
    ok = ok && EVP_DigestUpdate(context.get(), &length, sizeof(length)) &&
         EVP_DigestUpdate(context.get(), part.data(), part.size());
  }
  ok = ok && EVP_DigestFinal_ex(context.get(), digest, &size);
  if (!ok)
    llvm::report_fatal_error("SHA-256 is not available in libcrypto");
  return llvm::toHex(llvm::ArrayRef<uint8_t>(digest, size), /*LowerCase=*/true);
}

static llvm::Error systemError(const llvm::Twine &message) {
  return llvm::createStringError(
      std::error_code(errno, std::generic_category()), message);
}

llvm::Expected<KernelCache> KernelCache::open(llvm::StringRef folder,
                                              int64_t maxBytes) {
  llvm::SmallString<128> parent(folder);
  llvm::sys::path::remove_filename(parent);
  if (!parent.empty())
    if (std::error_code error = fs::create_directories(parent))
      return llvm::createStringError(error, "cannot create cache folder '" +
                                                parent + "'");
  std::string path = folder.str();
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return systemError("cannot create cache folder '" + folder + "'");
  struct stat info;
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "cache path '" + folder +
                                       "' is not a folder");
  // Code is loaded from here, so nobody else may be able to write it.
  if (info.st_uid != ::geteuid() || (info.st_mode & 0022))
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "cache folder '" + folder +
            "' is writable by other users or not owned by this one; set "
            "CUVIL_CACHE_DIR to a private folder or change its mode to 0700");
  return KernelCache(std::move(path), maxBytes);
}

llvm::Expected<KernelCache> KernelCache::openDefault() {
  llvm::SmallString<128> path;
  auto get = [](const char *name) -> llvm::StringRef {
    const char *value = std::getenv(name);
    return value ? llvm::StringRef(value) : llvm::StringRef();
  };
  if (llvm::StringRef own = get("CUVIL_CACHE_DIR"); !own.empty()) {
    path = own;
  } else if (llvm::StringRef xdg = get("XDG_CACHE_HOME"); !xdg.empty()) {
    path = xdg;
    llvm::sys::path::append(path, "cuvil");
  } else {
    if (!llvm::sys::path::home_directory(path))
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "no home folder to keep kernels in; set "
                                     "CUVIL_CACHE_DIR");
    llvm::sys::path::append(path, ".cache", "cuvil");
  }
  return open(path);
}

std::string KernelCache::entryPath(llvm::StringRef key) const {
  return path + "/" + key.str() + ".so";
}

std::optional<std::string> KernelCache::lookup(llvm::StringRef key) const {
  std::string file = entryPath(key);
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return std::nullopt;
  llvm::StringRef bytes = (*buffer)->getBuffer();
  bool valid = bytes.size() >= kTrailerBytes;
  if (valid) {
    llvm::StringRef body = bytes.drop_back(kTrailerBytes);
    llvm::StringRef trailer = bytes.take_back(kTrailerBytes);
    valid = trailer.consume_front(kTrailerTag) &&
            trailer == contentHash({key, body});
  }
  if (!valid) {
    fs::remove(file);
    return std::nullopt;
  }
  ::utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return file;
}

llvm::Expected<std::string> KernelCache::store(llvm::StringRef key,
                                               llvm::StringRef bytes) const {
  std::string file = entryPath(key);
  std::string temporary = path + "/.tmp-XXXXXX";
  int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0)
    return systemError("cannot write into cache folder '" + path + "'");
  std::error_code error;
  {
    llvm::raw_fd_ostream os(descriptor, /*shouldClose=*/true);
    os << bytes << kTrailerTag << contentHash({key, bytes});
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (!error && ::rename(temporary.c_str(), file.c_str()) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error) {
    fs::remove(temporary);
    return llvm::createStringError(error, "cannot write '" + file + "'");
  }
  trim(file);
  return file;
}

void KernelCache::trim(llvm::StringRef keep) const {
  struct Entry {
    llvm::sys::TimePoint<> time;
    int64_t size;
    std::string path;
  };
  llvm::SmallVector<Entry> entries;
  int64_t total = 0;
  std::error_code error;
  for (fs::directory_iterator it(path, error), end; it != end && !error;
       it.increment(error)) {
    fs::file_status status;
    if (fs::status(it->path(), status) ||
        status.type() != fs::file_type::regular_file)
      continue;
    entries.push_back({status.getLastModificationTime(),
                       int64_t(status.getSize()), it->path()});
    total += entries.back().size;
  }
  if (total <= maxBytes)
    return;
  llvm::sort(entries,
             [](const Entry &a, const Entry &b) { return a.time < b.time; });
  for (const Entry &entry : entries) {
    if (total <= maxBytes)
      break;
    if (entry.path == keep)
      continue;
    fs::remove(entry.path);
    total -= entry.size;
  }
}
