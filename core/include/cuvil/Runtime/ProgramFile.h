// SPDX-License-Identifier: Apache-2.0
// Programs as bytes: what the compile cache keeps.
#ifndef CUVIL_RUNTIME_PROGRAMFILE_H
#define CUVIL_RUNTIME_PROGRAMFILE_H

#include "cuvil/Runtime/MappedFile.h"
#include "cuvil/Runtime/Program.h"

namespace cuvil {

/// A saved program and the report made with it.
struct SavedProgram {
  std::unique_ptr<Program> program;
  std::string report;
};

/// Writes program and report. Constants whose bytes are mapped from a file (or
/// say where they also lie) are written as references, those in `modelPath`
/// without its name and state, which the reader vouches for; the others
/// inline. `sideFiles` must be unchanged when it is read. Fails for what cannot
/// be written: kernels by pointer, host callbacks, opaque executables.
StatusOr<std::string>
writeProgram(const Program &program, const std::string &report,
             const std::string &modelPath,
             const std::vector<std::string> &sideFiles = {});

/// Reads what writeProgram wrote. Everything is checked before use: digest,
/// bounds, the state of the files referred to, the kernel library's bytes (the
/// program itself is verified when it is loaded). Constants keep `file` (or the
/// model) mapped.
StatusOr<SavedProgram> readProgram(const std::shared_ptr<MappedFile> &file,
                                   const std::string &modelPath);

} // namespace cuvil

#endif // CUVIL_RUNTIME_PROGRAMFILE_H
