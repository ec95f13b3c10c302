// SPDX-License-Identifier: Apache-2.0
// The step loop: an explicit stack of blocks, one switch over step kinds.
#include "Executor.h"
#include <chrono>
#include <cstring>

namespace cuvil {
namespace {

// Flops plus bytes below which a step, or a whole run, is not worth sharing.
constexpr int64_t kMinStepCost = 50000;
constexpr int64_t kMinRunCost = 400000;

/// The team of the run that this thread leads, for programs inside it.
thread_local TeamLease *outerTeam = nullptr;

/// Lets programs that this thread runs inside use the team.
class LendTeam {
public:
  explicit LendTeam(TeamLease &team)
      : before(std::exchange(outerTeam, team ? &team : outerTeam)) {}
  ~LendTeam() { outerTeam = before; }

private:
  TeamLease *before;
};

/// A kernel and its arguments, as the workers see them.
struct KernelCall {
  cuvil_kernel_fn function;
  void *const *buffers;
  const int64_t *sizes;
  char *scratch;
  int64_t scratchBytes; // per worker

  static int32_t run(void *state, unsigned worker, int64_t begin,
                     int64_t end) {
    const auto &call = *static_cast<KernelCall *>(state);
    cuvil_kernel_args args = {sizeof(cuvil_kernel_args), call.buffers,
                              call.sizes,
                              call.scratch + worker * call.scratchBytes,
                              worker};
    return call.function(&args, begin, end);
  }
};

std::string stepName(const StepImage &step) {
  const ProgramStep &desc = *step.desc;
  if (!desc.label.empty())
    return "'" + desc.label + "'";
  return desc.location.empty()
             ? "step " + std::to_string(step.id)
             : "'" + desc.location.substr(0, desc.location.find('\n')) + "'";
}

const char *explainCode(int32_t code) {
  switch (code) {
  case CUVIL_OUT_OF_RANGE:
    return "an index computed at run time is out of range";
  case CUVIL_ARITHMETIC:
    return "integer division by zero or overflow";
  case CUVIL_INVALID_ARGUMENT:
    return "an operand's value is not valid";
  case CUVIL_RESOURCE_EXHAUSTED:
    return "out of memory";
  default:
    return "the kernel failed";
  }
}

/// Adds a step's time to the instrumented run's table.
class StepTimer {
public:
  StepTimer(const RunOptions *options, uint32_t index) {
    if (options && options->times && index < options->times->size()) {
      time = &(*options->times)[index];
      start = std::chrono::steady_clock::now();
    }
  }
  ~StepTimer() {
    if (!time)
      return;
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    time->seconds += passed.count();
    ++time->calls;
  }
  StepTime *operator->() const { return time; }
  explicit operator bool() const { return time; }

private:
  StepTime *time = nullptr;
  std::chrono::steady_clock::time_point start;
};

} // namespace

Status Executor::run() {
  int64_t workers = hooks.threads > 1 ? WorkerPool::getSize() : 1;
  if (c.plan->scratchBytes > kMaxBytes / workers ||
      !c.scratch.reserve((c.plan->scratchBytes + 63) / 64 * 64 * workers))
    return Status(CUVIL_RESOURCE_EXHAUSTED, "no memory for scratch");
  for (uint32_t i : image.borrowedViews)
    c.pointers[i] = c.pointers[image.buffers[i].root];
  c.frames.clear();
  c.frames.push_back({&image.blocks[section.block], 0, nullptr, false});
  Status status = runBlocks();
  c.frames.clear();
  return status;
}

Status Executor::checkCancelled() const {
  const RunOptions *options = hooks.options;
  if (options && options->cancel &&
      options->cancel->load(std::memory_order_relaxed))
    return Status(CUVIL_CANCELLED, "the run was cancelled");
  return {};
}

Status Executor::readCondition(const StepImage &step, bool &out) const {
  uint32_t id = step.desc->buffers[0];
  if (c.values[image.buffers[id].byteSlot()] != 1)
    return Status(CUVIL_INVALID_ARGUMENT,
                  "the condition " + program.describeBuffer(id) +
                      " must have exactly one element",
                  step.desc->location);
  out = *static_cast<const uint8_t *>(c.pointers[id]);
  return {};
}

Status Executor::runBlocks() {
  while (true) {
    Context::Frame &frame = c.frames.back();
    if (frame.next < frame.block->size()) {
      const StepImage &step = (*frame.block)[frame.next++];
      if (Status s = runStep(step); s.failed())
        return s;
      continue;
    }
    const StepImage *owner = frame.owner;
    bool inCondition = frame.inCondition;
    c.frames.pop_back();
    if (!owner)
      return {};
    if (owner->desc->kind == CUVIL_STEP_WHILE) {
      if (Status s = checkCancelled(); s.failed())
        return s;
      if (!inCondition) {
        enter(*owner, 0);
        continue;
      }
      bool again = false;
      if (Status s = readCondition(*owner, again); s.failed())
        return s;
      if (again) {
        enter(*owner, 1);
        continue;
      }
    }
    finishStep(*owner);
  }
}

Status Executor::runStep(const StepImage &step) {
  if (Status s = checkCancelled(); s.failed())
    return s;
  if (!c.plan->invalid.empty() && c.plan->invalid[step.id])
    return explainInvalid(step);
  if (step.lateSlots || !step.sizeFirst.empty())
    if (Status s = prepare(step); s.failed())
      return s;
  StepTimer timer(hooks.options, step.id);
  Status status;
  switch (step.desc->kind) {
  case CUVIL_STEP_CALL:
    status = call(step);
    if (timer) {
      timer->flops += c.values[step.flopsSlot()];
      timer->bytes += c.values[step.bytesSlot()];
    }
    break;
  case CUVIL_STEP_COPY:
    status = copy(step);
    break;
  case CUVIL_STEP_ALIAS:
    status = alias(step);
    break;
  case CUVIL_STEP_BIND:
    status = bind(step);
    break;
  case CUVIL_STEP_CHECK:
    status = check(step);
    break;
  case CUVIL_STEP_ASSIGN:
    assign(step);
    break;
  case CUVIL_STEP_INVOKE:
  case CUVIL_STEP_HOST:
    status = invoke(step);
    break;
  case CUVIL_STEP_IF: {
    bool taken = false;
    if (Status s = readCondition(step, taken); s.failed())
      return s;
    enter(step, taken ? 0 : 1);
    return {};
  }
  case CUVIL_STEP_WHILE:
    enter(step, 0);
    return {};
  }
  if (status.ok())
    finishStep(step);
  return status;
}

void Executor::finishStep(const StepImage &step) {
  for (uint32_t buffer : step.release)
    c.setBlock(buffer, nullptr);
}

Status Executor::explainInvalid(const StepImage &step) {
  for (uint32_t buffer : step.desc->buffers)
    if (image.buffers[buffer].fixedSize)
      if (Status s = sizeBuffer(program, image, buffer, c.symbols.data(),
                                c.values.data());
          s.failed())
        return Status(s.code(), s.message(), step.desc->location);
  if (Status s = sizeStep(program, step, image, c.symbols.data(),
                          c.values.data());
      s.failed())
    return s;
  return Status(CUVIL_INTERNAL,
                stepName(step) + " looks at a buffer of another size",
                step.desc->location);
}

Status Executor::prepare(const StepImage &step) {
  if (step.lateSlots)
    if (Status s = sizeStep(program, step, image, c.symbols.data(),
                            c.values.data());
        s.failed())
      return s;
  for (uint32_t buffer : step.sizeFirst) {
    Status s = sizeBuffer(program, image, buffer, c.symbols.data(),
                          c.values.data());
    if (s.ok())
      s = allocate(buffer);
    if (s.failed())
      return Status(s.code(), s.message(), step.desc->location);
  }
  return {};
}

Status Executor::allocate(uint32_t id) {
  const BufferImage &buffer = image.buffers[id];
  if (buffer.root != id)
    return {};
  int64_t bytes = c.values[buffer.byteSlot()];
  switch (buffer.storage) {
  case Storage::Result:
    return hooks.binding->prepareResult(program.buffers[id].index);
  case Storage::Persistent:
    c.pointers[id] = hooks.persistent(id, bytes);
    if (!c.pointers[id])
      return Status(CUVIL_RESOURCE_EXHAUSTED,
                    "no memory for " + program.describeBuffer(id));
    return {};
  default: {
    DynamicBlock *held = c.blocks[id];
    // A buffer that several steps fill keeps its bytes; one whose size has
    // changed, or that others still look at, gets new ones.
    if (held && held->references == 1 && held->requested == bytes)
      return {};
    DynamicBlock *block = c.acquireBlock(bytes);
    if (!block)
      return Status(CUVIL_RESOURCE_EXHAUSTED,
                    "no memory for " + program.describeBuffer(id) + " of " +
                        std::to_string(bytes) + " bytes");
    block->requested = bytes;
    c.setBlock(id, block);
    c.pointers[id] = block->memory.data();
    return {};
  }
  }
}

bool Executor::wantsHelpers(const StepImage &step, int64_t tiles) {
  if (tiles < 2 || hooks.threads < 2)
    return false;
  int64_t cost = 0;
  bool known = addSizes(c.values[step.flopsSlot()], c.values[step.bytesSlot()],
                        cost) &&
               cost > 0;
  if (known && cost < kMinStepCost)
    return false;
  if (outerTeam)
    return bool(*outerTeam);
  if (askedForTeam)
    return bool(team);
  if (known && cost < kMinRunCost && c.plan->sharedCost < kMinRunCost)
    return false;
  askedForTeam = true;
  team = WorkerPool::acquire(hooks.threads - 1);
  return bool(team);
}

Status Executor::call(const StepImage &step) {
  const ProgramStep &desc = *step.desc;
  int64_t tiles = c.values[step.tilesSlot()];
  if (tiles == 0)
    return {};
  for (size_t i = 0; i < desc.buffers.size(); ++i)
    c.operands[i] = c.pointers[desc.buffers[i]];
  bool shared = wantsHelpers(step, tiles);
  int64_t scratch = (c.values[step.scratchSlot()] + 63) / 64 * 64;
  unsigned workers = shared ? WorkerPool::getSize() : 1;
  if (scratch && (scratch > kMaxBytes / workers ||
                  !c.scratch.reserve(scratch * workers)))
    return Status(CUVIL_RESOURCE_EXHAUSTED,
                  stepName(step) + ": no memory for scratch", desc.location);
  KernelCall kernel = {step.function, c.operands.data(),
                       &c.values[step.firstSlot], c.scratch.data(), scratch};
  TileWork work = {KernelCall::run, &kernel, tiles};
  int32_t code = shared ? (outerTeam ? *outerTeam : team).run(work)
                        : runAlone(work);
  if (code == 0)
    return {};
  return Status(code, stepName(step) + ": " + explainCode(code),
                desc.location);
}

Status Executor::copy(const StepImage &step) {
  uint32_t from = step.desc->buffers[0], to = step.desc->buffers[1];
  int64_t bytes = c.values[image.buffers[to].byteSlot()];
  if (c.values[image.buffers[from].byteSlot()] != bytes)
    return Status(CUVIL_INTERNAL,
                  "copy of " +
                      std::to_string(
                          c.values[image.buffers[from].byteSlot()]) +
                      " bytes to a buffer of " + std::to_string(bytes),
                  step.desc->location);
  if (bytes && c.pointers[from] != c.pointers[to])
    std::memmove(c.pointers[to], c.pointers[from], bytes);
  return {};
}

Status Executor::alias(const StepImage &step) {
  if (!step.isView)
    return copy(step);
  uint32_t from = step.desc->buffers[0], to = step.desc->buffers[1];
  if (c.values[image.buffers[from].byteSlot()] !=
      c.values[image.buffers[to].byteSlot()])
    return Status(CUVIL_INTERNAL, "a view has another size than its bytes",
                  step.desc->location);
  c.pointers[to] = c.pointers[from];
  DynamicBlock *block = c.blocks[from];
  if (block)
    ++block->references;
  c.setBlock(to, block);
  return {};
}

Status Executor::bind(const StepImage &step) {
  const ProgramStep &desc = *step.desc;
  uint32_t id = desc.buffers[0];
  bool wide = program.buffers[id].dtype == CUVIL_I64;
  size_t count = c.values[image.buffers[id].byteSlot()] / (wide ? 8 : 4);
  if (count < desc.symbols.size())
    return Status(CUVIL_INTERNAL,
                  stepName(step) + ": binds " +
                      std::to_string(desc.symbols.size()) +
                      " symbols from " + std::to_string(count) + " elements",
                  desc.location);
  const char *data = static_cast<const char *>(c.pointers[id]);
  for (size_t i = 0; i < desc.symbols.size(); ++i) {
    int64_t value = 0;
    if (wide) {
      std::memcpy(&value, data + 8 * i, 8);
    } else {
      int32_t narrow;
      std::memcpy(&narrow, data + 4 * i, 4);
      value = narrow;
    }
    c.symbols[desc.symbols[i]] = value;
  }
  return {};
}

Status Executor::check(const StepImage &step) {
  const ProgramStep &desc = *step.desc;
  static const char *const relations[] = {"==", "<=", "<", "== (or 1)"};
  for (uint32_t i = 0; i + 1 < step.numSizes; i += 2) {
    int64_t a = c.values[step.firstSlot + i];
    int64_t b = c.values[step.firstSlot + i + 1];
    bool holds = desc.relation == CUVIL_CHECK_EQ   ? a == b
                 : desc.relation == CUVIL_CHECK_LE ? a <= b
                 : desc.relation == CUVIL_CHECK_LT ? a < b
                                                   : a == b || a == 1;
    if (holds)
      continue;
    // A constant needs no second mention of its value.
    auto side = [&](const SizeExpr &expr, int64_t value) {
      std::string text = program.describe(expr);
      std::string number = std::to_string(value);
      return text == number ? number : text + " (= " + number + ")";
    };
    std::string needed = "needs " + side(desc.sizes[i], a) + " " +
                         relations[desc.relation] + " " +
                         side(desc.sizes[i + 1], b);
    return Status(CUVIL_INVALID_ARGUMENT,
                  desc.message.empty() ? stepName(step) + " " + needed
                                       : desc.message + ": " + needed,
                  desc.location);
  }
  return {};
}

void Executor::assign(const StepImage &step) {
  for (uint32_t i = 0; i < step.numSizes; ++i)
    c.symbols[step.desc->symbols[i]] = c.values[step.firstSlot + i];
}

Status Executor::invoke(const StepImage &step) {
  const ProgramStep &desc = *step.desc;
  size_t n = desc.buffers.size();
  for (size_t i = 0; i < n; ++i) {
    uint32_t id = desc.buffers[i];
    const BufferImage &buffer = image.buffers[id];
    c.tensors[i] = {c.pointers[id],
                    {1, 0},
                    int32_t(buffer.rank),
                    getDlDtype(program.buffers[id].dtype),
                    &c.values[buffer.firstDim],
                    nullptr,
                    0};
    c.tensorPointers[i] = &c.tensors[i];
  }
  Status status = Status::adopt(guardC([&]() -> Status {
    if (desc.kind == CUVIL_STEP_HOST)
      return Status::adopt(
          desc.host(desc.hostState.get(), c.tensorPointers.data(), n));
    const cuvil_executable &executable = *desc.executable;
    std::unique_lock<std::mutex> lock;
    if (!executable.concurrent)
      lock = std::unique_lock(hooks.invokeLocks[step.id]);
    LendTeam lend(team);
    size_t inputs = n - desc.numWrites;
    return Status::adopt(executable.invoke(
        executable.state, c.tensorPointers.data(), inputs,
        c.tensorPointers.data() + inputs, desc.numWrites, nullptr));
  }));
  if (status.ok() || *status.where())
    return status;
  return Status(status.code(), stepName(step) + ": " + status.message(),
                desc.location, status.hint());
}

} // namespace cuvil
