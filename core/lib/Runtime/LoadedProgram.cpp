// SPDX-License-Identifier: Apache-2.0
// Loads programs, runs init once, and keeps contexts and plans for calls.
#include "cuvil/Runtime/LoadedProgram.h"
#include "Executor.h"
#include "FileMappings.h"
#include "KernelLibrary.h"
#include "WrappedProgram.h"
#include <algorithm>
#include <sys/mman.h>

namespace cuvil {
namespace {
/// Kept per program: plans of recently seen sizes and contexts of past calls.
constexpr size_t kMaxPlans = 64;
constexpr size_t kMaxContexts = 64;
} // namespace

class ProgramState {
public:
  ProgramState(std::unique_ptr<Program> given, const LoadOptions &options)
      : program(std::move(given)), options(options) {}

  Status load() {
    if (Status s = verifyProgram(*program); s.failed())
      return s;
    if (!program->library.empty()) {
      auto opened = KernelLibrary::open(program->library);
      if (opened.failed())
        return opened.takeError();
      library = std::move(*opened);
    }
    auto built = buildImage(*program, [this](const ProgramKernel &kernel) {
      return kernel.function ? kernel.function : library.find(kernel.symbol);
    });
    if (built.failed())
      return built.takeError();
    image = std::move(*built);
    for (uint32_t i = 0; i < program->symbols.size(); ++i)
      if (program->symbols[i].arg >= 0)
        argumentSymbols.push_back(i);
    invokeLocks = std::make_unique<std::mutex[]>(image.steps.size());
    threads = WorkerPool::getSize();
    if (options.threads)
      threads = std::min(threads, options.threads);
    alignConstants();
    fixed.resize(program->buffers.size());
    for (uint32_t i = 0; i < program->buffers.size(); ++i)
      if (const ConstantPtr &constant = program->buffers[i].constant)
        fixed[i] = const_cast<void *>(constant->getData());
    for (const StepImage *step : image.steps)
      if (step->desc->kind == CUVIL_STEP_INVOKE)
        if (Status s = loadWrapped(step->desc->executable.get(), options);
            s.failed())
          return s;
    if (Status s = runInit(); s.failed())
      return s;
    dropInitConstants();
    return options.preallocate ? preallocate() : Status();
  }

  Status run(const CallArguments &call, const RunOptions &runOptions) {
    std::unique_ptr<Context> context = takeContext();
    Status status = runWith(*context, call, runOptions);
    context->endCall();
    std::lock_guard<std::mutex> lock(contextMutex);
    if (contexts.size() < kMaxContexts)
      contexts.push_back(std::move(context));
    return status;
  }

  std::unique_ptr<Program> program;
  ProgramImage image;
  std::atomic<int64_t> arenaBytes{0};
  int64_t persistentBytes = 0;

private:
  std::unique_ptr<Context> makeContext() {
    auto context = std::make_unique<Context>(*program, image);
    for (uint32_t i = 0; i < fixed.size(); ++i)
      context->pointers[i] = fixed[image.buffers[i].root];
    return context;
  }

  std::unique_ptr<Context> takeContext() {
    {
      std::lock_guard<std::mutex> lock(contextMutex);
      if (!contexts.empty()) {
        std::unique_ptr<Context> context = std::move(contexts.back());
        contexts.pop_back();
        return context;
      }
      contexts.reserve(kMaxContexts);
    }
    return makeContext();
  }

  /// Files hold constants at any offset; kernels want whole elements.
  void alignConstants() {
    for (ProgramBuffer &buffer : program->buffers) {
      if (!buffer.constant)
        continue;
      const Constant &c = *buffer.constant;
      auto address = reinterpret_cast<uintptr_t>(c.getData());
      if (address % getElementSize(buffer.dtype))
        buffer.constant.reset(Constant::copy(c.getDtype(), c.getDims(),
                                             c.getData(), c.getSize()));
    }
  }

  Status runInit() {
    auto plan = makeShapePlan(*program, image, image.sections[0],
                              std::vector<int64_t>(program->symbols.size()));
    if (plan.failed())
      return plan.takeError();
    std::unique_ptr<Context> context = makeContext();
    if (Status s = context->usePlan(*plan, image.sections[0]); s.failed())
      return s;
    ExecutorHooks hooks;
    hooks.threads = threads;
    hooks.invokeLocks = invokeLocks.get();
    hooks.persistent = [&](uint32_t buffer, int64_t bytes) -> void * {
      if (fixed[buffer])
        return fixed[buffer];
      auto memory = std::make_unique<AlignedMemory>();
      if (!memory->reserve(bytes + 64))
        return nullptr;
      fixed[buffer] = memory->data();
      persistentBytes += bytes;
      persistent.push_back(std::move(memory));
      return fixed[buffer];
    };
    Status status =
        Executor(*program, image, image.sections[0], *context, hooks).run();
    baseSymbols = context->symbols;
    return status;
  }

  /// What init has packed or folded is not needed in its old form.
  void dropInitConstants() {
    std::vector<bool> needed(program->buffers.size());
    for (uint32_t step : image.sections[Program::kMain].steps)
      for (uint32_t buffer : image.steps[step]->desc->buffers)
        needed[buffer] = true;
    FileMappings mappings;
    for (uint32_t i = 0; i < needed.size(); ++i) {
      auto &constant = program->buffers[i].constant;
      if (needed[i] || !constant)
        continue;
      returnPages(mappings, constant->getData(), constant->getSize());
      constant.reset();
    }
  }

  /// Gives the memory behind a model file's bytes back; neighbours that are
  /// still needed keep the file mapped, and it can be read again.
  static void returnPages(const FileMappings &mappings, const void *data,
                          uint64_t size) {
    constexpr uint64_t kPage = 4096;
    std::string path;
    uint64_t offset;
    uint64_t begin = (reinterpret_cast<uintptr_t>(data) + kPage - 1) / kPage * kPage;
    uint64_t end = (reinterpret_cast<uintptr_t>(data) + size) / kPage * kPage;
    if (begin < end && mappings.find(data, size, path, offset))
      madvise(reinterpret_cast<void *>(begin), end - begin, MADV_DONTNEED);
  }

  Status preallocate() {
    for (const BufferImage &buffer : image.buffers)
      if (buffer.storage == Storage::Dynamic || !buffer.fixedSize)
        return Status(CUVIL_UNSUPPORTED,
                      "static_batch: a size of this model depends on values "
                      "that are only known while it runs");
    if (!argumentSymbols.empty())
      return Status(CUVIL_UNSUPPORTED,
                    "static_batch: dimension '" +
                        program->symbols[argumentSymbols[0]].name +
                        "' of " + "input " +
                        program->describeBuffer(
                            image.arguments[program
                                                ->symbols[argumentSymbols[0]]
                                                .arg]) +
                        " is not fixed",
                    "", "give every input fixed sizes");
    std::unique_ptr<Context> context = makeContext();
    auto plan = findPlan(*context, baseSymbols);
    if (plan.failed())
      return plan.takeError();
    if (Status s = context->usePlan(*plan, image.sections[1]); s.failed())
      return s;
    int64_t workers = threads > 1 ? WorkerPool::getSize() : 1;
    if (!context->scratch.reserve(((*plan)->scratchBytes + 63) / 64 * 64 *
                                  workers))
      return Status(CUVIL_RESOURCE_EXHAUSTED, "no memory for scratch");
    context->results.reserve(image.results.size());
    context->inputCopies.reserve(image.arguments.size());
    contexts.reserve(kMaxContexts);
    contexts.push_back(std::move(context));
    return {};
  }

  bool matches(const ShapePlan &plan,
               const std::vector<int64_t> &symbols) const {
    return std::all_of(
        argumentSymbols.begin(), argumentSymbols.end(),
        [&](uint32_t i) { return plan.symbols[i] == symbols[i]; });
  }

  StatusOr<std::shared_ptr<const ShapePlan>>
  findPlan(Context &context, const std::vector<int64_t> &symbols) {
    if (context.plan && matches(*context.plan, symbols))
      return context.plan;
    {
      std::lock_guard<std::mutex> lock(planMutex);
      for (const auto &plan : plans)
        if (matches(*plan, symbols))
          return plan;
    }
    auto made = makeShapePlan(*program, image, image.sections[1], symbols);
    if (made.failed())
      return made;
    arenaBytes = (*made)->arenaBytes;
    std::lock_guard<std::mutex> lock(planMutex);
    if (plans.size() == kMaxPlans)
      plans.erase(plans.begin());
    plans.push_back(*made);
    return made;
  }

  Status runWith(Context &context, const CallArguments &call,
                 const RunOptions &runOptions) {
    std::copy(baseSymbols.begin(), baseSymbols.end(),
              context.symbols.begin());
    if (Status s =
            readSymbols(*program, image, call, context.symbols.data());
        s.failed())
      return s;
    auto plan = findPlan(context, context.symbols);
    if (plan.failed())
      return plan.takeError();
    if (Status s = context.usePlan(std::move(*plan), image.sections[1]);
        s.failed())
      return s;
    CallBinding binding(*program, image, context, call);
    if (Status s = binding.bindInputs(); s.failed())
      return s;
    if (Status s = binding.prepareFixedResults(); s.failed())
      return s;
    ExecutorHooks hooks;
    hooks.threads = threads;
    hooks.options = &runOptions;
    hooks.binding = &binding;
    hooks.invokeLocks = invokeLocks.get();
    if (Status s =
            Executor(*program, image, image.sections[1], context, hooks).run();
        s.failed())
      return s;
    binding.finish();
    return {};
  }

  LoadOptions options;
  unsigned threads = 1;
  KernelLibrary library;
  std::vector<uint32_t> argumentSymbols;
  std::vector<int64_t> baseSymbols; // what init has bound
  std::vector<void *> fixed;        // constants and persistent buffers
  std::vector<std::unique_ptr<AlignedMemory>> persistent;
  std::unique_ptr<std::mutex[]> invokeLocks;
  std::mutex planMutex, contextMutex;
  std::vector<std::shared_ptr<const ShapePlan>> plans;
  std::vector<std::unique_ptr<Context>> contexts;
};

LoadedProgram::LoadedProgram() = default;
LoadedProgram::~LoadedProgram() = default;

StatusOr<std::shared_ptr<LoadedProgram>>
LoadedProgram::load(std::unique_ptr<Program> program,
                    const LoadOptions &options) {
  std::shared_ptr<LoadedProgram> loaded(new LoadedProgram);
  loaded->state =
      std::make_unique<ProgramState>(std::move(program), options);
  if (Status s = loaded->state->load(); s.failed())
    return s;
  return loaded;
}

const Program &LoadedProgram::getProgram() const { return *state->program; }
size_t LoadedProgram::getNumInputs() const {
  return state->image.arguments.size();
}
size_t LoadedProgram::getNumOutputs() const {
  return state->image.results.size();
}
const ProgramBuffer &LoadedProgram::getInput(size_t i) const {
  return state->program->buffers[state->image.arguments[i]];
}
const ProgramBuffer &LoadedProgram::getOutput(size_t i) const {
  return state->program->buffers[state->image.results[i]];
}
int64_t LoadedProgram::getArenaBytes() const { return state->arenaBytes; }
int64_t LoadedProgram::getPersistentBytes() const {
  return state->persistentBytes;
}

Status LoadedProgram::run(const cuvil_dl_tensor *const *inputs,
                          size_t numInputs, cuvil_output *outputs,
                          size_t numOutputs, const RunOptions &options) {
  if (options.times) {
    options.times->clear();
    for (const StepImage *step : state->image.steps)
      options.times->push_back({step->desc});
  }
  return state->run({inputs, numInputs, outputs, numOutputs}, options);
}

} // namespace cuvil
