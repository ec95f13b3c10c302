// SPDX-License-Identifier: Apache-2.0
// A file as read-only memory.
#ifndef CUVIL_RUNTIME_MAPPEDFILE_H
#define CUVIL_RUNTIME_MAPPEDFILE_H

#include "cuvil/Runtime/Status.h"
#include <memory>

namespace cuvil {

/// What tells one state of a file from another without reading it.
struct FileStamp {
  uint64_t size = 0;
  int64_t modified = 0; // nanoseconds
  bool operator==(const FileStamp &) const = default;
};

/// Fails for what is not a regular file.
StatusOr<FileStamp> stampFile(const std::string &path);

class MappedFile {
public:
  static StatusOr<std::shared_ptr<MappedFile>> open(const std::string &path);
  ~MappedFile();

  const char *data() const { return bytes; }
  size_t size() const { return stamp.size; }
  /// The state of the file when it was opened.
  const FileStamp &getStamp() const { return stamp; }

private:
  MappedFile() = default;
  const char *bytes = nullptr;
  FileStamp stamp;
};

} // namespace cuvil

#endif // CUVIL_RUNTIME_MAPPEDFILE_H
