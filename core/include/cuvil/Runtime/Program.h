// SPDX-License-Identifier: Apache-2.0
// A step program as a description: what the C program builder fills, what is
// saved, and what LoadedProgram makes ready to run.
#ifndef CUVIL_RUNTIME_PROGRAM_H
#define CUVIL_RUNTIME_PROGRAM_H

#include "cuvil/Runtime/Constant.h"
#include "cuvil/Runtime/SizeExpr.h"
#include <memory>
#include <utility>

namespace cuvil {

/// An integer known once an argument is bound or a step has run.
struct ProgramSymbol {
  std::string name;
  int64_t arg = -1; // < 0: bound by steps
  int64_t dim = -1;
};

/// Owns one reference to a constant.
struct ConstantDeleter {
  void operator()(Constant *constant) const { constant->release(); }
};
using ConstantPtr = std::unique_ptr<Constant, ConstantDeleter>;

struct ProgramBuffer {
  int32_t kind = 0; // CUVIL_BUFFER_*
  cuvil_dtype dtype = CUVIL_DTYPE_NONE;
  int64_t index = -1;
  std::vector<SizeExpr> dims;
  SizeExpr bytes; // empty: product of dims times the element size
  ConstantPtr constant;
  std::string name;
};

/// State of a host callback; `release(state)` runs once, at the end.
class HostState {
public:
  HostState() = default;
  HostState(void *state, void (*release)(void *))
      : state(state), release(release) {}
  HostState(HostState &&other) noexcept
      : state(other.state), release(std::exchange(other.release, nullptr)) {}
  HostState &operator=(HostState &&other) noexcept {
    std::swap(state, other.state);
    std::swap(release, other.release);
    return *this;
  }
  ~HostState() {
    if (release)
      release(state);
  }
  void *get() const { return state; }

private:
  void *state = nullptr;
  void (*release)(void *) = nullptr;
};

/// Owns an opaque executable.
struct ExecutableDeleter {
  void operator()(cuvil_executable *executable) const;
};
using ExecutablePtr = std::unique_ptr<cuvil_executable, ExecutableDeleter>;

struct ProgramStep {
  int32_t kind = 0; // CUVIL_STEP_*
  int32_t relation = 0;
  uint32_t kernel = 0;
  uint32_t numWrites = 0;
  std::vector<uint32_t> buffers;
  std::vector<SizeExpr> sizes;
  SizeExpr tiles, scratch;
  std::vector<uint32_t> symbols;
  uint32_t blocks[2] = {0, 0};
  std::string message;
  ExecutablePtr executable;
  cuvil_host_fn host = nullptr;
  HostState hostState;
  std::string location, label;
  SizeExpr flops, bytes;
};

struct ProgramBlock {
  std::vector<ProgramStep> steps;
};

struct ProgramKernel {
  std::string symbol;
  cuvil_kernel_fn function = nullptr; // null: looked up in the library
};

/// Deleted through its base: cuvil_program_t adds nothing.
struct Program {
  virtual ~Program() = default;
  Program() = default;
  Program(Program &&) = default;

  static constexpr uint32_t kInit = 0, kMain = 1;

  std::vector<ProgramSymbol> symbols;
  std::vector<ProgramBuffer> buffers;
  std::vector<ProgramBlock> blocks{2};
  std::vector<ProgramKernel> kernels;
  std::string library;

  /// "'name'" of a buffer, or its kind and number.
  std::string describeBuffer(uint32_t id) const;
  /// Text of an expression in the names of the symbols.
  std::string describe(const SizeExpr &expr) const;
  size_t count(int32_t bufferKind) const;
};

/// Checks everything that running relies on: ids in range, expressions well
/// formed, blocks form a tree, init writes only what it may, nothing is read
/// before it is written on every path.
Status verifyProgram(const Program &program);

/// The C table whose functions build programs.
const cuvil_program_api *getProgramApi();

} // namespace cuvil

/// The builder's handle is the description itself.
struct cuvil_program_t : cuvil::Program {};

#endif // CUVIL_RUNTIME_PROGRAM_H
