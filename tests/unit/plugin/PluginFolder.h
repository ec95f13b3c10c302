// SPDX-License-Identifier: Apache-2.0
// A temporary folder of plugins made from fixture libraries.
#ifndef CUVIL_TESTS_UNIT_PLUGIN_PLUGINFOLDER_H
#define CUVIL_TESTS_UNIT_PLUGIN_PLUGINFOLDER_H

#include "cuvil/Plugin/Host.h"
#include "cuvil/Plugin/Registry.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace cuvil::test {

namespace fs = std::filesystem;

class PluginFolder {
public:
  PluginFolder() {
    std::string pattern =
        (fs::temp_directory_path() / "cuvil-plugins-XXXXXX").string();
    root = mkdtemp(pattern.data());
  }
  ~PluginFolder() { fs::remove_all(root); }

  static std::string manifest(const std::string &id, const std::string &device,
                              const std::string &more = "") {
    return R"({"manifest_version": 1, "id": ")" + id +
           R"(", "version": "1.0.0", "library": "plugin.so",
           "kinds": ["backend", "frontend"], "abi": "1.0",
           "devices": [{"name": ")" +
           device + R"(", "description": "nothing"}],
           "formats": [{"name": "null", "extensions": [".null"]}])" +
           more + "}";
  }

  /// Installs a fixture library under `name` with a manifest.
  std::string add(const std::string &name, const std::string &library,
                  const std::string &text) {
    fs::create_directories(root / name);
    std::ofstream(root / name / "plugin.json") << text;
    if (!library.empty())
      fs::copy_file(fs::path(CUVIL_TEST_PLUGINS) / (library + ".so"),
                    root / name / "plugin.so",
                    fs::copy_options::overwrite_existing);
    return (root / name / "plugin.json").string();
  }

  DiscoveryOptions options() const {
    DiscoveryOptions options;
    options.places = {{root.string(), "test"}};
    return options;
  }

  /// A registry that sees only this folder.
  std::unique_ptr<PluginRegistry> registry() const {
    return std::make_unique<PluginRegistry>(
        [options = options()] { return options; }, getHost(),
        []() -> StatusOr<std::string> { return std::string("LLVM test"); });
  }

  fs::path root;
};

} // namespace cuvil::test

#endif // CUVIL_TESTS_UNIT_PLUGIN_PLUGINFOLDER_H
