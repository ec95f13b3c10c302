// SPDX-License-Identifier: Apache-2.0
// The shared object that holds a program's native kernels.
#ifndef CUVIL_LIB_RUNTIME_KERNELLIBRARY_H
#define CUVIL_LIB_RUNTIME_KERNELLIBRARY_H

#include "cuvil/Runtime/Status.h"

namespace cuvil {

class KernelLibrary {
public:
  KernelLibrary() = default;
  KernelLibrary(KernelLibrary &&other) noexcept
      : handle(std::exchange(other.handle, nullptr)) {}
  KernelLibrary &operator=(KernelLibrary &&other) noexcept {
    std::swap(handle, other.handle);
    return *this;
  }
  ~KernelLibrary();

  static StatusOr<KernelLibrary> open(const std::string &path);
  /// Null when the library has no such symbol.
  cuvil_kernel_fn find(const std::string &symbol) const;

private:
  void *handle = nullptr;
};

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_KERNELLIBRARY_H
