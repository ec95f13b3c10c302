// SPDX-License-Identifier: Apache-2.0
// The mutable half of a run: one per concurrent call, reused by later ones.
#ifndef CUVIL_LIB_RUNTIME_CONTEXT_H
#define CUVIL_LIB_RUNTIME_CONTEXT_H

#include "ShapePlan.h"

namespace cuvil {

/// 64-byte aligned memory that only grows.
class AlignedMemory {
public:
  AlignedMemory() = default;
  AlignedMemory(const AlignedMemory &) = delete;
  ~AlignedMemory();
  /// Makes room for `size` bytes, dropping the content; false = no memory.
  bool reserve(size_t size);
  char *data() const { return bytes; }

private:
  char *bytes = nullptr;
  size_t capacity = 0;
};

/// Bytes of dynamic buffers, shared by the buffers that are views of them.
struct DynamicBlock {
  AlignedMemory memory;
  size_t capacity = 0;
  int64_t requested = 0; // the size its buffer asked for
  uint32_t references = 0;
};

/// Memory of one result during a call.
struct ResultMemory {
  void *data = nullptr;           // where the steps write
  void *owned = nullptr;          // what the caller will own, or null
  DynamicBlock *copied = nullptr; // data is here and copied out at the end
};

class Context {
public:
  Context(const Program &program, const ProgramImage &image);

  /// Switches to a plan: sizes, arena and its pointers. The plan it already
  /// has costs nothing but the symbols that steps bind.
  Status usePlan(std::shared_ptr<const ShapePlan> next,
                 const SectionImage &section);

  /// A block with one reference; null = no memory. Reuses released ones.
  DynamicBlock *acquireBlock(size_t size);
  void releaseBlock(DynamicBlock *block);
  /// Lets `buffer` hold `block` (taking over its reference) or nothing.
  void setBlock(uint32_t buffer, DynamicBlock *block) {
    if (blocks[buffer])
      releaseBlock(blocks[buffer]);
    blocks[buffer] = block;
  }
  /// Drops everything that belonged to the call.
  void endCall();

  struct Frame {
    const std::vector<StepImage> *block;
    size_t next;
    const StepImage *owner;
    bool inCondition; // of a WHILE
  };

  std::vector<int64_t> symbols;
  std::vector<int64_t> values; // of the slots
  std::vector<void *> pointers; // of the buffers
  std::vector<DynamicBlock *> blocks; // of the buffers; null = none
  std::shared_ptr<const ShapePlan> plan;
  AlignedMemory arena, scratch;
  std::vector<Frame> frames;
  // Room for the operands of one step.
  std::vector<void *> operands;
  std::vector<cuvil_dl_tensor> tensors;
  std::vector<cuvil_dl_tensor *> tensorPointers;
  std::vector<int64_t> assigned;
  // Of the call's borders.
  std::vector<ResultMemory> results;
  std::vector<DynamicBlock *> inputCopies;

private:
  const ProgramImage &image;
  std::vector<std::unique_ptr<DynamicBlock>> ownedBlocks;
  std::vector<DynamicBlock *> freeBlocks;
};

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_CONTEXT_H
