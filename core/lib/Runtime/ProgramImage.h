// SPDX-License-Identifier: Apache-2.0
// The tables that a run reads: expressions as numbered slots, steps with
// resolved kernels, and where every buffer's bytes live.
#ifndef CUVIL_LIB_RUNTIME_PROGRAMIMAGE_H
#define CUVIL_LIB_RUNTIME_PROGRAMIMAGE_H

#include "cuvil/Runtime/Program.h"

namespace cuvil {

/// Where a buffer's bytes come from.
enum class Storage : uint8_t {
  Unused,
  Argument,   // the caller's input
  Result,     // the caller's output, or memory made for it
  Constant,   // the model's bytes
  Persistent, // written by init
  Arena,      // an offset of the call's arena
  Dynamic,    // allocated when a step writes it
};

struct BufferImage {
  Storage storage = Storage::Unused;
  /// The buffer whose bytes this one is a view of; itself for none.
  uint32_t root = 0;
  /// Size known before the call's first step.
  bool fixedSize = true;
  bool inInit = false;
  /// Slots of the dims and, after them, of the size in bytes.
  uint32_t firstDim = 0;
  uint32_t rank = 0;
  uint32_t byteSlot() const { return firstDim + rank; }
};

struct StepImage {
  const ProgramStep *desc = nullptr;
  uint32_t id = 0; // over all steps of the program
  cuvil_kernel_fn function = nullptr;
  /// Slots: the sizes, then tiles, scratch, flops, bytes.
  uint32_t firstSlot = 0;
  uint32_t numSizes = 0;
  /// Some slot depends on what earlier steps bind.
  bool lateSlots = false;
  /// ALIAS that needs no copy.
  bool isView = false;
  /// Buffers to size (and, if Dynamic, Result or Persistent, to allocate)
  /// before the step runs.
  std::vector<uint32_t> sizeFirst;
  /// Dynamic buffers whose last use this step is.
  std::vector<uint32_t> release;

  uint32_t tilesSlot() const { return firstSlot + numSizes; }
  uint32_t scratchSlot() const { return tilesSlot() + 1; }
  uint32_t flopsSlot() const { return tilesSlot() + 2; }
  uint32_t bytesSlot() const { return tilesSlot() + 3; }
  uint32_t endSlot() const { return tilesSlot() + 4; }
};

/// Life of an arena buffer in ticks of its section.
struct ArenaBuffer {
  uint32_t buffer;
  uint32_t first, last;
};

/// Block 0 or block 1 with what nests in it.
struct SectionImage {
  uint32_t block = 0;
  std::vector<bool> stepBinds; // symbols that steps of the section bind
  std::vector<uint32_t> steps; // ids, in program order
  std::vector<ArenaBuffer> arena;
};

struct ProgramImage {
  std::vector<BufferImage> buffers;
  std::vector<std::vector<StepImage>> blocks;
  std::vector<const StepImage *> steps; // by id
  /// One expression per slot; null at byte slots that are a product of dims.
  std::vector<const SizeExpr *> slots;
  SectionImage sections[2];
  std::vector<uint32_t> arguments, results; // buffer ids by number
  /// Views of bytes that change owner from call to call.
  std::vector<uint32_t> borrowedViews;
  uint32_t maxOperands = 0;
  uint32_t maxDepth = 1;
};

/// Evaluates the dims and byte size of a buffer into its slots; names the
/// buffer on overflow, a negative size or one beyond the limit.
Status sizeBuffer(const Program &program, const ProgramImage &image,
                  uint32_t buffer, const int64_t *symbols, int64_t *values);
/// Evaluates the slots of a step.
Status sizeStep(const Program &program, const StepImage &step,
                const ProgramImage &image, const int64_t *symbols,
                int64_t *values);

/// Builds the tables of a verified program; kernels are resolved by `lookup`.
StatusOr<ProgramImage>
buildImage(const Program &program,
           const std::function<cuvil_kernel_fn(const ProgramKernel &)> &lookup);

/// Fills arena lives and release lists: the part of buildImage about time.
void computeLiveness(const Program &program, ProgramImage &image);

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_PROGRAMIMAGE_H
