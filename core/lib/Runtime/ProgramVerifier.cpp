// SPDX-License-Identifier: Apache-2.0
// Checks a program before anything is computed from it.
#include "cuvil/Runtime/Tensor.h"
#include "cuvil/Runtime/Program.h"

namespace cuvil {
namespace {

constexpr size_t kMaxRank = 64;
constexpr int kMaxBlockDepth = 64;

/// What has a value at a point of the program, on every path.
struct Known {
  std::vector<bool> buffers, symbols;

  void intersect(const Known &other) {
    for (size_t i = 0; i < buffers.size(); ++i)
      buffers[i] = buffers[i] && other.buffers[i];
    for (size_t i = 0; i < symbols.size(); ++i)
      symbols[i] = symbols[i] && other.symbols[i];
  }
};

class Verifier {
public:
  explicit Verifier(const Program &program)
      : p(program), blockSeen(program.blocks.size()),
        usedBy(program.buffers.size(), -1) {}

  Status run() {
    if (Status s = checkBuffers(); s.failed())
      return s;
    if (Status s = checkSymbols(); s.failed())
      return s;
    if (p.blocks.size() < 2)
      return invalid("the program has no init and main block");
    Known known;
    known.buffers.resize(p.buffers.size());
    known.symbols.resize(p.symbols.size());
    for (size_t i = 0; i < p.buffers.size(); ++i)
      known.buffers[i] = p.buffers[i].kind == CUVIL_BUFFER_CONSTANT;
    if (Status s = checkBlock(Program::kInit, known, 0); s.failed())
      return s;
    for (size_t i = 0; i < p.buffers.size(); ++i)
      if (p.buffers[i].kind == CUVIL_BUFFER_ARGUMENT)
        known.buffers[i] = true;
      else if (p.buffers[i].kind == CUVIL_BUFFER_TEMPORARY)
        known.buffers[i] = false;
    for (size_t i = 0; i < p.symbols.size(); ++i)
      if (p.symbols[i].arg >= 0)
        known.symbols[i] = true;
    inMain = true;
    if (Status s = checkBlock(Program::kMain, known, 0); s.failed())
      return s;
    for (size_t i = 0; i < p.buffers.size(); ++i)
      if (p.buffers[i].kind == CUVIL_BUFFER_RESULT && !known.buffers[i])
        return invalid("result " + p.describeBuffer(i) +
                       " is not written on every path");
    return {};
  }

private:
  static Status invalid(const std::string &what,
                        const std::string &where = "") {
    return Status(CUVIL_INVALID_MODEL, "invalid program: " + what, where);
  }
  Status invalid(const ProgramStep &step, const std::string &what) const {
    std::string name = step.label.empty() ? "" : " of '" + step.label + "'";
    return invalid("step" + name + ": " + what, step.location);
  }

  Status checkBuffers() {
    for (int32_t kind : {CUVIL_BUFFER_ARGUMENT, CUVIL_BUFFER_RESULT}) {
      std::vector<bool> seen(p.count(kind));
      for (size_t i = 0; i < p.buffers.size(); ++i) {
        const ProgramBuffer &b = p.buffers[i];
        if (b.kind != kind)
          continue;
        if (b.index < 0 || size_t(b.index) >= seen.size() || seen[b.index])
          return invalid("arguments and results must be numbered 0, 1, ...; "
                         "buffer " +
                         p.describeBuffer(i) + " has number " +
                         std::to_string(b.index));
        seen[b.index] = true;
      }
    }
    for (size_t i = 0; i < p.buffers.size(); ++i) {
      const ProgramBuffer &b = p.buffers[i];
      std::string name = "buffer " + p.describeBuffer(i);
      if (b.kind < CUVIL_BUFFER_ARGUMENT || b.kind > CUVIL_BUFFER_PERSISTENT)
        return invalid(name + " has unknown kind " + std::to_string(b.kind));
      if (getElementSize(b.dtype) == 0)
        return invalid(name + " has unknown element type " +
                       std::to_string(b.dtype));
      if (b.dims.size() > kMaxRank)
        return invalid(name + " has rank " + std::to_string(b.dims.size()) +
                       "; at most 64 is supported");
      for (const SizeExpr &dim : b.dims)
        if (!dim.isValid(p.symbols.size()))
          return invalid(name + " has a malformed size expression");
      if (!b.bytes.empty() && !b.bytes.isValid(p.symbols.size()))
        return invalid(name + " has a malformed byte size");
      if (b.kind == CUVIL_BUFFER_CONSTANT)
        if (Status s = checkConstant(b, name); s.failed())
          return s;
    }
    return {};
  }

  Status checkConstant(const ProgramBuffer &b, const std::string &name) {
    if (!b.constant)
      return invalid(name + " is a constant without bytes");
    int64_t size = getElementSize(b.dtype);
    auto any = [](int64_t) { return true; };
    for (const SizeExpr &dim : b.dims) {
      int64_t extent;
      if (dim.anySymbol(any) ||
          dim.evaluate(nullptr, extent) != SizeExpr::Error::None ||
          extent < 0 || !mulSizes(size, extent, size) || size > kMaxBytes)
        return invalid(name + " is a constant without a fixed, valid size");
    }
    if (!b.bytes.empty() &&
        (b.bytes.anySymbol(any) ||
         b.bytes.evaluate(nullptr, size) != SizeExpr::Error::None))
      return invalid(name + " is a constant without a fixed, valid size");
    if (size < 0 || size_t(size) != b.constant->getSize())
      return invalid(name + " needs " + std::to_string(size) +
                     " bytes, its constant has " +
                     std::to_string(b.constant->getSize()));
    return {};
  }

  Status checkSymbols() {
    std::vector<size_t> ranks(p.count(CUVIL_BUFFER_ARGUMENT));
    for (const ProgramBuffer &b : p.buffers)
      if (b.kind == CUVIL_BUFFER_ARGUMENT)
        ranks[b.index] = b.dims.size();
    for (const ProgramSymbol &s : p.symbols)
      if (s.arg >= 0 && (size_t(s.arg) >= ranks.size() || s.dim < 0 ||
                         size_t(s.dim) >= ranks[s.arg]))
        return invalid("symbol '" + s.name +
                       "' is bound to a dimension that does not exist");
    return {};
  }

  Status checkExpr(const ProgramStep &step, const SizeExpr &expr,
                   const Known &known, const char *what) {
    if (expr.empty())
      return {};
    if (!expr.isValid(p.symbols.size()))
      return invalid(step, std::string("malformed ") + what + " expression");
    if (expr.anySymbol([&](int64_t s) { return !known.symbols[s]; }))
      return invalid(step, std::string(what) + " '" + p.describe(expr) +
                               "' uses a symbol that is not bound yet");
    return {};
  }

  Status checkTouched(const ProgramStep &step, uint32_t id,
                      const Known &known) {
    const ProgramBuffer &b = p.buffers[id];
    for (const SizeExpr &dim : b.dims)
      if (Status s = checkExpr(step, dim, known, "size"); s.failed())
        return s;
    if (Status s = checkExpr(step, b.bytes, known, "byte size"); s.failed())
      return s;
    if (b.kind == CUVIL_BUFFER_TEMPORARY) {
      if (usedBy[id] == int(!inMain))
        return invalid(step, "temporary " + p.describeBuffer(id) +
                                 " is used by init and by main");
      usedBy[id] = inMain;
    }
    if (!inMain && (b.kind == CUVIL_BUFFER_ARGUMENT ||
                    b.kind == CUVIL_BUFFER_RESULT))
      return invalid(step, "init uses " + p.describeBuffer(id) +
                               ", which only exists during a call");
    return {};
  }

  Status checkRead(const ProgramStep &step, uint32_t id, const Known &known) {
    if (!known.buffers[id])
      return invalid(step, "reads " + p.describeBuffer(id) +
                               " before it is written");
    return checkTouched(step, id, known);
  }

  Status checkWrite(const ProgramStep &step, uint32_t id, Known &known) {
    const ProgramBuffer &b = p.buffers[id];
    if (b.kind == CUVIL_BUFFER_ARGUMENT || b.kind == CUVIL_BUFFER_CONSTANT)
      return invalid(step, "writes " + p.describeBuffer(id) +
                               ", which is read-only");
    if (b.kind == CUVIL_BUFFER_PERSISTENT && inMain)
      return invalid(step, "main writes the persistent buffer " +
                               p.describeBuffer(id));
    if (Status s = checkTouched(step, id, known); s.failed())
      return s;
    known.buffers[id] = true;
    return {};
  }

  /// Number of buffers the kind takes; -1 = any.
  static int operandCount(int32_t kind) {
    switch (kind) {
    case CUVIL_STEP_COPY:
    case CUVIL_STEP_ALIAS:
      return 2;
    case CUVIL_STEP_BIND:
    case CUVIL_STEP_IF:
    case CUVIL_STEP_WHILE:
      return 1;
    case CUVIL_STEP_CHECK:
    case CUVIL_STEP_ASSIGN:
      return 0;
    default:
      return -1;
    }
  }

  Status checkForm(const ProgramStep &step) {
    int operands = operandCount(step.kind);
    if (operands >= 0 && step.buffers.size() != size_t(operands))
      return invalid(step, "takes " + std::to_string(operands) +
                               " buffers, has " +
                               std::to_string(step.buffers.size()));
    for (uint32_t id : step.buffers)
      if (id >= p.buffers.size())
        return invalid(step, "names a buffer that does not exist");
    for (uint32_t id : step.symbols)
      if (id >= p.symbols.size())
        return invalid(step, "names a symbol that does not exist");
    if (step.numWrites > step.buffers.size())
      return invalid(step, "writes more buffers than it has");
    switch (step.kind) {
    case CUVIL_STEP_CALL:
      if (step.kernel >= p.kernels.size())
        return invalid(step, "names a kernel that does not exist");
      return {};
    case CUVIL_STEP_COPY:
    case CUVIL_STEP_ALIAS:
      return {};
    case CUVIL_STEP_BIND:
      if (p.buffers[step.buffers[0]].dtype != CUVIL_I64 &&
          p.buffers[step.buffers[0]].dtype != CUVIL_I32)
        return invalid(step, "binds symbols from a buffer that is not i64 or "
                             "i32");
      return {};
    case CUVIL_STEP_CHECK:
      if (step.sizes.size() % 2 || step.relation < CUVIL_CHECK_EQ ||
          step.relation > CUVIL_CHECK_BCAST)
        return invalid(step, "malformed check");
      return {};
    case CUVIL_STEP_IF:
    case CUVIL_STEP_WHILE:
      if (p.buffers[step.buffers[0]].dtype != CUVIL_BOOL)
        return invalid(step, "the condition is not a bool");
      return {};
    case CUVIL_STEP_INVOKE:
      if (!step.executable || !step.executable->invoke)
        return invalid(step, "has no executable");
      return {};
    case CUVIL_STEP_HOST:
      if (!step.host)
        return invalid(step, "has no callback");
      return {};
    case CUVIL_STEP_ASSIGN:
      if (step.symbols.size() != step.sizes.size())
        return invalid(step, "assigns " + std::to_string(step.sizes.size()) +
                                 " values to " +
                                 std::to_string(step.symbols.size()) +
                                 " symbols");
      return {};
    default:
      return invalid(step, "unknown kind " + std::to_string(step.kind));
    }
  }

  Status checkStep(const ProgramStep &step, Known &known, int depth) {
    if (Status s = checkForm(step); s.failed())
      return s;
    for (const SizeExpr &size : step.sizes) {
      if (size.empty())
        return invalid(step, "empty size expression");
      if (Status s = checkExpr(step, size, known, "size"); s.failed())
        return s;
    }
    for (const SizeExpr *expr :
         {&step.tiles, &step.scratch, &step.flops, &step.bytes})
      if (Status s = checkExpr(step, *expr, known, "cost"); s.failed())
        return s;
    if (step.kind == CUVIL_STEP_WHILE)
      return checkWhile(step, known, depth);

    size_t writes = step.kind == CUVIL_STEP_COPY || step.kind == CUVIL_STEP_ALIAS
                        ? 1
                        : step.numWrites;
    size_t reads = step.buffers.size() - writes;
    for (size_t i = 0; i < reads; ++i)
      if (Status s = checkRead(step, step.buffers[i], known); s.failed())
        return s;
    for (size_t i = reads; i < step.buffers.size(); ++i)
      if (Status s = checkWrite(step, step.buffers[i], known); s.failed())
        return s;
    for (uint32_t symbol : step.symbols)
      known.symbols[symbol] = true;
    if (step.kind != CUVIL_STEP_IF)
      return {};
    Known other = known;
    if (Status s = checkBlock(step.blocks[0], known, depth + 1, &step);
        s.failed())
      return s;
    if (Status s = checkBlock(step.blocks[1], other, depth + 1, &step);
        s.failed())
      return s;
    known.intersect(other);
    return {};
  }

  Status checkWhile(const ProgramStep &step, Known &known, int depth) {
    if (Status s = checkBlock(step.blocks[0], known, depth + 1, &step);
        s.failed())
      return s;
    if (Status s = checkRead(step, step.buffers[0], known); s.failed())
      return s;
    // The body may not run at all.
    Known body = known;
    return checkBlock(step.blocks[1], body, depth + 1, &step);
  }

  Status checkBlock(uint32_t id, Known &known, int depth,
                    const ProgramStep *owner = nullptr) {
    if (owner && (id < 2 || id >= p.blocks.size() || blockSeen[id]))
      return invalid(*owner, "block " + std::to_string(id) +
                                 " does not exist or is used twice");
    if (depth > kMaxBlockDepth)
      return invalid(*owner, "blocks are nested more than 64 deep");
    blockSeen[id] = true;
    for (const ProgramStep &step : p.blocks[id].steps)
      if (Status s = checkStep(step, known, depth); s.failed())
        return s;
    return {};
  }

  const Program &p;
  std::vector<bool> blockSeen;
  std::vector<int> usedBy; // of a temporary: 0 init, 1 main
  bool inMain = false;
};

} // namespace

Status verifyProgram(const Program &program) {
  return Verifier(program).run();
}

} // namespace cuvil
