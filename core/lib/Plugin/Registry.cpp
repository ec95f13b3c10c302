// SPDX-License-Identifier: Apache-2.0
// Looks devices and formats up, loading plugins only when they are asked for.
#include "cuvil/Plugin/Registry.h"
#include "Suggest.h"
#include "cuvil/Plugin/Host.h"
#include <algorithm>
#include <filesystem>

namespace cuvil {
namespace {

struct AddedPlaces {
  std::mutex mutex;
  std::vector<SearchPlace> first, later;
};
AddedPlaces &addedPlaces() {
  static auto *places = new AddedPlaces;
  return *places;
}

DiscoveryOptions processOptions() {
  AddedPlaces &added = addedPlaces();
  std::lock_guard<std::mutex> lock(added.mutex);
  return DiscoveryOptions::fromProcess(
      added.first, added.later, getLibraryFolder() + "/cuvil/plugins");
}

StatusOr<std::string> compilerFingerprint() {
  auto compiler = openCompiler();
  if (compiler.failed())
    return compiler.takeError();
  return std::string((*compiler)->fingerprint);
}

std::string trim(const std::string &text) {
  size_t begin = text.find_first_not_of(" \t");
  size_t end = text.find_last_not_of(" \t");
  return begin == std::string::npos ? ""
                                    : text.substr(begin, end - begin + 1);
}

std::vector<std::string> splitList(const std::string &text) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (true) {
    size_t comma = text.find(',', begin);
    parts.push_back(trim(text.substr(begin, comma - begin)));
    if (comma == std::string::npos)
      return parts;
    begin = comma + 1;
  }
}

/// "cuda:0" -> "cuda", 0; the index is -1 when there is none.
bool splitDevice(const std::string &text, std::string &name, int &index) {
  size_t colon = text.find(':');
  name = text.substr(0, colon);
  index = -1;
  if (colon == std::string::npos)
    return !name.empty();
  std::string digits = text.substr(colon + 1);
  if (digits.empty() || digits.size() > 6 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return false;
  index = std::stoi(digits);
  return !name.empty();
}

const Manifest *findDevice(const Discovery &found, const std::string &name) {
  for (const Manifest &manifest : found.accepted)
    for (const ManifestDevice &device : manifest.devices)
      if (device.name == name)
        return &manifest;
  return nullptr;
}

std::vector<std::string> deviceNames(const Discovery &found) {
  std::vector<std::string> names;
  for (const Manifest &manifest : found.accepted)
    for (const ManifestDevice &device : manifest.devices)
      if (std::find(names.begin(), names.end(), device.name) == names.end())
        names.push_back(device.name);
  return names;
}

/// Rejected plugins and searched places, for the end of an error.
std::string explainSearch(const Discovery &found) {
  std::string text;
  if (!found.rejected.empty()) {
    text += "\nrejected plugins:";
    for (const RejectedPlugin &plugin : found.rejected)
      text += "\n  " + plugin.manifest.path + ": " + plugin.reason;
  }
  text += "\nplaces searched:";
  for (const SearchPlace &place : found.searched)
    text += "\n  " + place.path + " (" + place.origin + ")";
  return text;
}

} // namespace

void addPluginPath(const std::string &path, const std::string &origin,
                   bool first) {
  AddedPlaces &added = addedPlaces();
  std::lock_guard<std::mutex> lock(added.mutex);
  auto &list = first ? added.first : added.later;
  for (const SearchPlace &place : list)
    if (place.path == path)
      return;
  list.push_back({path, origin});
}

PluginRegistry &PluginRegistry::get() {
  static auto *registry =
      new PluginRegistry(processOptions, getHost(), compilerFingerprint);
  return *registry;
}

PluginRegistry::PluginRegistry(std::function<DiscoveryOptions()> options,
                               const cuvil_host &host,
                               StatusOr<std::string> (*fingerprint)())
    : options(std::move(options)), host(host), fingerprint(fingerprint) {}

Discovery PluginRegistry::discover() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  Discovery found = discoverPlugins(options());
  // What failed to load is rejected like what could not be read.
  for (auto it = found.accepted.begin(); it != found.accepted.end();) {
    auto failure = failures.find(it->path);
    if (failure == failures.end()) {
      ++it;
      continue;
    }
    found.rejected.push_back({std::move(*it), failure->second});
    it = found.accepted.erase(it);
  }
  return found;
}

StatusOr<LoadedPlugin *> PluginRegistry::load(const Manifest &manifest) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  auto known = loaded.find(manifest.path);
  if (known != loaded.end())
    return known->second;
  if (manifest.library.empty()) {
    auto *plugin = new LoadedPlugin;
    plugin->manifest = manifest;
    loaded[manifest.path] = plugin;
    return plugin;
  }
  auto plugin = loadPlugin(manifest, host, fingerprint);
  if (plugin.ok()) {
    loaded[manifest.path] = *plugin;
    return plugin;
  }
  Status error = plugin.takeError();
  failures[manifest.path] = error.message();
  return error;
}

Status PluginRegistry::checkPlace(const std::string &path) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  DiscoveryOptions only = options();
  only.places = {{path, "load_plugin"}};
  Discovery there = discoverPlugins(only);
  if (!there.rejected.empty())
    return Status(CUVIL_INVALID_ARGUMENT,
                  "plugin '" + there.rejected[0].manifest.path +
                      "' was rejected: " + there.rejected[0].reason,
                  path);
  if (there.accepted.empty())
    return Status(CUVIL_NOT_FOUND,
                  "there is no plugin manifest (plugin.json) at '" + path + "'",
                  path);
  for (const Manifest &manifest : there.accepted)
    if (auto plugin = load(manifest); plugin.failed())
      return plugin.takeError();
  return {};
}

Status PluginRegistry::unknownDevice(const Discovery &found,
                                     const std::string &name) {
  std::vector<std::string> names = deviceNames(found);
  std::string text = "device '" + name + "' is not available";
  for (const RejectedPlugin &plugin : found.rejected)
    for (const ManifestDevice &device : plugin.manifest.devices)
      if (device.name == name)
        text += ": plugin '" + plugin.manifest.id + "', which brings it, was "
                "rejected: " + plugin.reason;
  text += "; known devices: ";
  for (size_t i = 0; i < names.size(); ++i)
    text += (i ? ", " : "") + names[i];
  if (names.empty())
    text += "none";
  std::string near = nearest(name, names);
  return Status(CUVIL_NOT_FOUND, text + explainSearch(found), "device",
                near.empty() ? "" : "did you mean '" + near + "'?");
}

StatusOr<std::vector<std::string>>
PluginRegistry::expandDevices(const Discovery &found,
                              const std::string &text) {
  std::vector<std::string> names;
  for (const std::string &part : splitList(text)) {
    if (part.empty())
      return Status(CUVIL_INVALID_ARGUMENT,
                    "the device string '" + text + "' has an empty part",
                    "device", "write for example \"cpu\" or \"cuda:0,cpu\"");
    if (part == "gpu") {
      for (const char *gpu : {"cuda", "rocm"})
        if (findDevice(found, gpu)) {
          names.push_back(gpu);
          break;
        }
      if (names.empty() || (names.back() != "cuda" && names.back() != "rocm"))
        return unknownDevice(found, part);
      continue;
    }
    std::string name;
    int index;
    if (!splitDevice(part, name, index))
      return Status(CUVIL_INVALID_ARGUMENT,
                    "malformed device '" + part + "'", "device",
                    "write a name, or a name and an index: \"cuda:0\"");
    if (!findDevice(found, name))
      return unknownDevice(found, name);
    if (std::find(names.begin(), names.end(), part) == names.end())
      names.push_back(part);
  }
  return names;
}

StatusOr<BackendRef> PluginRegistry::loadDevice(const Discovery &found,
                                                const std::string &text) {
  std::string name;
  int index;
  splitDevice(text, name, index);
  const Manifest *manifest = findDevice(found, name);
  if (!manifest)
    return unknownDevice(found, name);
  auto plugin = load(*manifest);
  if (plugin.failed()) {
    Status why = plugin.takeError();
    return Status(why.code(),
                  "device '" + name + "' is not available: " + why.message(),
                  "device", why.hint());
  }
  for (const cuvil_backend &backend : (*plugin)->backends) {
    if (name != backend.device)
      continue;
    size_t count = index < 0 ? 1 : backend.devices(backend.state, nullptr, 0);
    if (index >= 0 && size_t(index) >= count)
      return Status(CUVIL_NOT_FOUND,
                    "device '" + text + "' does not exist; there are " +
                        std::to_string(count) + " of '" + name + "'",
                    "device");
    return BackendRef{text, *plugin, &backend};
  }
  return Status(CUVIL_PLUGIN_FAILURE,
                "plugin '" + manifest->id + "' lists device '" + name +
                    "' but does not register it",
                manifest->path);
}

StatusOr<std::vector<BackendRef>>
PluginRegistry::resolveDevices(const std::string &text) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  Discovery found = discover();
  bool automatic = text == "auto" || text.rfind("auto:", 0) == 0;
  std::vector<std::string> names = deviceNames(found);
  if (!automatic || text != "auto") {
    auto expanded =
        expandDevices(found, automatic ? text.substr(5) : text);
    if (expanded.failed())
      return expanded.takeError();
    names = std::move(*expanded);
  }
  std::vector<std::pair<int32_t, BackendRef>> ranked;
  for (const std::string &name : names) {
    auto backend = loadDevice(found, name);
    if (backend.failed()) {
      // "auto" takes what there is.
      if (text == "auto")
        continue;
      return backend.takeError();
    }
    int32_t score = 0;
    if (automatic) {
      cuvil_device_info info = {};
      info.struct_size = sizeof(info);
      if (backend->table->devices(backend->table->state, &info, 1) == 0)
        continue;
      score = info.score;
    }
    ranked.emplace_back(score, *backend);
  }
  if (ranked.empty())
    return unknownDevice(found, text);
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto &a, const auto &b) {
                     return a.first > b.first;
                   });
  std::vector<BackendRef> result;
  for (auto &[score, backend] : ranked)
    result.push_back(std::move(backend));
  return result;
}

StatusOr<std::vector<Manifest>>
PluginRegistry::findDeviceManifests(const std::string &text) {
  Discovery found = discover();
  std::vector<std::string> names = deviceNames(found);
  if (text != "auto") {
    auto expanded = expandDevices(
        found, text.rfind("auto:", 0) == 0 ? text.substr(5) : text);
    if (expanded.failed())
      return expanded.takeError();
    names = std::move(*expanded);
  }
  std::vector<Manifest> manifests;
  for (const std::string &name : names)
    manifests.push_back(*findDevice(found, name.substr(0, name.find(':'))));
  return manifests;
}

StatusOr<FrontendRef>
PluginRegistry::findFrontend(const std::string &path, const void *head,
                             size_t size, const std::string &format) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  Discovery found = discover();
  std::string extension = std::filesystem::path(path).extension().string();
  std::string known, failed;
  FrontendRef best = {};
  int32_t bestScore = 0;
  for (const Manifest &manifest : found.accepted) {
    for (const ManifestFormat &f : manifest.formats)
      known += (known.empty() ? "" : ", ") + f.name;
    if (!(manifest.kinds & CUVIL_FRONTEND))
      continue;
    auto plugin = load(manifest);
    if (plugin.failed()) {
      failed += std::string("\n  ") + plugin.takeError().message();
      continue;
    }
    for (const cuvil_frontend &frontend : (*plugin)->frontends) {
      if (!format.empty()) {
        if (format == frontend.name)
          return FrontendRef{*plugin, &frontend};
        continue;
      }
      int32_t score = frontend.sniff(frontend.state,
                                     path.empty() ? nullptr : path.c_str(),
                                     head, size);
      // Between equals the extension decides.
      for (const char *const *e = frontend.extensions; e && *e; ++e)
        score = score > 0 && extension == *e ? score * 2 + 1 : score;
      if (score > bestScore) {
        bestScore = score;
        best = {*plugin, &frontend};
      }
    }
  }
  if (best.table)
    return best;
  std::string what = format.empty()
                         ? "no installed frontend recognises " +
                               (path.empty() ? "the model's bytes"
                                             : "'" + path + "'")
                         : "there is no frontend for format '" + format + "'";
  return Status(CUVIL_NOT_FOUND,
                what + "; known formats: " + (known.empty() ? "none" : known) +
                    (failed.empty() ? "" : "\nfailed to load:" + failed) +
                    explainSearch(found),
                path, format.empty() ? "pass the format by name" : "");
}

std::vector<PassRef> PluginRegistry::getPasses() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::vector<PassRef> result;
  for (const Manifest &manifest : discover().accepted) {
    if (!(manifest.kinds & CUVIL_PASSES))
      continue;
    auto plugin = load(manifest);
    if (plugin.ok())
      for (const cuvil_pass &pass : (*plugin)->passes)
        result.push_back({*plugin, &pass});
  }
  return result;
}

std::vector<RuleSource> PluginRegistry::getRules() {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  std::vector<RuleSource> result;
  for (const Manifest &manifest : discover().accepted) {
    for (const std::string &path : manifest.rules)
      result.push_back({manifest.id, "", path});
    if (!(manifest.kinds & CUVIL_RULES))
      continue;
    auto plugin = load(manifest);
    if (plugin.failed())
      continue;
    auto folder = std::filesystem::path(manifest.path).parent_path();
    for (const cuvil_rules &rules : (*plugin)->rules)
      result.push_back({rules.name, rules.yaml ? rules.yaml : "",
                        rules.path ? (folder / rules.path).string() : ""});
  }
  return result;
}

} // namespace cuvil
