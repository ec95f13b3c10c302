// SPDX-License-Identifier: Apache-2.0
// Loading of programs inside programs.
#ifndef CUVIL_LIB_RUNTIME_WRAPPEDPROGRAM_H
#define CUVIL_LIB_RUNTIME_WRAPPEDPROGRAM_H

#include "cuvil/Runtime/LoadedProgram.h"

namespace cuvil {

/// Loads the program inside an executable of wrapProgram; does nothing for
/// any other executable.
Status loadWrapped(const cuvil_executable *executable,
                   const LoadOptions &options);

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_WRAPPEDPROGRAM_H
