// SPDX-License-Identifier: Apache-2.0
// Walks the places where plugins may be, in order.
#include "cuvil/Plugin/Discovery.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fnmatch.h>
#include <sstream>
#include <sys/auxv.h>

namespace cuvil {
namespace {

namespace fs = std::filesystem;

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> split(const std::string &text, char separator) {
  std::vector<std::string> parts;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty())
      parts.push_back(part);
  return parts;
}

bool matchesAny(const std::string &globs, const std::string &id) {
  for (const std::string &glob : split(globs, ','))
    if (fnmatch(glob.c_str(), id.c_str(), 0) == 0)
      return true;
  return false;
}

/// The manifests at a place, sorted: itself, its plugin.json, or those of its
/// subfolders.
std::vector<std::string> listManifests(const std::string &place) {
  std::error_code ec;
  if (fs::is_regular_file(place, ec))
    return {place};
  fs::path own = fs::path(place) / "plugin.json";
  if (fs::exists(own, ec))
    return {own.string()};
  std::vector<std::string> found;
  for (fs::directory_iterator it(place, ec), end; !ec && it != end;
       it.increment(ec)) {
    fs::path manifest = it->path() / "plugin.json";
    std::error_code ignored;
    if (fs::exists(manifest, ignored))
      found.push_back(manifest.string());
  }
  std::sort(found.begin(), found.end());
  return found;
}

class Search {
public:
  explicit Search(const DiscoveryOptions &options) : options(options) {}

  Discovery run() {
    for (const SearchPlace &place : options.places) {
      result.searched.push_back(place);
      std::error_code ec;
      if (place.origin == "load_plugin" && !fs::exists(place.path, ec))
        log(place.path, "does not exist");
      for (const std::string &path : listManifests(place.path))
        consider(path, place.origin);
    }
    return std::move(result);
  }

private:
  void consider(const std::string &path, const std::string &origin) {
    Manifest manifest;
    manifest.origin = origin;
    Status status = readManifest(path, manifest);
    if (status.failed())
      return reject(std::move(manifest), status.message());
    if (!options.allow.empty() && !matchesAny(options.allow, manifest.id))
      return reject(std::move(manifest), "not in CUVIL_PLUGINS");
    if (matchesAny(options.deny, manifest.id))
      return reject(std::move(manifest), "disabled by CUVIL_PLUGINS_DISABLE");
    for (const Manifest &other : result.accepted)
      if (other.id == manifest.id) {
        std::error_code ec;
        // The same file reached by two ways is no news.
        if (fs::equivalent(other.path, manifest.path, ec))
          return;
        return reject(std::move(manifest),
                      "a plugin of this id was found before: " + other.path);
      }
    log(manifest.path, "accepted (" + origin + ")");
    result.accepted.push_back(std::move(manifest));
  }

  void reject(Manifest manifest, const std::string &reason) {
    log(manifest.path, "rejected: " + reason);
    result.rejected.push_back({std::move(manifest), reason});
  }

  void log(const std::string &path, const std::string &what) const {
    if (options.log)
      std::fprintf(stderr, "cuvil: plugin %s: %s\n", path.c_str(),
                   what.c_str());
  }

  const DiscoveryOptions &options;
  Discovery result;
};

} // namespace

DiscoveryOptions
DiscoveryOptions::fromProcess(const std::vector<SearchPlace> &explicitPlaces,
                              const std::vector<SearchPlace> &addedPlaces,
                              const std::string &installFolder) {
  DiscoveryOptions options;
  options.places = explicitPlaces;
  bool privileged = getauxval(AT_SECURE) != 0;
  if (!privileged) {
    options.allow = environment("CUVIL_PLUGINS");
    options.deny = environment("CUVIL_PLUGINS_DISABLE");
    options.log = !environment("CUVIL_PLUGIN_LOG").empty();
    for (const std::string &path : split(environment("CUVIL_PLUGIN_PATH"), ':'))
      options.places.push_back({path, "CUVIL_PLUGIN_PATH"});
  }
  options.places.insert(options.places.end(), addedPlaces.begin(),
                        addedPlaces.end());
  if (!privileged) {
    std::string data = environment("XDG_DATA_HOME");
    std::string home = environment("HOME");
    if (data.empty() && !home.empty())
      data = home + "/.local/share";
    if (!data.empty())
      options.places.push_back({data + "/cuvil/plugins", "user folder"});
  }
  options.places.push_back({installFolder, "install folder"});
  return options;
}

Discovery discoverPlugins(const DiscoveryOptions &options) {
  return Search(options).run();
}

} // namespace cuvil
