// SPDX-License-Identifier: Apache-2.0
// Manifests and where they are looked for.
#include "PluginFolder.h"
#include <sys/stat.h>

using namespace cuvil;
using namespace cuvil::test;

namespace {

/// The reason why a manifest is refused.
std::string reasonFor(const std::string &text, bool withLibrary = true) {
  PluginFolder folder;
  folder.add("p", withLibrary ? "fixture-good" : "", text);
  Discovery found = discoverPlugins(folder.options());
  return found.rejected.empty() ? "" : found.rejected[0].reason;
}

void replace(std::string &text, const std::string &from,
             const std::string &to) {
  size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, from.size(), to);
}

TEST(Manifest, GoodOne) {
  PluginFolder folder;
  folder.add("p", "fixture-good", PluginFolder::manifest("a.b", "null"));
  Discovery found = discoverPlugins(folder.options());
  ASSERT_EQ(found.accepted.size(), 1u);
  EXPECT_EQ(found.accepted[0].id, "a.b");
  EXPECT_EQ(found.accepted[0].kinds, uint32_t(CUVIL_BACKEND | CUVIL_FRONTEND));
  EXPECT_EQ(found.accepted[0].formats[0].extensions[0], ".null");
}

TEST(Manifest, EachDefectHasAReason) {
  struct Case {
    const char *from, *to, *expected;
  };
  const Case cases[] = {
      {"\"manifest_version\": 1", "\"manifest_version\": 2", "not supported"},
      {"\"id\": \"a.b\"", "\"id\": \"a/b\"", "malformed"},
      {"\"id\": \"a.b\"", "\"id\": 3", "must be a string"},
      {"\"abi\": \"1.0\"", "\"abi\": \"2.0\"", "plugin ABI 2.0"},
      {"\"abi\": \"1.0\"", "\"abi\": \"one\"", "major.minor"},
      {"\"backend\"", "\"backends\"", "unknown kind 'backends'"},
      {"plugin.so", "../plugin.so", "not below the manifest's folder"},
      {"plugin.so", "/lib/plugin.so", "not below the manifest's folder"},
      {"plugin.so", "other.so", "does not exist"},
      {"\"abi\"", "\"colour\": 1, \"abi\"", "unknown key 'colour'"},
      {"\"abi\"", "\"arch\": \"sparc\", \"abi\"", "built for sparc"},
      {"\"abi\"", "\"rules\": [\"no.yaml\"], \"abi\"", "rule file"},
  };
  EXPECT_NE(reasonFor("[1, 2"), "");
  EXPECT_NE(reasonFor("[]").find("not a JSON object"), std::string::npos);
  for (const Case &c : cases) {
    std::string text = PluginFolder::manifest("a.b", "null");
    replace(text, c.from, c.to);
    EXPECT_NE(reasonFor(text).find(c.expected), std::string::npos)
        << c.to << " gave: " << reasonFor(text);
  }
}

TEST(Manifest, LibraryThatOthersCanWriteIsRefused) {
  PluginFolder folder;
  folder.add("p", "fixture-good", PluginFolder::manifest("a.b", "null"));
  chmod((folder.root / "p" / "plugin.so").c_str(), 0777);
  Discovery found = discoverPlugins(folder.options());
  ASSERT_EQ(found.rejected.size(), 1u);
  EXPECT_NE(found.rejected[0].reason.find("every user"), std::string::npos);
}

TEST(Discovery, SortedFirstIdWinsAndFilters) {
  PluginFolder folder;
  folder.add("b", "fixture-good", PluginFolder::manifest("x.one", "null"));
  folder.add("a", "fixture-good", PluginFolder::manifest("x.one", "other"));
  folder.add("c", "fixture-good", PluginFolder::manifest("x.two", "two"));
  DiscoveryOptions options = folder.options();
  Discovery found = discoverPlugins(options);
  ASSERT_EQ(found.accepted.size(), 2u);
  EXPECT_EQ(found.accepted[0].devices[0].name, "other");
  ASSERT_EQ(found.rejected.size(), 1u);
  EXPECT_NE(found.rejected[0].reason.find("found before"), std::string::npos);
  options.deny = "x.t*";
  EXPECT_EQ(discoverPlugins(options).accepted.size(), 1u);
  options.deny = "";
  options.allow = "x.two,y.*";
  found = discoverPlugins(options);
  ASSERT_EQ(found.accepted.size(), 1u);
  EXPECT_EQ(found.accepted[0].id, "x.two");
}

TEST(Discovery, PlacesOfTheProcessInOrder) {
  setenv("CUVIL_PLUGIN_PATH", "/env/one:/env/two", 1);
  setenv("XDG_DATA_HOME", "/data", 1);
  DiscoveryOptions options = DiscoveryOptions::fromProcess(
      {{"/explicit", "load_plugin"}}, {{"/added", "entry point"}}, "/install");
  unsetenv("CUVIL_PLUGIN_PATH");
  unsetenv("XDG_DATA_HOME");
  std::vector<std::string> paths;
  for (const SearchPlace &place : options.places)
    paths.push_back(place.path);
  EXPECT_EQ(paths, (std::vector<std::string>{"/explicit", "/env/one",
                                             "/env/two", "/added",
                                             "/data/cuvil/plugins",
                                             "/install"}));
}

} // namespace
