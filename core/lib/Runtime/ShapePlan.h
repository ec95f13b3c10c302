// SPDX-License-Identifier: Apache-2.0
// Everything that follows from one set of argument sizes.
#ifndef CUVIL_LIB_RUNTIME_SHAPEPLAN_H
#define CUVIL_LIB_RUNTIME_SHAPEPLAN_H

#include "ProgramImage.h"
#include <span>

namespace cuvil {

struct ShapePlan {
  /// Values of all symbols before the first step.
  std::vector<int64_t> symbols;
  /// Values of all slots; those that steps bind are stale.
  std::vector<int64_t> values;
  /// Byte offset of each arena buffer, in the order of SectionImage::arena.
  std::vector<int64_t> offsets;
  int64_t arenaBytes = 0;
  /// Largest scratch of one worker.
  int64_t scratchBytes = 0;
  /// Flops plus bytes of all steps that could be shared between threads.
  int64_t sharedCost = 0;
  /// Steps whose sizes are not valid for these arguments, by id; empty when
  /// all are. Such a step fails when it is reached (a branch may avoid it).
  std::vector<bool> invalid;
};

/// Plans a section for the given symbol values.
StatusOr<std::shared_ptr<const ShapePlan>>
makeShapePlan(const Program &program, const ProgramImage &image,
              const SectionImage &section, std::vector<int64_t> symbols);

/// Lays out buffers with known lives: offsets such that no two that live at
/// the same time overlap. Returns the size of the arena; negative when it
/// would be too large.
int64_t assignOffsets(std::span<const ArenaBuffer> buffers,
                      std::span<const int64_t> sizes,
                      std::span<int64_t> offsets);

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_SHAPEPLAN_H
