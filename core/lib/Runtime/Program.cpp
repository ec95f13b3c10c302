// SPDX-License-Identifier: Apache-2.0
// The description of a step program and its C builder.
#include "cuvil/Runtime/Program.h"
#include "cuvil/Runtime/LoadedProgram.h"
#include "cuvil/Runtime/StructCopy.h"

namespace cuvil {

void ExecutableDeleter::operator()(cuvil_executable *executable) const {
  if (executable->destroy)
    executable->destroy(executable->state);
}

std::string Program::describeBuffer(uint32_t id) const {
  if (id < buffers.size() && !buffers[id].name.empty())
    return "'" + buffers[id].name + "'";
  return "#" + std::to_string(id);
}

std::string Program::describe(const SizeExpr &expr) const {
  return expr.str([this](int64_t i) {
    return i >= 0 && size_t(i) < symbols.size() ? symbols[i].name
                                                : std::string("?");
  });
}

size_t Program::count(int32_t bufferKind) const {
  size_t n = 0;
  for (const ProgramBuffer &buffer : buffers)
    n += buffer.kind == bufferKind;
  return n;
}

namespace {

std::string text(const char *s) { return s ? s : ""; }

std::vector<SizeExpr> copyExprs(const cuvil_expr *exprs, size_t n) {
  std::vector<SizeExpr> result;
  for (size_t i = 0; i < n; ++i)
    result.push_back(SizeExpr::fromC(exprs[i]));
  return result;
}

cuvil_program *create() {
  try {
    return new cuvil_program_t;
  } catch (...) {
    return nullptr;
  }
}

/// The id of what `add` appends; without memory an id that no check accepts.
template <typename Add> uint32_t guardId(Add add) noexcept {
  try {
    return add();
  } catch (...) {
    return UINT32_MAX;
  }
}

void destroy(cuvil_program *program) { delete program; }

uint32_t addSymbol(cuvil_program *program, const char *name, int64_t arg,
                   int64_t dim) {
  return guardId([&] {
    program->symbols.push_back({text(name), arg, dim});
    return program->symbols.size() - 1;
  });
}

uint32_t addBuffer(cuvil_program *program, const cuvil_buffer_desc *given) {
  auto desc = zeroExtended(*given);
  ConstantPtr constant(
      static_cast<Constant *>(const_cast<void *>(desc.constant)));
  return guardId([&] {
    ProgramBuffer buffer;
    buffer.kind = desc.kind;
    buffer.dtype = desc.dtype;
    buffer.index = desc.index;
    buffer.dims = copyExprs(desc.dims, desc.rank);
    buffer.bytes = SizeExpr::fromC(desc.bytes);
    buffer.constant = std::move(constant);
    buffer.name = text(desc.name);
    program->buffers.push_back(std::move(buffer));
    return program->buffers.size() - 1;
  });
}

uint32_t addBlock(cuvil_program *program) {
  return guardId([&] {
    program->blocks.emplace_back();
    return program->blocks.size() - 1;
  });
}

uint32_t addKernel(cuvil_program *program, const char *symbol,
                   cuvil_kernel_fn function) {
  return guardId([&] {
    program->kernels.push_back({text(symbol), function});
    return program->kernels.size() - 1;
  });
}

cuvil_status *addStep(cuvil_program *program, uint32_t block,
                      const cuvil_step_desc *given) {
  auto desc = zeroExtended(*given);
  // Owned parts first: they are moved even when the step is refused.
  ProgramStep step;
  step.executable.reset(desc.executable);
  step.hostState = HostState(desc.host_state, desc.host_release);
  return guardC([&]() -> Status {
    if (block >= program->blocks.size())
      return Status(CUVIL_INVALID_ARGUMENT,
                    "add_step: block " + std::to_string(block) +
                        " does not exist; the program has " +
                        std::to_string(program->blocks.size()));
    step.kind = desc.kind;
    step.relation = desc.relation;
    step.kernel = desc.kernel;
    step.numWrites = desc.num_writes;
    if (desc.num_buffers)
      step.buffers.assign(desc.buffers, desc.buffers + desc.num_buffers);
    step.sizes = copyExprs(desc.sizes, desc.num_sizes);
    step.tiles = SizeExpr::fromC(desc.tiles);
    step.scratch = SizeExpr::fromC(desc.scratch);
    if (desc.num_symbols)
      step.symbols.assign(desc.symbols, desc.symbols + desc.num_symbols);
    step.blocks[0] = desc.blocks[0];
    step.blocks[1] = desc.blocks[1];
    step.message = text(desc.message);
    step.host = desc.host;
    step.location = text(desc.location);
    step.label = text(desc.label);
    step.flops = SizeExpr::fromC(desc.flops);
    step.bytes = SizeExpr::fromC(desc.bytes);
    program->blocks[block].steps.push_back(std::move(step));
    return {};
  });
}

cuvil_status *setLibrary(cuvil_program *program, const char *path) {
  return guardC([&]() -> Status {
    if (!path || !*path)
      return Status(CUVIL_INVALID_ARGUMENT, "set_library: empty path");
    program->library = path;
    return {};
  });
}

cuvil_status *toExecutable(cuvil_program *program, cuvil_executable **out) {
  std::unique_ptr<Program> owned(program);
  return guardC([&]() -> Status {
    if (Status s = verifyProgram(*owned); s.failed())
      return s;
    *out = wrapProgram(std::move(owned)).release();
    return {};
  });
}

} // namespace

const cuvil_program_api *getProgramApi() {
  static const cuvil_program_api api = {
      sizeof(cuvil_program_api), create,     destroy,
      addSymbol,                 addBuffer,  addBlock,
      addKernel,                 addStep,    setLibrary,
      toExecutable};
  return &api;
}

} // namespace cuvil
