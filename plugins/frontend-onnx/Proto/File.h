// SPDX-License-Identifier: Apache-2.0
// Opens and maps model files and the data files beside them.
#ifndef CUVIL_FRONTEND_ONNX_PROTO_FILE_H
#define CUVIL_FRONTEND_ONNX_PROTO_FILE_H

#include "Wire.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cuvil::onnx {

/// A read-only mapping of a whole regular file, shared by everything that
/// points into it.
class MappedFile {
public:
  /// Maps the model at `path`, which the user chose and is trusted to name.
  static std::shared_ptr<const MappedFile> open(const std::string &path);

  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  Bytes bytes() const { return {data, size}; }

private:
  friend class ModelFolder;
  MappedFile(const std::byte *data, size_t size) : data(data), size(size) {}
  static std::shared_ptr<const MappedFile> map(int fd,
                                               const std::string &shown);

  const std::byte *data;
  size_t size;
};

/// The only way to the data files a model names. Names come from the model
/// and are hostile: nothing outside the folder is ever opened.
class ModelFolder {
public:
  /// The folder of the model file `modelPath`. With an empty path (a model
  /// given as bytes) every request is refused with that reason.
  explicit ModelFolder(std::string modelPath);

  /// Maps the file `name`: a relative path beneath the folder, reached without
  /// symbolic links, a regular file with a single name. Each file is mapped
  /// once.
  std::shared_ptr<const MappedFile> open(std::string_view name);
  /// The paths of all files opened so far.
  std::vector<std::string> opened() const;

private:
  std::string folder;
  bool known;
  std::map<std::string, std::shared_ptr<const MappedFile>, std::less<>> files;
};

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_PROTO_FILE_H
