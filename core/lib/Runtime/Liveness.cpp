// SPDX-License-Identifier: Apache-2.0
// When each buffer's bytes are needed, over nested blocks and loops.
#include "ProgramImage.h"

namespace cuvil {
namespace {

/// Where a step stands: its block, its ticks, and the step that owns the
/// block. Ticks grow in program order; a step with blocks spans theirs.
struct Place {
  uint32_t block = 0;
  uint32_t depth = 0;
  uint32_t first = 0, last = 0;
  int64_t owner = -1; // step id; -1 in a section's own block
};

class Liveness {
public:
  Liveness(const Program &program, ProgramImage &image)
      : p(program), image(image), places(image.steps.size()),
        uses(image.buffers.size()), ownUses(image.buffers.size()) {}

  void run() {
    for (SectionImage &section : image.sections) {
      uint32_t tick = 0;
      walk(section.block, -1, 0, tick);
    }
    for (uint32_t id = 0; id < image.steps.size(); ++id)
      for (uint32_t buffer : image.steps[id]->desc->buffers) {
        uses[image.buffers[buffer].root].push_back(id);
        ownUses[buffer].push_back(id);
      }
    for (uint32_t id = 0; id < image.buffers.size(); ++id)
      finishBuffer(id);
  }

private:
  void walk(uint32_t block, int64_t owner, uint32_t depth, uint32_t &tick) {
    for (const StepImage &step : image.blocks[block]) {
      Place &place = places[step.id];
      place.block = block;
      place.owner = owner;
      place.depth = depth;
      place.first = tick++;
      if (step.desc->kind == CUVIL_STEP_IF ||
          step.desc->kind == CUVIL_STEP_WHILE)
        for (uint32_t nested : step.desc->blocks)
          walk(nested, step.id, depth + 1, tick);
      place.last = tick++;
    }
  }

  /// The steps of the innermost block that contains all of `ids`, one for
  /// each id: the id itself or the step of that block that contains it.
  std::vector<uint32_t> raise(std::vector<uint32_t> ids) const {
    while (true) {
      uint32_t shallow = UINT32_MAX, deep = 0;
      bool sameBlock = true;
      for (uint32_t id : ids) {
        shallow = std::min(shallow, places[id].depth);
        deep = std::max(deep, places[id].depth);
        sameBlock &= places[id].block == places[ids[0]].block;
      }
      if (sameBlock)
        return ids;
      for (uint32_t &id : ids)
        if (places[id].depth > shallow || shallow == deep)
          id = places[id].owner;
    }
  }

  void finishBuffer(uint32_t id) {
    BufferImage &buffer = image.buffers[id];
    if (buffer.root == id && buffer.storage == Storage::Arena)
      finishArena(id);
    // Each holder of dynamic bytes lets go after its own last use.
    Storage bytes = image.buffers[buffer.root].storage;
    if (bytes != Storage::Dynamic || ownUses[id].empty())
      return;
    uint32_t lastStep = 0;
    bool found = false;
    for (uint32_t step : raise(ownUses[id]))
      if (!found || places[step].last > places[lastStep].last) {
        lastStep = step;
        found = true;
      }
    const_cast<StepImage *>(image.steps[lastStep])->release.push_back(id);
  }

  void finishArena(uint32_t id) {
    if (uses[id].empty()) {
      image.buffers[id].storage = Storage::Unused;
      return;
    }
    uint32_t first = UINT32_MAX, last = 0;
    for (uint32_t step : raise(uses[id])) {
      first = std::min(first, places[step].first);
      last = std::max(last, places[step].last);
    }
    auto &section =
        image.sections[image.buffers[id].inInit ? Program::kInit
                                                : Program::kMain];
    section.arena.push_back({id, first, last});
  }

  const Program &p;
  ProgramImage &image;
  std::vector<Place> places;
  std::vector<std::vector<uint32_t>> uses, ownUses; // step ids
};

} // namespace

void computeLiveness(const Program &program, ProgramImage &image) {
  Liveness(program, image).run();
}

} // namespace cuvil
