// SPDX-License-Identifier: Apache-2.0
// Maps regular files.
#include "cuvil/Runtime/MappedFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace cuvil {
namespace {

Status fileError(const std::string &path, int error) {
  return Status(error == ENOENT ? CUVIL_NOT_FOUND : CUVIL_IO_ERROR,
                "cannot read '" + path + "': " + std::strerror(error), path);
}

FileStamp stampOf(const struct stat &info) {
  return {uint64_t(info.st_size), int64_t(info.st_mtim.tv_sec) * 1000000000 +
                                      info.st_mtim.tv_nsec};
}

} // namespace

StatusOr<FileStamp> stampFile(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return fileError(path, errno);
  if (!S_ISREG(info.st_mode))
    return Status(CUVIL_INVALID_ARGUMENT,
                  "'" + path + "' is not a regular file", path);
  return stampOf(info);
}

StatusOr<std::shared_ptr<MappedFile>>
MappedFile::open(const std::string &path) {
  // Non-blocking, or a pipe of that name would hang here.
  int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return fileError(path, errno);
  struct stat info;
  std::shared_ptr<MappedFile> file(new MappedFile);
  Status status;
  if (fstat(fd, &info) != 0) {
    status = fileError(path, errno);
  } else if (!S_ISREG(info.st_mode)) {
    status = Status(CUVIL_INVALID_ARGUMENT,
                    "'" + path + "' is not a regular file", path);
  } else if (info.st_size > 0) {
    void *memory =
        mmap(nullptr, info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (memory == MAP_FAILED) {
      status = fileError(path, errno);
    } else {
      file->bytes = static_cast<const char *>(memory);
      file->stamp = stampOf(info);
    }
  }
  ::close(fd);
  if (status.failed())
    return status;
  return file;
}

MappedFile::~MappedFile() {
  if (bytes)
    munmap(const_cast<char *>(bytes), stamp.size);
}

} // namespace cuvil
