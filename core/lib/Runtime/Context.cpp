// SPDX-License-Identifier: Apache-2.0
// Memory of one call at a time.
#include "Context.h"
#include <cstdlib>

namespace cuvil {
namespace {
/// Blocks kept between calls; what is beyond is given back.
constexpr size_t kMaxFreeBlocks = 64;
} // namespace

AlignedMemory::~AlignedMemory() { std::free(bytes); }

bool AlignedMemory::reserve(size_t size) {
  if (size <= capacity)
    return true;
  std::free(bytes);
  capacity = (size + 63) / 64 * 64;
  bytes = static_cast<char *>(std::aligned_alloc(64, capacity));
  if (!bytes)
    capacity = 0;
  return bytes;
}

Context::Context(const Program &program, const ProgramImage &image)
    : symbols(program.symbols.size()), values(image.slots.size()),
      pointers(image.buffers.size()), blocks(image.buffers.size()),
      operands(image.maxOperands), tensors(image.maxOperands),
      tensorPointers(image.maxOperands), image(image) {
  frames.reserve(image.maxDepth);
  assigned.reserve(program.symbols.size());
}

Status Context::usePlan(std::shared_ptr<const ShapePlan> next,
                        const SectionImage &section) {
  if (next == plan) {
    for (size_t i = 0; i < symbols.size(); ++i)
      symbols[i] = plan->symbols[i];
    return {};
  }
  if (!arena.reserve(next->arenaBytes + 64)) {
    plan = nullptr;
    return Status(CUVIL_RESOURCE_EXHAUSTED,
                  "no memory for " + std::to_string(next->arenaBytes) +
                      " bytes of temporaries");
  }
  plan = std::move(next);
  symbols = plan->symbols;
  std::copy(plan->values.begin(), plan->values.end(), values.begin());
  for (size_t i = 0; i < section.arena.size(); ++i)
    pointers[section.arena[i].buffer] = arena.data() + plan->offsets[i];
  for (size_t i = 0; i < image.buffers.size(); ++i)
    if (image.buffers[i].root != i &&
        image.buffers[image.buffers[i].root].storage == Storage::Arena)
      pointers[i] = pointers[image.buffers[i].root];
  return {};
}

DynamicBlock *Context::acquireBlock(size_t size) {
  size_t best = freeBlocks.size();
  for (size_t i = 0; i < freeBlocks.size(); ++i) {
    size_t capacity = freeBlocks[i]->capacity;
    // A much larger block is left for who needs it.
    if (capacity >= size && capacity / 4 <= size + 4096 &&
        (best == freeBlocks.size() || capacity < freeBlocks[best]->capacity))
      best = i;
  }
  DynamicBlock *block;
  if (best < freeBlocks.size()) {
    block = freeBlocks[best];
    freeBlocks[best] = freeBlocks.back();
    freeBlocks.pop_back();
  } else {
    auto fresh = std::make_unique<DynamicBlock>();
    if (!fresh->memory.reserve(size + 64))
      return nullptr;
    fresh->capacity = size;
    block = fresh.get();
    ownedBlocks.push_back(std::move(fresh));
    freeBlocks.reserve(ownedBlocks.size());
  }
  block->references = 1;
  return block;
}

void Context::releaseBlock(DynamicBlock *block) {
  if (--block->references == 0)
    freeBlocks.push_back(block);
}

void Context::endCall() {
  for (uint32_t i = 0; i < blocks.size(); ++i)
    if (blocks[i])
      setBlock(i, nullptr);
  while (freeBlocks.size() > kMaxFreeBlocks) {
    DynamicBlock *oldest = freeBlocks.front();
    freeBlocks.erase(freeBlocks.begin());
    std::erase_if(ownedBlocks,
                  [&](const auto &owned) { return owned.get() == oldest; });
  }
}

} // namespace cuvil
