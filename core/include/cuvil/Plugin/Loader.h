// SPDX-License-Identifier: Apache-2.0
// Opens one plugin and takes in what it registers.
#ifndef CUVIL_PLUGIN_LOADER_H
#define CUVIL_PLUGIN_LOADER_H

#include "cuvil/Plugin/Manifest.h"
#include "cuvil/plugin.h"
#include <deque>
#include <memory>

namespace cuvil {

/// A plugin in memory. Never unloaded: instances are leaked on purpose.
/// The tables are zero-extended copies; deques keep their addresses.
struct LoadedPlugin {
  Manifest manifest;
  cuvil_plugin descriptor = {};
  std::deque<cuvil_frontend> frontends;
  std::deque<cuvil_backend> backends;
  std::deque<cuvil_memory_api> memories;
  std::deque<cuvil_pass> passes;
  std::deque<cuvil_rules> rules;
};

/// Loads, negotiates versions and initialises. `host` outlives the plugin;
/// `fingerprint` is asked for only by plugins that have one.
StatusOr<LoadedPlugin *>
loadPlugin(const Manifest &manifest, const cuvil_host &host,
           StatusOr<std::string> (*fingerprint)());

} // namespace cuvil

#endif // CUVIL_PLUGIN_LOADER_H
