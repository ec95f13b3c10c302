// SPDX-License-Identifier: Apache-2.0
// Opens kernel libraries and finds their functions.
#include "KernelLibrary.h"
#include <dlfcn.h>

namespace cuvil {

KernelLibrary::~KernelLibrary() {
  if (handle)
    dlclose(handle);
}

StatusOr<KernelLibrary> KernelLibrary::open(const std::string &path) {
  KernelLibrary library;
  // A name without a slash would be searched for elsewhere.
  if (path.empty() || path[0] != '/')
    return Status(CUVIL_INVALID_ARGUMENT,
                  "the kernel library '" + path + "' is not an absolute path");
  library.handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library.handle) {
    const char *reason = dlerror();
    return Status(CUVIL_IO_ERROR, std::string("cannot open kernel library: ") +
                                      (reason ? reason : path.c_str()));
  }
  return library;
}

cuvil_kernel_fn KernelLibrary::find(const std::string &symbol) const {
  if (!handle || symbol.empty())
    return nullptr;
  return reinterpret_cast<cuvil_kernel_fn>(dlsym(handle, symbol.c_str()));
}

} // namespace cuvil
