// SPDX-License-Identifier: Apache-2.0
// A program as an executable that another program invokes.
#include "WrappedProgram.h"
#include <array>

namespace cuvil {
namespace {

struct Wrapped {
  cuvil_executable executable = {};
  /// Until it is loaded, the description.
  std::unique_ptr<Program> program;
  std::shared_ptr<LoadedProgram> loaded;
};

cuvil_status *invokeWrapped(void *state, cuvil_dl_tensor *const *inputs,
                            size_t numInputs, cuvil_dl_tensor *const *outputs,
                            size_t numOutputs, void *) {
  return guardC([&]() -> Status {
    LoadedProgram *program = static_cast<Wrapped *>(state)->loaded.get();
    if (!program)
      return Status(CUVIL_FAILED_PRECONDITION, "the program is not loaded");
    std::array<cuvil_output, 16> few;
    std::vector<cuvil_output> many(numOutputs > few.size() ? numOutputs : 0);
    cuvil_output *out = many.empty() ? few.data() : many.data();
    for (size_t i = 0; i < numOutputs; ++i)
      out[i] = {sizeof(cuvil_output), *outputs[i], nullptr, nullptr};
    return program->run(inputs, numInputs, out, numOutputs);
  });
}

void destroyWrapped(void *state) { delete static_cast<Wrapped *>(state); }

Wrapped *getWrapped(const cuvil_executable *executable) {
  if (!executable || executable->invoke != invokeWrapped)
    return nullptr;
  return static_cast<Wrapped *>(executable->state);
}

} // namespace

ExecutablePtr wrapProgram(std::unique_ptr<Program> program) {
  auto *wrapped = new Wrapped;
  wrapped->program = std::move(program);
  wrapped->executable = {sizeof(cuvil_executable), wrapped,        1, 0,
                         invokeWrapped,            destroyWrapped, nullptr};
  return ExecutablePtr(&wrapped->executable);
}

const Program *getWrappedProgram(const cuvil_executable *executable) {
  Wrapped *wrapped = getWrapped(executable);
  if (!wrapped)
    return nullptr;
  return wrapped->loaded ? &wrapped->loaded->getProgram()
                         : wrapped->program.get();
}

Status loadWrapped(const cuvil_executable *executable,
                   const LoadOptions &options) {
  Wrapped *wrapped = getWrapped(executable);
  if (!wrapped || wrapped->loaded)
    return {};
  auto loaded = LoadedProgram::load(std::move(wrapped->program), options);
  if (loaded.failed())
    return loaded.takeError();
  wrapped->loaded = std::move(*loaded);
  return {};
}

} // namespace cuvil
