// SPDX-License-Identifier: Apache-2.0
// Runs lld in the process, on files in a private temporary folder.
#include "Linker.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace cuvil::x86;

/// A folder that only this user can read; removed with its content.
namespace {
class PrivateFolder {
public:
  static llvm::Expected<PrivateFolder> create() {
    llvm::SmallString<128> name;
    llvm::sys::path::system_temp_directory(/*ErasedOnReboot=*/true, name);
    llvm::sys::path::append(name, "cuvil-link-XXXXXX");
    // mkdtemp gives mode 0700, which createUniqueDirectory does not promise.
    if (!::mkdtemp(const_cast<char *>(name.c_str())))
      return llvm::createStringError(
          std::error_code(errno, std::generic_category()),
          "cannot create a temporary folder '" + name.str() + "'");
    return PrivateFolder(name.str().str());
  }
  PrivateFolder(PrivateFolder &&other) : path(std::move(other.path)) {
    other.path.clear();
  }
  ~PrivateFolder() {
    if (!path.empty())
      llvm::sys::fs::remove_directories(path);
  }
  std::string file(const llvm::Twine &name) const {
    return (path + "/" + name).str();
  }

private:
  explicit PrivateFolder(std::string path) : path(std::move(path)) {}
  std::string path;
};
} // namespace

/// The file that holds a function of this process.
static llvm::Expected<std::string> libraryOf(void *function,
                                             llvm::StringRef what) {
  Dl_info info;
  if (!::dladdr(function, &info) || !info.dli_fname)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "cannot find the file of " + what +
                                       " in this process");
  return std::string(info.dli_fname);
}

llvm::Expected<std::string>
cuvil::x86::linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects) {
  // Taking the address through the loader finds the library even where the
  // host program has its own stub for the function.
  auto libm = libraryOf(::dlsym(RTLD_DEFAULT, "powf"), "libm");
  if (!libm)
    return libm.takeError();
  auto libc = libraryOf(::dlsym(RTLD_DEFAULT, "malloc_usable_size"), "libc");
  if (!libc)
    return libc.takeError();
  auto folder = PrivateFolder::create();
  if (!folder)
    return folder.takeError();

  llvm::SmallVector<std::string> storage = {
      "ld.lld",      "-shared",          "--no-undefined", "-z", "now", "-z",
      "noexecstack", "--hash-style=gnu", "--build-id=none"};
  for (auto [index, object] : llvm::enumerate(objects)) {
    std::string path = folder->file(llvm::Twine(index) + ".o");
    std::error_code error;
    llvm::raw_fd_ostream os(path, error, llvm::sys::fs::CD_CreateNew);
    if (!error) {
      os << object;
      os.close();
      error = os.error();
      os.clear_error();
    }
    if (error)
      return llvm::createStringError(error, "cannot write '" + path + "'");
    storage.push_back(path);
  }
  std::string output = folder->file("out.so");
  storage.insert(storage.end(), {"-o", output, *libm, *libc});

  llvm::SmallVector<const char *> args;
  for (const std::string &arg : storage)
    args.push_back(arg.c_str());

  std::string messages;
  llvm::raw_string_ostream os(messages);
  static std::mutex mutex;
  static bool broken = false;
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (broken)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "the linker failed earlier in this process and cannot run again");
    lld::Result result =
        lld::lldMain(args, os, os, {{lld::Gnu, &lld::elf::link}});
    broken = !result.canRunAgain;
    if (result.retCode != 0)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "linking a kernel failed: " + messages);
  }
  auto buffer = llvm::MemoryBuffer::getFile(output);
  if (!buffer)
    return llvm::createStringError(buffer.getError(),
                                   "cannot read the linked kernel");
  return (*buffer)->getBuffer().str();
}
