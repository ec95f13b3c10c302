// SPDX-License-Identifier: Apache-2.0
// Numbers expressions, resolves kernels and decides where buffers live.
#include "ProgramImage.h"

namespace cuvil {
namespace {

const SizeExpr kOne = SizeExpr::constant(1);
const SizeExpr kZero = SizeExpr::constant(0);

class Builder {
public:
  Builder(const Program &program,
          const std::function<cuvil_kernel_fn(const ProgramKernel &)> &lookup)
      : p(program), lookup(lookup) {}

  StatusOr<ProgramImage> run() {
    image.buffers.resize(p.buffers.size());
    image.blocks.resize(p.blocks.size());
    writers.resize(p.buffers.size());
    image.arguments.resize(p.count(CUVIL_BUFFER_ARGUMENT));
    image.results.resize(p.count(CUVIL_BUFFER_RESULT));
    for (uint32_t s : {Program::kInit, Program::kMain}) {
      section = &image.sections[s];
      section->block = s;
      section->stepBinds.resize(p.symbols.size());
      if (Status status = addBlock(s, 1); status.failed())
        return status;
    }
    for (const auto &block : image.blocks)
      for (const StepImage &step : block)
        image.steps[step.id] = &step;
    if (Status status = placeBuffers(); status.failed())
      return status;
    for (uint32_t s : {Program::kInit, Program::kMain})
      for (uint32_t id : image.sections[s].steps)
        finishStep(const_cast<StepImage &>(*image.steps[id]), s);
    computeLiveness(p, image);
    return std::move(image);
  }

private:
  uint32_t addSlot(const SizeExpr *expr) {
    image.slots.push_back(expr);
    return image.slots.size() - 1;
  }

  Status addBlock(uint32_t id, uint32_t depth) {
    image.maxDepth = std::max(image.maxDepth, depth);
    std::vector<StepImage> steps;
    for (const ProgramStep &desc : p.blocks[id].steps) {
      StepImage step;
      step.desc = &desc;
      step.id = image.steps.size();
      image.steps.push_back(nullptr);
      section->steps.push_back(step.id);
      if (Status s = addStep(step); s.failed())
        return s;
      steps.push_back(std::move(step));
      if (desc.kind != CUVIL_STEP_IF && desc.kind != CUVIL_STEP_WHILE)
        continue;
      for (uint32_t nested : desc.blocks)
        if (Status s = addBlock(nested, depth + 1); s.failed())
          return s;
    }
    image.blocks[id] = std::move(steps);
    return {};
  }

  Status addStep(StepImage &step) {
    const ProgramStep &desc = *step.desc;
    step.numSizes = desc.sizes.size();
    step.firstSlot = image.slots.size();
    for (const SizeExpr &size : desc.sizes)
      addSlot(&size);
    addSlot(desc.tiles.empty() ? &kOne : &desc.tiles);
    addSlot(desc.scratch.empty() ? &kZero : &desc.scratch);
    addSlot(desc.flops.empty() ? &kZero : &desc.flops);
    addSlot(desc.bytes.empty() ? &kZero : &desc.bytes);
    image.maxOperands =
        std::max<uint32_t>(image.maxOperands, desc.buffers.size());
    for (size_t i = numReads(desc); i < desc.buffers.size(); ++i)
      writers[desc.buffers[i]].push_back(step.id);
    bool main = section->block == Program::kMain;
    for (uint32_t buffer : desc.buffers)
      if (p.buffers[buffer].kind == CUVIL_BUFFER_TEMPORARY)
        image.buffers[buffer].inInit = !main;
    for (uint32_t symbol : desc.symbols) {
      if (p.symbols[symbol].arg >= 0)
        return Status(CUVIL_INVALID_MODEL,
                      "invalid program: a step binds symbol '" +
                          p.symbols[symbol].name +
                          "', which an argument binds",
                      desc.location);
      section->stepBinds[symbol] = true;
    }
    if (desc.kind != CUVIL_STEP_CALL)
      return {};
    step.function = lookup(p.kernels[desc.kernel]);
    if (!step.function)
      return Status(CUVIL_NOT_FOUND,
                    "kernel '" + p.kernels[desc.kernel].symbol +
                        "' is not in the program's library '" + p.library +
                        "'",
                    desc.location);
    return {};
  }

  static size_t numReads(const ProgramStep &desc) {
    bool moves = desc.kind == CUVIL_STEP_COPY || desc.kind == CUVIL_STEP_ALIAS;
    return moves ? 1 : desc.buffers.size() - desc.numWrites;
  }

  bool boundLate(const SizeExpr &expr, const SectionImage &s) const {
    return expr.anySymbol([&](int64_t i) { return s.stepBinds[i]; });
  }

  Status placeBuffers() {
    for (uint32_t id = 0; id < p.buffers.size(); ++id) {
      const ProgramBuffer &desc = p.buffers[id];
      BufferImage &buffer = image.buffers[id];
      buffer.root = id;
      buffer.rank = desc.dims.size();
      buffer.firstDim = image.slots.size();
      for (const SizeExpr &dim : desc.dims)
        addSlot(&dim);
      addSlot(desc.bytes.empty() ? nullptr : &desc.bytes);
      const SectionImage &home =
          image.sections[buffer.inInit ? Program::kInit : Program::kMain];
      for (const SizeExpr &dim : desc.dims)
        buffer.fixedSize &= !boundLate(dim, home);
      buffer.fixedSize &= !boundLate(desc.bytes, home);
      switch (desc.kind) {
      case CUVIL_BUFFER_ARGUMENT:
        buffer.storage = Storage::Argument;
        image.arguments[desc.index] = id;
        for (const SizeExpr &dim : desc.dims)
          if (dim.anySymbol([&](int64_t s) { return p.symbols[s].arg < 0; }))
            return Status(CUVIL_INVALID_MODEL,
                          "invalid program: a size of argument " +
                              p.describeBuffer(id) +
                              " is not bound by arguments");
        break;
      case CUVIL_BUFFER_RESULT:
        buffer.storage = Storage::Result;
        image.results[desc.index] = id;
        break;
      case CUVIL_BUFFER_CONSTANT:
        buffer.storage = Storage::Constant;
        break;
      case CUVIL_BUFFER_PERSISTENT:
        buffer.storage = Storage::Persistent;
        break;
      default:
        buffer.storage = buffer.fixedSize ? Storage::Arena : Storage::Dynamic;
      }
    }
    for (uint32_t id = 0; id < p.buffers.size(); ++id)
      lastWrite.push_back(writers[id].empty() ? 0 : writers[id].back());
    for (StepImage &step : allSteps())
      if (step.desc->kind == CUVIL_STEP_ALIAS)
        step.isView = mergeAlias(step.desc->buffers[0], step.desc->buffers[1],
                                 step.id);
    // Resolve chains of views.
    for (BufferImage &buffer : image.buffers)
      while (image.buffers[buffer.root].root != buffer.root)
        buffer.root = image.buffers[buffer.root].root;
    for (uint32_t id = 0; id < image.buffers.size(); ++id) {
      uint32_t root = image.buffers[id].root;
      Storage bytes = image.buffers[root].storage;
      if (root != id && (bytes == Storage::Argument ||
                         (bytes == Storage::Result &&
                          image.buffers[root].fixedSize)))
        image.borrowedViews.push_back(id);
    }
    return {};
  }

  std::vector<std::reference_wrapper<StepImage>> allSteps() {
    std::vector<std::reference_wrapper<StepImage>> result;
    for (const StepImage *step : image.steps)
      result.push_back(const_cast<StepImage &>(*step));
    return result;
  }

  uint32_t rootOf(uint32_t id) const {
    while (image.buffers[id].root != id)
      id = image.buffers[id].root;
    return id;
  }

  /// Lets `to` live in the bytes of `from`, or `from` in those of a result.
  /// False: the step copies. A buffer that other steps write too keeps bytes
  /// of its own, and so does a view of bytes that are written again later (a
  /// value carried around a loop); dynamic ones get new bytes then.
  bool mergeAlias(uint32_t from, uint32_t to, uint32_t step) {
    uint32_t source = rootOf(from), target = rootOf(to);
    if (writers[to].size() != 1 || source == target)
      return false;
    Storage sourceStorage = image.buffers[source].storage;
    if (sourceStorage != Storage::Dynamic && lastWrite[source] > step)
      return false;
    Storage targetStorage = image.buffers[target].storage;
    if (image.buffers[to].root == to && (targetStorage == Storage::Arena ||
                                         targetStorage == Storage::Dynamic)) {
      image.buffers[to].root = source;
      return true;
    }
    // A temporary that ends as a result is written there from the start.
    if (targetStorage == Storage::Result && target == to &&
        sourceStorage == Storage::Arena && image.buffers[to].fixedSize) {
      image.buffers[source].root = to;
      lastWrite[to] = lastWrite[source];
      return true;
    }
    return false;
  }

  void finishStep(StepImage &step, uint32_t sectionId) {
    const SectionImage &home = image.sections[sectionId];
    for (uint32_t slot = step.firstSlot; slot < step.endSlot(); ++slot)
      step.lateSlots |= boundLate(*image.slots[slot], home);
    const ProgramStep &desc = *step.desc;
    for (size_t i = numReads(desc); i < desc.buffers.size(); ++i) {
      uint32_t id = desc.buffers[i];
      const BufferImage &buffer = image.buffers[id];
      if (!buffer.fixedSize || p.buffers[id].kind == CUVIL_BUFFER_PERSISTENT)
        step.sizeFirst.push_back(id);
    }
  }

  const Program &p;
  const std::function<cuvil_kernel_fn(const ProgramKernel &)> &lookup;
  ProgramImage image;
  SectionImage *section = nullptr;
  std::vector<std::vector<uint32_t>> writers; // step ids per buffer, in order
  std::vector<uint32_t> lastWrite;            // of the bytes, by root
};

std::string explain(SizeExpr::Error error) {
  return error == SizeExpr::Error::Overflow ? "overflows 64 bits"
                                            : "divides by zero";
}

} // namespace

Status sizeBuffer(const Program &program, const ProgramImage &image,
                  uint32_t id, const int64_t *symbols, int64_t *values) {
  const BufferImage &buffer = image.buffers[id];
  const ProgramBuffer &desc = program.buffers[id];
  auto fail = [&](int32_t code, const std::string &what) {
    return Status(code, "the size of " + program.describeBuffer(id) + " " +
                            what);
  };
  int64_t total = getElementSize(desc.dtype);
  bool tooLarge = false, empty = false;
  for (uint32_t d = 0; d < buffer.rank; ++d) {
    int64_t &value = values[buffer.firstDim + d];
    if (auto e = desc.dims[d].evaluate(symbols, value);
        e != SizeExpr::Error::None)
      return fail(CUVIL_INVALID_ARGUMENT, explain(e) + " ('" +
                                              program.describe(desc.dims[d]) +
                                              "' in dim " + std::to_string(d) +
                                              ")");
    if (value < 0)
      return fail(CUVIL_INVALID_ARGUMENT,
                  "is negative: dim " + std::to_string(d) + " is '" +
                      program.describe(desc.dims[d]) + "' = " +
                      std::to_string(value));
    empty |= value == 0;
    tooLarge |= value > kMaxBytes;
    if (!tooLarge && value > 0)
      tooLarge = !mulSizes(total, value, total) || total > kMaxBytes;
  }
  if (empty)
    total = 0;
  if (const SizeExpr *bytes = image.slots[buffer.byteSlot()]) {
    tooLarge = false;
    if (auto e = bytes->evaluate(symbols, total); e != SizeExpr::Error::None)
      return fail(CUVIL_INVALID_ARGUMENT, explain(e));
    if (total < 0)
      return fail(CUVIL_INVALID_ARGUMENT, "is negative");
    tooLarge = total > kMaxBytes;
  }
  if (tooLarge && !empty)
    return fail(CUVIL_RESOURCE_EXHAUSTED,
                "is beyond the limit of 2^46 bytes");
  values[buffer.byteSlot()] = total;
  return {};
}

Status sizeStep(const Program &program, const StepImage &step,
                const ProgramImage &image, const int64_t *symbols,
                int64_t *values) {
  for (uint32_t slot = step.firstSlot; slot < step.endSlot(); ++slot)
    if (auto e = image.slots[slot]->evaluate(symbols, values[slot]);
        e != SizeExpr::Error::None) {
      // What only describes cost must not stop a run.
      if (slot == step.flopsSlot() || slot == step.bytesSlot()) {
        values[slot] = 0;
        continue;
      }
      return Status(CUVIL_INVALID_ARGUMENT,
                    "the size '" + program.describe(*image.slots[slot]) +
                        "' " + explain(e),
                    step.desc->location);
    }
  int64_t tiles = values[step.tilesSlot()];
  int64_t scratch = values[step.scratchSlot()];
  if (tiles < 0 || scratch < 0 || scratch > kMaxBytes)
    return Status(CUVIL_INVALID_ARGUMENT,
                  "a kernel's tile count (" + std::to_string(tiles) +
                      ") or scratch size (" + std::to_string(scratch) +
                      ") is out of range",
                  step.desc->location);
  return {};
}

StatusOr<ProgramImage>
buildImage(const Program &program,
           const std::function<cuvil_kernel_fn(const ProgramKernel &)>
               &lookup) {
  return Builder(program, lookup).run();
}

} // namespace cuvil
