// SPDX-License-Identifier: Apache-2.0
// The weights of one compilation, outside the MLIR context.
#ifndef CUVIL_IR_WEIGHTSTORE_H
#define CUVIL_IR_WEIGHTSTORE_H

#include "cuvil/Runtime/Constant.h"
#include <map>
#include <mutex>
#include <vector>

namespace cuvil {

/// What `#cuvil.weight<id>` refers to. Holds one reference per weight; bytes
/// are shared with whoever else retained them, never copied.
class WeightStore {
public:
  WeightStore() = default;
  WeightStore(const WeightStore &) = delete;
  WeightStore &operator=(const WeightStore &) = delete;
  ~WeightStore() {
    for (Constant *weight : weights)
      weight->release();
  }

  /// Takes over one reference; returns the weight's id.
  int64_t add(Constant *weight) {
    std::lock_guard<std::mutex> lock(mutex);
    weights.push_back(weight);
    return static_cast<int64_t>(weights.size()) - 1;
  }
  /// The weight (borrowed), or null for an unknown id.
  Constant *get(int64_t id) const {
    std::lock_guard<std::mutex> lock(mutex);
    bool known = id >= 0 && id < static_cast<int64_t>(weights.size());
    return known ? weights[id] : nullptr;
  }
  /// The weight made for `key` (an attribute's identity); `make` is called the
  /// first time and returns one reference.
  template <typename Make> Constant *getOrCreate(const void *key, Make make) {
    std::lock_guard<std::mutex> lock(mutex);
    auto [entry, isNew] = keyed.try_emplace(key, nullptr);
    if (isNew) {
      entry->second = make();
      weights.push_back(entry->second);
    }
    return entry->second;
  }

private:
  mutable std::mutex mutex;
  std::vector<Constant *> weights;
  std::map<const void *, Constant *> keyed;
};

} // namespace cuvil

#endif // CUVIL_IR_WEIGHTSTORE_H
