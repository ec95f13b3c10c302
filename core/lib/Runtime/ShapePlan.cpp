// SPDX-License-Identifier: Apache-2.0
// Evaluates sizes and assigns arena offsets by first fit, largest first.
#include "ShapePlan.h"
#include <algorithm>
#include <numeric>

namespace cuvil {
namespace {
constexpr int64_t kAlignment = 64;

int64_t saturatingAdd(int64_t a, int64_t b, int64_t c) {
  int64_t sum = a;
  for (int64_t term : {b, c})
    if (term > 0 && !addSizes(sum, term, sum))
      sum = INT64_MAX;
  return sum;
}
} // namespace

int64_t assignOffsets(std::span<const ArenaBuffer> buffers,
                      std::span<const int64_t> sizes,
                      std::span<int64_t> offsets) {
  std::vector<uint32_t> order(buffers.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return sizes[a] > sizes[b];
  });
  struct Range {
    int64_t begin, end;
    uint32_t first, last;
  };
  std::vector<Range> placed; // by begin
  int64_t arena = 0;
  for (uint32_t i : order) {
    if (sizes[i] == 0) {
      offsets[i] = 0;
      continue;
    }
    int64_t size = (sizes[i] + kAlignment - 1) / kAlignment * kAlignment;
    int64_t offset = 0;
    for (const Range &other : placed) {
      bool together = other.first <= buffers[i].last &&
                      buffers[i].first <= other.last;
      if (!together || other.end <= offset)
        continue;
      if (other.begin >= offset + size)
        break;
      offset = other.end;
    }
    offsets[i] = offset;
    if (offset > kMaxBytes - size)
      return -1;
    Range mine{offset, offset + size, buffers[i].first, buffers[i].last};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), mine,
                                   [](const Range &a, const Range &b) {
                                     return a.begin < b.begin;
                                   }),
                  mine);
    arena = std::max(arena, mine.end);
  }
  return arena;
}

StatusOr<std::shared_ptr<const ShapePlan>>
makeShapePlan(const Program &program, const ProgramImage &image,
              const SectionImage &section, std::vector<int64_t> symbols) {
  auto plan = std::make_shared<ShapePlan>();
  plan->symbols = std::move(symbols);
  plan->values.resize(image.slots.size());
  bool isInit = section.block == Program::kInit;
  std::vector<bool> badBuffers(image.buffers.size());
  bool anyBad = false;
  for (uint32_t id = 0; id < image.buffers.size(); ++id) {
    const BufferImage &buffer = image.buffers[id];
    int32_t kind = program.buffers[id].kind;
    if (!buffer.fixedSize)
      continue;
    if (kind != CUVIL_BUFFER_CONSTANT && buffer.inInit != isInit)
      continue;
    Status status = sizeBuffer(program, image, id, plan->symbols.data(),
                               plan->values.data());
    if (status.failed()) {
      badBuffers[id] = anyBad = true;
      plan->values[buffer.byteSlot()] = 0;
    }
  }
  // A view is as good as the bytes it looks at, and as long.
  auto sizeOf = [&](uint32_t id) {
    return plan->values[image.buffers[id].byteSlot()];
  };
  for (bool view : {true, false})
    for (uint32_t id = 0; id < image.buffers.size(); ++id) {
      const BufferImage &buffer = image.buffers[id];
      uint32_t root = buffer.root;
      if (root == id || buffer.inInit != isInit || !buffer.fixedSize ||
          !image.buffers[root].fixedSize)
        continue;
      bool bad = badBuffers[id] || badBuffers[root] ||
                 sizeOf(id) != sizeOf(root);
      // First the views tell their root, then the root tells them.
      (view ? badBuffers[root] : badBuffers[id]) = bad;
      anyBad |= bad;
    }
  plan->invalid.resize(anyBad ? image.steps.size() : 0);
  for (uint32_t id : section.steps) {
    const StepImage &step = *image.steps[id];
    bool bad = false;
    for (uint32_t buffer : step.desc->buffers)
      bad |= badBuffers[buffer];
    if (!step.lateSlots) {
      bad |= sizeStep(program, step, image, plan->symbols.data(),
                      plan->values.data())
                 .failed();
      if (!bad) {
        plan->scratchBytes = std::max(plan->scratchBytes,
                                      plan->values[step.scratchSlot()]);
        if (plan->values[step.tilesSlot()] > 1)
          plan->sharedCost = saturatingAdd(
              plan->sharedCost, plan->values[step.flopsSlot()],
              plan->values[step.bytesSlot()]);
      }
    }
    if (!bad)
      continue;
    plan->invalid.resize(image.steps.size());
    plan->invalid[id] = true;
  }
  std::vector<int64_t> sizes;
  for (const ArenaBuffer &b : section.arena)
    sizes.push_back(plan->values[image.buffers[b.buffer].byteSlot()]);
  plan->offsets.resize(sizes.size());
  plan->arenaBytes = assignOffsets(section.arena, sizes, plan->offsets);
  if (plan->arenaBytes < 0)
    return Status(CUVIL_RESOURCE_EXHAUSTED,
                  "the temporaries of this call need more than 2^46 bytes");
  return std::shared_ptr<const ShapePlan>(std::move(plan));
}

} // namespace cuvil
