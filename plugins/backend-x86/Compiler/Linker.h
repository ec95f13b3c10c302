// SPDX-License-Identifier: Apache-2.0
// Turns relocatable objects into a shared object without a system linker.
#ifndef CUVIL_BACKEND_X86_LINKER_H
#define CUVIL_BACKEND_X86_LINKER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace cuvil::x86 {

/// Links ELF objects (their bytes, not paths) into a shared object and returns
/// its bytes. Functions of libm and libc are bound to the libraries of this
/// process; any other undefined symbol is an error. Thread-safe: links run one
/// at a time because lld keeps global state.
llvm::Expected<std::string>
linkSharedObject(llvm::ArrayRef<llvm::StringRef> objects);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_LINKER_H
