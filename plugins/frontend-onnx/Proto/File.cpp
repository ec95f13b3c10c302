// SPDX-License-Identifier: Apache-2.0
// Implements confined opening of model data with openat2, or a component walk.
#include "File.h"

#include "Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cuvil::onnx {
namespace {

class Descriptor {
public:
  explicit Descriptor(int fd) : fd(fd) {}
  ~Descriptor() {
    if (fd >= 0)
      ::close(fd);
  }
  Descriptor(Descriptor &&other) noexcept : fd(other.fd) { other.fd = -1; }
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(fd, other.fd);
    return *this;
  }
  int get() const { return fd; }

private:
  int fd;
};

// O_NONBLOCK keeps a pipe with no writer from blocking the open.
constexpr int fileFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

/// Kernels before 5.6 and some sandboxes lack openat2. Every component is
/// opened without following links, and ".." was refused before.
Descriptor walkBeneath(int folder, std::string_view name) {
  int at = folder;
  Descriptor held(-1);
  while (true) {
    size_t slash = name.find('/');
    std::string part(name.substr(0, slash));
    if (slash == std::string_view::npos)
      return Descriptor(::openat(at, part.c_str(), fileFlags | O_NOFOLLOW));
    name.remove_prefix(slash + 1);
    if (part.empty() || part == ".")
      continue;
    held = Descriptor(::openat(at, part.c_str(),
                               O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (held.get() < 0)
      return Descriptor(-1);
    at = held.get();
  }
}

Descriptor openBeneath(int folder, const std::string &name) {
  open_how how{};
  how.flags = fileFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  int fd = static_cast<int>(
      ::syscall(SYS_openat2, folder, name.c_str(), &how, sizeof(how)));
  if (fd < 0 && (errno == ENOSYS || errno == EPERM))
    return walkBeneath(folder, name);
  return Descriptor(fd);
}

/// Why `name` may not be opened, or nothing.
const char *refusal(std::string_view name) {
  if (name.empty())
    return "its name is empty";
  if (name.front() == '/')
    return "its name is an absolute path";
  if (name.find('\0') != std::string_view::npos)
    return "its name holds a zero byte";
  if (name.size() > 4000)
    return "its name is longer than 4000 bytes";
  for (size_t at = 0; at <= name.size();) {
    size_t slash = std::min(name.find('/', at), name.size());
    if (name.substr(at, slash - at) == "..")
      return "its name leaves the model's folder";
    at = slash + 1;
  }
  return nullptr;
}

} // namespace

std::shared_ptr<const MappedFile> MappedFile::map(int fd,
                                                  const std::string &shown) {
  struct stat info{};
  if (::fstat(fd, &info) != 0)
    fail(shown, ": ", std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    fail(shown, " is not a regular file");
  auto size = static_cast<size_t>(info.st_size);
  if (size == 0)
    return std::shared_ptr<const MappedFile>(new MappedFile(nullptr, 0));
  void *data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED)
    fail(shown, ": cannot map it: ", std::strerror(errno));
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const std::byte *>(data), size));
}

MappedFile::~MappedFile() {
  if (size)
    ::munmap(const_cast<std::byte *>(data), size);
}

std::shared_ptr<const MappedFile> MappedFile::open(const std::string &path) {
  Descriptor fd(::open(path.c_str(), fileFlags));
  if (fd.get() < 0)
    fail("model file ", quoted(path), ": ", std::strerror(errno));
  return map(fd.get(), "model file " + quoted(path));
}

ModelFolder::ModelFolder(std::string modelPath) : known(!modelPath.empty()) {
  size_t slash = modelPath.rfind('/');
  if (slash == std::string::npos)
    folder = ".";
  else
    folder = slash ? modelPath.substr(0, slash) : "/";
}

std::shared_ptr<const MappedFile> ModelFolder::open(std::string_view name) {
  auto found = files.find(name);
  if (found != files.end())
    return found->second;
  std::string shown = "external data file " + quoted(name);
  if (!known)
    fail(shown, ": the model was given as bytes, so it has no folder to look "
                "in; compile it from its path instead");
  if (const char *reason = refusal(name))
    fail(shown, " is refused: ", reason);
  Descriptor dir(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (dir.get() < 0)
    fail("model folder ", quoted(folder), ": ", std::strerror(errno));
  std::string path(name);
  Descriptor fd = openBeneath(dir.get(), path);
  if (fd.get() < 0 && (errno == ELOOP || errno == EXDEV))
    fail(shown, " is refused: its path leads over a symbolic link or out of "
                "the model's folder");
  if (fd.get() < 0)
    fail(shown, " in ", quoted(folder), ": ", std::strerror(errno));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0)
    fail(shown, ": ", std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    fail(shown, " is refused: it is not a regular file");
  if (info.st_nlink != 1)
    fail(shown, " is refused: it has ", info.st_nlink,
         " hard links, so it may be another folder's file; copy it");
  auto file = MappedFile::map(fd.get(), shown);
  files.emplace(std::move(path), file);
  return file;
}

std::vector<std::string> ModelFolder::opened() const {
  std::vector<std::string> paths;
  for (const auto &[name, file] : files)
    paths.push_back(folder + "/" + name);
  return paths;
}

} // namespace cuvil::onnx
