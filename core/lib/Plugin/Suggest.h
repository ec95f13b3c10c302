// SPDX-License-Identifier: Apache-2.0
// The nearest spelling of a mistyped name.
#ifndef CUVIL_LIB_PLUGIN_SUGGEST_H
#define CUVIL_LIB_PLUGIN_SUGGEST_H

#include <algorithm>
#include <string>
#include <vector>

namespace cuvil {

/// Number of single-letter edits that turn a into b.
inline size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t change = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
    }
  }
  return row[b.size()];
}

/// The most similar of the names; empty when none is similar.
inline std::string nearest(const std::string &name,
                           const std::vector<std::string> &names) {
  std::string best;
  size_t bestDistance = std::max<size_t>(1, name.size() / 3) + 1;
  for (const std::string &candidate : names) {
    size_t distance = editDistance(name, candidate);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  }
  return best;
}

} // namespace cuvil

#endif // CUVIL_LIB_PLUGIN_SUGGEST_H
