// SPDX-License-Identifier: Apache-2.0
// Version, plugins and devices of the C API.
#include "cuvil/Plugin/Host.h"
#include "cuvil/Plugin/Registry.h"
#include "cuvil/c_api.h"
#include <cstdlib>
#include <cstring>

using namespace cuvil;

const char *cuvil_version(void) { return getVersion(); }

void cuvil_free(void *memory) { std::free(memory); }

cuvil_status *cuvil_load_plugin(const char *manifestPath) {
  return guardC([&]() -> Status {
    if (!manifestPath || !*manifestPath)
      return Status(CUVIL_INVALID_ARGUMENT, "the manifest path is empty");
    std::string path = manifestPath;
    addPluginPath(path, "load_plugin", /*first=*/true);
    return PluginRegistry::get().checkPlace(path);
  });
}

void cuvil_add_plugin_path(const char *path, const char *origin) {
  // Without memory the place is not added; there is no one to tell.
  cuvil_status_release(guardC([&]() -> Status {
    if (path && *path)
      addPluginPath(path, origin ? origin : "added", /*first=*/false);
    return {};
  }));
}

cuvil_status *cuvil_plugins_json(int32_t probe, char **out) {
  return guardC([&]() -> Status {
    std::string text = PluginRegistry::get().describe(probe != 0);
    *out = strdup(text.c_str());
    return *out ? Status() : Status(CUVIL_RESOURCE_EXHAUSTED, "out of memory");
  });
}
