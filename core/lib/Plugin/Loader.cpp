// SPDX-License-Identifier: Apache-2.0
// Loading through Boost.DLL: now, local, and never undone.
#include "cuvil/Plugin/Loader.h"
#include "cuvil/Runtime/StructCopy.h"
#include <algorithm>
#include <boost/dll/shared_library.hpp>
#include <dlfcn.h>

namespace cuvil {
namespace {

bool empty(const char *text) { return !text || !*text; }

/// Collects what initialize() registers; the registrar's state.
class Collector {
public:
  explicit Collector(LoadedPlugin &plugin) : plugin(plugin) {}

  cuvil_registrar table() {
    return {sizeof(cuvil_registrar), this, addFrontend, addBackend, addPass,
            addRules};
  }

private:
  static Collector &self(void *state) {
    return *static_cast<Collector *>(state);
  }

  Status refuse(const std::string &what) const {
    return Status(CUVIL_PLUGIN_FAILURE,
                  "plugin '" + plugin.manifest.id + "': " + what,
                  plugin.manifest.path);
  }

  static cuvil_status *addFrontend(void *state, const cuvil_frontend *given) {
    return guardC([&]() -> Status {
      LoadedPlugin &plugin = self(state).plugin;
      cuvil_frontend table = zeroExtended(*given);
      if (empty(table.name) || !table.sniff || !table.import)
        return self(state).refuse(
            "a frontend needs name, sniff and import");
      plugin.frontends.push_back(table);
      return {};
    });
  }

  static cuvil_status *addBackend(void *state, const cuvil_backend *given) {
    return guardC([&]() -> Status {
      LoadedPlugin &plugin = self(state).plugin;
      cuvil_backend table = zeroExtended(*given);
      if (empty(table.device) || !table.devices || !table.get_capability ||
          !table.compile)
        return self(state).refuse(
            "a backend needs device, devices, get_capability and compile");
      const auto &declared = plugin.manifest.devices;
      if (std::none_of(declared.begin(), declared.end(), [&](const auto &d) {
            return d.name == table.device;
          }))
        return self(state).refuse("registers device '" +
                                  std::string(table.device) +
                                  "', which its manifest does not list");
      if (table.memory) {
        plugin.memories.push_back(zeroExtended(*table.memory));
        table.memory = &plugin.memories.back();
      }
      plugin.backends.push_back(table);
      return {};
    });
  }

  static cuvil_status *addPass(void *state, const cuvil_pass *given) {
    return guardC([&]() -> Status {
      LoadedPlugin &plugin = self(state).plugin;
      cuvil_pass table = zeroExtended(*given);
      if (empty(table.name) || !table.run)
        return self(state).refuse("a pass needs name and run");
      if (empty(plugin.descriptor.fingerprint))
        return self(state).refuse(
            "pass '" + std::string(table.name) +
            "' works on MLIR, so the plugin must state the fingerprint of the "
            "LLVM build it was made for");
      plugin.passes.push_back(table);
      return {};
    });
  }

  static cuvil_status *addRules(void *state, const cuvil_rules *given) {
    return guardC([&]() -> Status {
      LoadedPlugin &plugin = self(state).plugin;
      cuvil_rules table = zeroExtended(*given);
      if (empty(table.name) || (empty(table.yaml) && empty(table.path)))
        return self(state).refuse("rules need a name and yaml or path");
      plugin.rules.push_back(table);
      return {};
    });
  }

  LoadedPlugin &plugin;
};

class PluginOpener {
public:
  PluginOpener(LoadedPlugin &plugin, const cuvil_host &host,
               StatusOr<std::string> (*fingerprint)())
      : plugin(plugin), m(plugin.manifest), host(host),
        fingerprint(fingerprint) {}

  Status run() {
    // The compiler library comes first: plugins that use MLIR link it.
    if (Status s = checkFingerprint(m.fingerprint.c_str()); s.failed())
      return s;
    auto query = open();
    if (query.failed())
      return query.takeError();
    const cuvil_plugin *given = (*query)(CUVIL_ABI_MAJOR, CUVIL_ABI_MINOR);
    if (!given)
      return refuse(CUVIL_INCOMPATIBLE,
                    "refuses plugin ABI " + version(CUVIL_ABI_MAJOR,
                                                    CUVIL_ABI_MINOR) +
                        " of this Cuvil");
    plugin.descriptor = zeroExtended(*given);
    if (Status s = checkDescriptor(); s.failed())
      return s;
    Collector collector(plugin);
    cuvil_registrar registrar = collector.table();
    Status status = Status::adopt(plugin.descriptor.initialize(&host,
                                                               &registrar));
    if (status.failed())
      return refuse(status.code(),
                    std::string("initialize failed: ") + status.message());
    return checkKinds();
  }

private:
  static std::string version(uint32_t major, uint32_t minor) {
    return std::to_string(major) + "." + std::to_string(minor);
  }

  Status refuse(int32_t code, const std::string &what) const {
    return Status(code, "plugin '" + m.id + "' " + what, m.path);
  }

  Status checkFingerprint(const char *wanted) {
    if (empty(wanted))
      return {};
    auto ours = fingerprint();
    if (ours.failed())
      return ours.takeError();
    if (*ours == wanted)
      return {};
    return refuse(CUVIL_INCOMPATIBLE,
                  "was built for LLVM '" + std::string(wanted) +
                      "', this Cuvil uses '" + *ours + "'");
  }

  StatusOr<cuvil_plugin_query_fn> open() {
    // Leaked with the plugin: unloading code that others may still refer to
    // ends in crashes.
    auto *library = new boost::dll::shared_library;
    std::error_code ec;
    dlerror();
    library->load(m.library,
                  boost::dll::load_mode::rtld_now |
                      boost::dll::load_mode::rtld_local,
                  ec);
    if (ec) {
      const char *reason = dlerror();
      return refuse(CUVIL_INCOMPATIBLE,
                    "cannot be loaded: " +
                        (reason ? std::string(reason) : ec.message()));
    }
    if (!library->has(CUVIL_PLUGIN_SYMBOL))
      return refuse(CUVIL_PLUGIN_FAILURE,
                    std::string("has no symbol ") + CUVIL_PLUGIN_SYMBOL);
    return &library->get<const cuvil_plugin *(uint32_t, uint32_t)>(
        CUVIL_PLUGIN_SYMBOL);
  }

  Status checkDescriptor() {
    const cuvil_plugin &d = plugin.descriptor;
    if (d.abi_major != CUVIL_ABI_MAJOR)
      return refuse(CUVIL_INCOMPATIBLE,
                    "is for plugin ABI " + version(d.abi_major, d.abi_minor) +
                        ", this Cuvil has " +
                        version(CUVIL_ABI_MAJOR, CUVIL_ABI_MINOR));
    if (d.min_host_minor > CUVIL_ABI_MINOR)
      return refuse(CUVIL_INCOMPATIBLE,
                    "needs plugin ABI " +
                        version(CUVIL_ABI_MAJOR, d.min_host_minor) +
                        " or later, this Cuvil has " +
                        version(CUVIL_ABI_MAJOR, CUVIL_ABI_MINOR) +
                        "; update Cuvil or install an older version of the "
                        "plugin");
    if (empty(d.id) || m.id != d.id)
      return refuse(CUVIL_PLUGIN_FAILURE,
                    "calls itself '" + std::string(d.id ? d.id : "") +
                        "' but its manifest says '" + m.id + "'");
    if (!d.initialize)
      return refuse(CUVIL_PLUGIN_FAILURE, "has no initialize function");
    return checkFingerprint(d.fingerprint);
  }

  Status checkKinds() {
    uint32_t given = (plugin.frontends.empty() ? 0 : CUVIL_FRONTEND) |
                     (plugin.backends.empty() ? 0 : CUVIL_BACKEND) |
                     (plugin.passes.empty() ? 0 : CUVIL_PASSES) |
                     (plugin.rules.empty() ? 0 : CUVIL_RULES);
    if (uint32_t more = given & ~m.kinds)
      return refuse(CUVIL_PLUGIN_FAILURE,
                    "registers a kind that its manifest does not list: " +
                        getKindNames(more)[0]);
    return {};
  }

  LoadedPlugin &plugin;
  const Manifest &m;
  const cuvil_host &host;
  StatusOr<std::string> (*fingerprint)();
};

} // namespace

StatusOr<LoadedPlugin *> loadPlugin(const Manifest &manifest,
                                    const cuvil_host &host,
                                    StatusOr<std::string> (*fingerprint)()) {
  auto *plugin = new LoadedPlugin;
  plugin->manifest = manifest;
  try {
    if (Status s = PluginOpener(*plugin, host, fingerprint).run(); s.failed())
      return s;
  } catch (const std::exception &e) {
    return Status(CUVIL_PLUGIN_FAILURE,
                  "plugin '" + manifest.id + "' threw: " + e.what(),
                  manifest.path);
  } catch (...) {
    return Status(CUVIL_PLUGIN_FAILURE,
                  "plugin '" + manifest.id + "' threw an unknown exception",
                  manifest.path);
  }
  return plugin;
}

} // namespace cuvil
