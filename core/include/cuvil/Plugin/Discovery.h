// SPDX-License-Identifier: Apache-2.0
// Finds manifests; loads nothing.
#ifndef CUVIL_PLUGIN_DISCOVERY_H
#define CUVIL_PLUGIN_DISCOVERY_H

#include "cuvil/Plugin/Manifest.h"

namespace cuvil {

/// A folder or manifest that is looked at, and why.
struct SearchPlace {
  std::string path, origin;
};

/// Where and what to search; filled from the environment by `fromProcess`.
struct DiscoveryOptions {
  std::vector<SearchPlace> places; // in order: the first of an id wins
  std::string allow;               // CUVIL_PLUGINS: globs; empty = all
  std::string deny;                // CUVIL_PLUGINS_DISABLE: globs
  bool log = false;                // CUVIL_PLUGIN_LOG

  /// The standard places after `explicitPlaces`: CUVIL_PLUGIN_PATH,
  /// `addedPlaces`, the user's data folder, `installFolder`. The environment
  /// is not read by a process with raised privileges.
  static DiscoveryOptions
  fromProcess(const std::vector<SearchPlace> &explicitPlaces,
              const std::vector<SearchPlace> &addedPlaces,
              const std::string &installFolder);
};

struct RejectedPlugin {
  Manifest manifest; // as far as it could be read
  std::string reason;
};

struct Discovery {
  std::vector<Manifest> accepted;
  std::vector<RejectedPlugin> rejected;
  std::vector<SearchPlace> searched;
};

Discovery discoverPlugins(const DiscoveryOptions &options);

} // namespace cuvil

#endif // CUVIL_PLUGIN_DISCOVERY_H
