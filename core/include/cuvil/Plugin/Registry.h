// SPDX-License-Identifier: Apache-2.0
// All plugins of the process: found, loaded when needed, asked by name.
#ifndef CUVIL_PLUGIN_REGISTRY_H
#define CUVIL_PLUGIN_REGISTRY_H

#include "cuvil/Plugin/Discovery.h"
#include "cuvil/Plugin/Loader.h"
#include <functional>
#include <map>
#include <mutex>

namespace cuvil {

/// A table and the plugin it came from. Valid until the process ends.
struct BackendRef {
  std::string device; // as asked for, e.g. "cpu" or "cuda:0"
  const LoadedPlugin *plugin;
  const cuvil_backend *table;
};
struct FrontendRef {
  const LoadedPlugin *plugin;
  const cuvil_frontend *table;
};
struct PassRef {
  const LoadedPlugin *plugin;
  const cuvil_pass *table;
};
/// Rules as text, or as a file when `text` is empty.
struct RuleSource {
  std::string name, text, path;
};

class PluginRegistry {
public:
  /// The process's registry: standard places, loads with the process's host.
  static PluginRegistry &get();

  PluginRegistry(std::function<DiscoveryOptions()> options,
                 const cuvil_host &host,
                 StatusOr<std::string> (*fingerprint)());

  /// Turns a device string into backends in falling priority: "cpu",
  /// "cuda:0,cpu", "gpu", "auto" (all by score), "auto:cuda,cpu". Loads what it
  /// needs. An unknown device gives an error that lists the known ones, the
  /// nearest spelling, what was rejected and where was looked.
  StatusOr<std::vector<BackendRef>> resolveDevices(const std::string &text);

  /// The devices that a device string may mean, with the manifests of their
  /// plugins; nothing is loaded.
  StatusOr<std::vector<Manifest>> findDeviceManifests(const std::string &text);

  /// The frontend called `format`, or, without one, the surest of the bytes.
  StatusOr<FrontendRef> findFrontend(const std::string &path, const void *head,
                                     size_t size, const std::string &format);

  /// Every pass and rule of every plugin that brings some; those that fail to
  /// load are left to the list of rejected plugins.
  std::vector<PassRef> getPasses();
  std::vector<RuleSource> getRules();

  /// What is known, as the JSON of cuvil_plugins_json.
  std::string describe(bool probe);

  /// Loads the plugins of an explicitly given manifest or folder; the error
  /// says why there is none.
  Status checkPlace(const std::string &path);

  /// All plugins found now, and those refused, at loading too.
  Discovery discover();

private:
  StatusOr<LoadedPlugin *> load(const Manifest &manifest);
  StatusOr<BackendRef> loadDevice(const Discovery &found,
                                  const std::string &name);
  Status unknownDevice(const Discovery &found, const std::string &name);
  StatusOr<std::vector<std::string>>
  expandDevices(const Discovery &found, const std::string &text);

  std::function<DiscoveryOptions()> options;
  const cuvil_host &host;
  StatusOr<std::string> (*fingerprint)();
  std::recursive_mutex mutex;
  std::map<std::string, LoadedPlugin *> loaded;   // by manifest path
  std::map<std::string, std::string> failures;    // by manifest path
};

/// Places added while the process runs.
void addPluginPath(const std::string &path, const std::string &origin,
                   bool first);

} // namespace cuvil

#endif // CUVIL_PLUGIN_REGISTRY_H
