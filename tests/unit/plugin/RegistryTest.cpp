// SPDX-License-Identifier: Apache-2.0
// Loading plugins, good and bad, and asking for devices and formats.
#include "PluginFolder.h"

using namespace cuvil;
using namespace cuvil::test;

namespace {

/// The error of resolving `device` with one plugin made from a fixture.
Status errorOf(const std::string &library, const std::string &id = "test.null",
               const std::string &device = "null",
               const std::string &more = "") {
  PluginFolder folder;
  folder.add("p", library, PluginFolder::manifest(id, device, more));
  auto registry = folder.registry();
  auto found = registry->resolveDevices(device);
  if (found.ok())
    return {};
  // A plugin that failed to load is among the rejected from then on.
  EXPECT_EQ(registry->discover().rejected.size(), 1u);
  return found.takeError();
}

bool contains(const char *text, const char *part) {
  return std::string(text).find(part) != std::string::npos;
}

TEST(Registry, LoadsABackend) {
  PluginFolder folder;
  folder.add("p", "fixture-good",
             PluginFolder::manifest("test.null", "null"));
  auto registry = folder.registry();
  auto found = registry->resolveDevices("null:0");
  ASSERT_TRUE(found.ok()) << found.takeError().message();
  ASSERT_EQ(found->size(), 1u);
  EXPECT_STREQ((*found)[0].table->device, "null");
  EXPECT_EQ((*found)[0].table->struct_size, sizeof(cuvil_backend));
  EXPECT_EQ(registry->resolveDevices("null:5").takeError().code(),
            CUVIL_NOT_FOUND);
}

TEST(Registry, SmallerAndNewerStructsWork) {
  PluginFolder folder;
  folder.add("p", "fixture-old", PluginFolder::manifest("test.null", "null"));
  auto registry = folder.registry();
  auto found = registry->resolveDevices("null");
  ASSERT_TRUE(found.ok()) << found.takeError().message();
  // Members beyond the plugin's struct_size read as absent.
  EXPECT_EQ((*found)[0].table->compatibility, nullptr);
  EXPECT_EQ((*found)[0].table->memory, nullptr);
  EXPECT_TRUE(errorOf("fixture-small").ok());
  EXPECT_TRUE(errorOf("fixture-minor").ok());
}

TEST(Registry, BadPluginsAreCaught) {
  struct Case {
    const char *library, *expected;
  };
  const Case cases[] = {
      {"fixture-major", "plugin ABI 2.0"},
      {"fixture-minhost", "needs plugin ABI 1.99"},
      {"fixture-nosymbol", "has no symbol cuvil_plugin_query"},
      {"fixture-fails", "no such hardware"},
      {"fixture-incomplete", "a backend needs"},
      {"fixture-plain", "calls itself 'test.plain'"},
  };
  for (const Case &c : cases) {
    Status error = errorOf(c.library);
    ASSERT_TRUE(error.failed()) << c.library;
    EXPECT_TRUE(contains(error.message(), c.expected)) << error.message();
    EXPECT_TRUE(contains(error.message(), "device 'null' is not available"))
        << error.message();
  }
  Status thrown = errorOf("fixture-throws", "test.throws");
  EXPECT_TRUE(contains(thrown.message(), "threw: lost my temper"))
      << thrown.message();
  Status unlisted = errorOf("fixture-good", "test.null", "someone-else");
  EXPECT_TRUE(contains(unlisted.message(), "does not list"))
      << unlisted.message();
  Status mlir = errorOf("fixture-good", "test.null", "null",
                        ", \"fingerprint\": \"LLVM 7\"");
  EXPECT_TRUE(contains(mlir.message(), "built for LLVM 'LLVM 7'"))
      << mlir.message();
}

TEST(Registry, GarbageLibraryIsCaught) {
  PluginFolder folder;
  std::string manifest =
      folder.add("p", "", PluginFolder::manifest("test.null", "null"));
  std::ofstream(folder.root / "p" / "plugin.so") << "not an ELF file";
  auto registry = folder.registry();
  Status error = registry->resolveDevices("null").takeError();
  EXPECT_TRUE(contains(error.message(), "cannot be loaded")) << error.message();
}

TEST(Registry, UnknownDeviceSaysWhatThereIs) {
  PluginFolder folder;
  folder.add("p", "fixture-good",
             PluginFolder::manifest("test.null", "null"));
  folder.add("q", "", PluginFolder::manifest("test.gone", "gone"));
  auto registry = folder.registry();
  Status error = registry->resolveDevices("nul").takeError();
  EXPECT_EQ(error.code(), CUVIL_NOT_FOUND);
  EXPECT_TRUE(contains(error.message(), "known devices: null"));
  EXPECT_TRUE(contains(error.message(), folder.root.c_str()));
  EXPECT_STREQ(error.hint(), "did you mean 'null'?");
  // The plugin whose file is missing is named when its device is asked for.
  error = registry->resolveDevices("gone").takeError();
  EXPECT_TRUE(contains(error.message(), "'test.gone'")) << error.message();
  EXPECT_TRUE(contains(error.message(), "does not exist"));
  for (const char *bad : {"", "null,", "null:x", ":1"})
    EXPECT_TRUE(registry->resolveDevices(bad).failed()) << bad;
}

TEST(Registry, DeletingAPluginRemovesItsDeviceAndNothingElse) {
  PluginFolder folder;
  folder.add("p", "fixture-good",
             PluginFolder::manifest("test.null", "null"));
  folder.add("q", "fixture-plain",
             PluginFolder::manifest("test.plain", "plain"));
  auto registry = folder.registry();
  ASSERT_TRUE(registry->resolveDevices("plain,null").ok());
  fs::remove(folder.root / "q" / "plugin.so");
  EXPECT_TRUE(registry->resolveDevices("null").ok());
  EXPECT_TRUE(registry->resolveDevices("plain").failed());
  std::string json = registry->describe(false);
  EXPECT_NE(json.find("plugin.so' does not exist"), std::string::npos);
}

TEST(Registry, PriorityListsAndAuto) {
  PluginFolder folder;
  folder.add("p", "fixture-good",
             PluginFolder::manifest("test.null", "null"));
  folder.add("q", "fixture-plain",
             PluginFolder::manifest("test.plain", "plain"));
  folder.add("r", "fixture-fails", PluginFolder::manifest("test.bad", "bad"));
  auto registry = folder.registry();
  auto list = registry->resolveDevices("plain, null");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ((*list)[0].device, "plain");
  auto all = registry->resolveDevices("auto");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->size(), 2u);
  EXPECT_TRUE(registry->resolveDevices("auto:bad").failed());
  EXPECT_TRUE(registry->resolveDevices("gpu").failed());
}

TEST(Registry, FormatsBySniffingAndByName) {
  PluginFolder folder;
  folder.add("p", "fixture-good",
             PluginFolder::manifest("test.null", "null"));
  auto registry = folder.registry();
  EXPECT_TRUE(registry->findFrontend("m.null", "#abc", 4, "").ok());
  EXPECT_TRUE(registry->findFrontend("", "zzzz", 4, "null").ok());
  Status error = registry->findFrontend("m.bin", "zzzz", 4, "").takeError();
  EXPECT_TRUE(contains(error.message(), "known formats: null"));
  error = registry->findFrontend("m.bin", "zzzz", 4, "onyx").takeError();
  EXPECT_TRUE(contains(error.message(), "format 'onyx'"));
}

TEST(Registry, ListsWithoutLoadingAndProbes) {
  PluginFolder folder;
  folder.add("p", "fixture-good",
             PluginFolder::manifest("test.null", "null"));
  auto registry = folder.registry();
  std::string json = registry->describe(false);
  EXPECT_NE(json.find("\"loaded\": false"), std::string::npos);
  json = registry->describe(true);
  EXPECT_NE(json.find("\"loaded\": true"), std::string::npos);
  EXPECT_NE(json.find("\"score\": 7"), std::string::npos);
}

} // namespace
