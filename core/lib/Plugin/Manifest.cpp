// SPDX-License-Identifier: Apache-2.0
// Parses and checks plugin.json.
#include "cuvil/Plugin/Manifest.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace cuvil {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::uintmax_t kMaxManifestBytes = 1 << 20;
constexpr std::pair<const char *, uint32_t> kKinds[] = {
    {"frontend", CUVIL_FRONTEND},
    {"backend", CUVIL_BACKEND},
    {"passes", CUVIL_PASSES},
    {"rules", CUVIL_RULES}};
constexpr const char *kKnownKeys[] = {
    "manifest_version", "id",      "version", "license",     "library", "kinds",
    "devices",          "formats", "abi",     "fingerprint", "rules",   "arch",
    "description"};

/// Fields of one JSON object; the first problem is kept.
class Reader {
public:
  explicit Reader(const json &object) : object(object) {}

  void string(const char *key, std::string &out, bool required = false) {
    auto it = object.find(key);
    if (it == object.end()) {
      if (required)
        fail(std::string("key '") + key + "' is missing");
    } else if (!it->is_string()) {
      fail(std::string("key '") + key + "' must be a string");
    } else {
      out = it->get<std::string>();
    }
  }

  void strings(const char *key, std::vector<std::string> &out) {
    for (const json *item : array(key))
      if (item->is_string())
        out.push_back(item->get<std::string>());
      else
        fail(std::string("key '") + key + "' must be a list of strings");
  }

  /// The items of a list; none when the key is absent.
  std::vector<const json *> array(const char *key) {
    std::vector<const json *> items;
    auto it = object.find(key);
    if (it == object.end())
      return items;
    if (!it->is_array()) {
      fail(std::string("key '") + key + "' must be a list");
      return items;
    }
    for (const json &item : *it)
      items.push_back(&item);
    return items;
  }

  void fail(const std::string &what) {
    if (problem.empty())
      problem = what;
  }

  std::string problem;

private:
  const json &object;
};

bool isGoodId(const std::string &id) {
  return !id.empty() && id.size() <= 128 &&
         std::all_of(id.begin(), id.end(), [](unsigned char c) {
           return std::isalnum(c) || c == '.' || c == '-' || c == '_';
         });
}

/// A path below `folder`; the manifest may not point elsewhere.
bool resolveBelow(const fs::path &folder, const std::string &relative,
                  std::string &out) {
  fs::path path(relative);
  if (relative.empty() || path.is_absolute())
    return false;
  for (const fs::path &part : path)
    if (part == "..")
      return false;
  out = (folder / path).string();
  return true;
}

/// Why a file must not be loaded as code; empty when it may.
std::string checkFile(const std::string &path) {
  struct stat info;
  if (stat(path.c_str(), &info) != 0)
    return "'" + path + "' does not exist";
  if (!S_ISREG(info.st_mode))
    return "'" + path + "' is not a regular file";
  if (info.st_mode & S_IWOTH)
    return "'" + path + "' can be written by every user";
  if (geteuid() != 0 && info.st_uid != 0 && info.st_uid != geteuid())
    return "'" + path + "' belongs to another user";
  return "";
}

bool parseAbi(const std::string &text, uint32_t &major, uint32_t &minor) {
  char rest;
  return std::sscanf(text.c_str(), "%u.%u%c", &major, &minor, &rest) == 2;
}

void readObject(Reader &reader, const json &object, Manifest &out) {
  for (const auto &[key, value] : object.items())
    if (std::find(std::begin(kKnownKeys), std::end(kKnownKeys), key) ==
        std::end(kKnownKeys))
      reader.fail("unknown key '" + key + "'");
  auto version = object.find("manifest_version");
  if (version == object.end() || !version->is_number_integer())
    reader.fail("key 'manifest_version' is missing or not an integer");
  else if (*version != 1)
    reader.fail("manifest_version " + version->dump() +
                " is not supported (expected 1)");
  reader.string("id", out.id, true);
  reader.string("version", out.version, true);
  reader.string("license", out.license);
  reader.string("fingerprint", out.fingerprint);
  reader.string("arch", out.arch);
  std::vector<std::string> kinds;
  reader.strings("kinds", kinds);
  for (const std::string &name : kinds) {
    auto it = std::find_if(std::begin(kKinds), std::end(kKinds),
                           [&](const auto &kind) { return kind.first == name; });
    if (it == std::end(kKinds))
      reader.fail("unknown kind '" + name +
                  "' (expected frontend, backend, passes or rules)");
    else
      out.kinds |= it->second;
  }
  if (!out.kinds)
    reader.fail("key 'kinds' is missing or empty");
  for (const json *item : reader.array("devices")) {
    ManifestDevice device;
    Reader fields(*item);
    if (!item->is_object()) {
      reader.fail("key 'devices' must be a list of objects");
      continue;
    }
    fields.string("name", device.name, true);
    fields.string("description", device.description);
    if (!fields.problem.empty())
      reader.fail("devices: " + fields.problem);
    out.devices.push_back(std::move(device));
  }
  for (const json *item : reader.array("formats")) {
    ManifestFormat format;
    Reader fields(*item);
    if (!item->is_object()) {
      reader.fail("key 'formats' must be a list of objects");
      continue;
    }
    fields.string("name", format.name, true);
    fields.strings("extensions", format.extensions);
    if (!fields.problem.empty())
      reader.fail("formats: " + fields.problem);
    out.formats.push_back(std::move(format));
  }
  std::string abi;
  reader.string("abi", abi, true);
  if (!parseAbi(abi, out.abiMajor, out.abiMinor))
    reader.fail("key 'abi' must be \"major.minor\", got \"" + abi + "\"");
}

std::string checkContent(const Manifest &m) {
  if (!isGoodId(m.id))
    return "id '" + m.id +
           "' is malformed (letters, digits, '.', '-' and '_' only)";
  if (m.abiMajor != CUVIL_ABI_MAJOR)
    return "built for plugin ABI " + std::to_string(m.abiMajor) + "." +
           std::to_string(m.abiMinor) + ", this Cuvil has " +
           std::to_string(CUVIL_ABI_MAJOR) + "." +
           std::to_string(CUVIL_ABI_MINOR) +
           "; install a version of the plugin for ABI " +
           std::to_string(CUVIL_ABI_MAJOR);
#if defined(__x86_64__)
  const char *arch = "x86_64";
#elif defined(__aarch64__)
  const char *arch = "aarch64";
#else
  const char *arch = "";
#endif
  if (!m.arch.empty() && m.arch != arch)
    return "built for " + m.arch + ", this is " + arch;
  if (m.library.empty() && m.kinds != CUVIL_RULES)
    return "key 'library' is missing or does not name a file below the "
           "manifest's folder";
  if (!m.library.empty())
    if (std::string problem = checkFile(m.library); !problem.empty())
      return "library " + problem;
  for (const std::string &rules : m.rules)
    if (std::string problem = checkFile(rules); !problem.empty())
      return "rule file " + problem;
  return "";
}

} // namespace

Status readManifest(const std::string &path, Manifest &out) {
  std::error_code ec;
  fs::path absolute = fs::absolute(path, ec);
  out.path = absolute.string();
  auto fail = [&](const std::string &what) {
    return Status(CUVIL_INVALID_MODEL, what, out.path);
  };
  if (!fs::is_regular_file(absolute, ec))
    return fail("the manifest does not exist");
  if (fs::file_size(absolute, ec) > kMaxManifestBytes)
    return fail("the manifest is larger than 1 MiB");
  std::ifstream file(absolute, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  json object = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object())
    return fail("the manifest is not a JSON object");
  Reader reader(object);
  readObject(reader, object, out);
  fs::path folder = absolute.parent_path();
  std::string library;
  reader.string("library", library);
  if (!library.empty() && !resolveBelow(folder, library, out.library))
    reader.fail("library '" + library + "' is not below the manifest's folder");
  std::vector<std::string> rules;
  reader.strings("rules", rules);
  for (const std::string &rule : rules) {
    std::string resolved;
    if (!resolveBelow(folder, rule, resolved))
      reader.fail("rule file '" + rule + "' is not below the manifest's folder");
    out.rules.push_back(std::move(resolved));
  }
  if (!reader.problem.empty())
    return fail(reader.problem);
  if (std::string problem = checkContent(out); !problem.empty())
    return fail(problem);
  return {};
}

std::vector<std::string> getKindNames(uint32_t kinds) {
  std::vector<std::string> names;
  for (const auto &[name, bit] : kKinds)
    if (kinds & bit)
      names.push_back(name);
  return names;
}

} // namespace cuvil
