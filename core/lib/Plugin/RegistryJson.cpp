// SPDX-License-Identifier: Apache-2.0
// The registry's knowledge as JSON.
#include "cuvil/Plugin/Registry.h"
#include <algorithm>
#include <nlohmann/json.hpp>

namespace cuvil {
namespace {

using nlohmann::json;

const char *text(const char *s) { return s ? s : ""; }

json dtypesOf(uint64_t mask) {
  json names = json::array();
  static const char *const all[] = {"none", "bool", "i8",  "i16", "i32",
                                    "i64",  "u8",   "u16", "u32", "u64",
                                    "f16",  "bf16", "f32", "f64"};
  for (size_t i = 1; i < std::size(all); ++i)
    if (mask >> i & 1)
      names.push_back(all[i]);
  return names;
}

/// What the backend says of each of its devices; one entry per device.
void probeDevices(const LoadedPlugin &plugin, const std::string &name,
                  const json &base, json &devices) {
  for (const cuvil_backend &backend : plugin.backends) {
    if (name != backend.device)
      continue;
    size_t count = std::min<size_t>(
        backend.devices(backend.state, nullptr, 0), 256);
    std::vector<cuvil_device_info> infos(count);
    for (cuvil_device_info &info : infos)
      info.struct_size = sizeof(info);
    count = std::min(count,
                     backend.devices(backend.state, infos.data(), count));
    for (size_t i = 0; i < count; ++i) {
      json entry = base;
      entry["index"] = infos[i].index;
      entry["arch"] = text(infos[i].arch);
      entry["score"] = infos[i].score;
      entry["memory_bytes"] = infos[i].memory_bytes;
      entry["dtypes"] = dtypesOf(infos[i].dtypes);
      entry["modes"] = text(infos[i].modes);
      if (!std::string(text(infos[i].description)).empty())
        entry["description"] = text(infos[i].description);
      devices.push_back(std::move(entry));
    }
  }
}

} // namespace

std::string PluginRegistry::describe(bool probe) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (probe)
    for (const Manifest &manifest : discover().accepted)
      if (manifest.kinds & CUVIL_BACKEND)
        (void)load(manifest); // a failure shows among the rejected
  Discovery found = discover();
  json devices = json::array(), formats = json::array(),
       plugins = json::array(), rejected = json::array(),
       searched = json::array();
  std::vector<std::string> seen;
  for (const Manifest &m : found.accepted) {
    for (const ManifestDevice &device : m.devices) {
      // The first plugin that brings a device serves it.
      if (std::find(seen.begin(), seen.end(), device.name) != seen.end())
        continue;
      seen.push_back(device.name);
      json entry = {{"name", device.name},
                    {"description", device.description},
                    {"plugin", m.id}};
      auto plugin = loaded.find(m.path);
      if (probe && plugin != loaded.end())
        probeDevices(*plugin->second, device.name, entry, devices);
      else
        devices.push_back(std::move(entry));
    }
    for (const ManifestFormat &format : m.formats)
      formats.push_back({{"name", format.name},
                         {"extensions", format.extensions},
                         {"plugin", m.id}});
    plugins.push_back({{"id", m.id},
                       {"version", m.version},
                       {"license", m.license},
                       {"kinds", getKindNames(m.kinds)},
                       {"abi", std::to_string(m.abiMajor) + "." +
                                   std::to_string(m.abiMinor)},
                       {"fingerprint", m.fingerprint},
                       {"path", m.path},
                       {"library", m.library},
                       {"origin", m.origin},
                       {"loaded", loaded.count(m.path) != 0}});
  }
  for (const RejectedPlugin &plugin : found.rejected)
    rejected.push_back({{"path", plugin.manifest.path},
                        {"id", plugin.manifest.id},
                        {"origin", plugin.manifest.origin},
                        {"reason", plugin.reason}});
  for (const SearchPlace &place : found.searched)
    searched.push_back({{"path", place.path}, {"origin", place.origin}});
  json all = {{"devices", devices},
              {"formats", formats},
              {"plugins", plugins},
              {"rejected", rejected},
              {"searched", searched}};
  return all.dump(2, ' ', false, json::error_handler_t::replace);
}

} // namespace cuvil
