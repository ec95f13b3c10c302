// SPDX-License-Identifier: Apache-2.0
// Computes compile cache keys without loading a plugin.
#include "CacheKey.h"
#include "cuvil/Plugin/Host.h"
#include "cuvil/Plugin/Registry.h"
#include "cuvil/Runtime/Digest.h"
#include "cuvil/Runtime/MappedFile.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace cuvil {
namespace {

void addFile(Digest &digest, const std::string &path) {
  digest.add(path);
  auto stamp = stampFile(path);
  digest.add(stamp.ok() ? stamp->size : 0);
  digest.add(stamp.ok() ? uint64_t(stamp->modified) : 0);
}

/// Kind and features of the first processor: native code is for them.
void addCpu(Digest &digest) {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line) && !line.empty();)
    for (const char *key : {"vendor_id", "cpu family", "model", "cache size",
                            "flags", "Features"})
      if (line.rfind(key, 0) == 0)
        digest.add(line);
}

} // namespace

StatusOr<std::string> makeCacheKey(const cuvil_model_source &source,
                                   const std::string &format,
                                   const std::string &device,
                                   const CompileOptions &options) {
  Digest digest;
  digest.add(std::string("cuvil compile cache 1"));
  digest.add(std::string(getVersion()));
  for (const char *library : {"/libcuvil.so", "/libcuvil-compiler.so"})
    addFile(digest, getLibraryFolder() + library);
  addCpu(digest);
  // Environment that compilers read.
  for (const char *name : {"CUVIL_ISA", "CUVIL_NUM_THREADS"}) {
    const char *value = std::getenv(name);
    digest.add(std::string(value ? value : ""));
  }
  digest.add(format);
  digest.add(device);
  for (const auto &[key, value] : options.all()) {
    digest.add(key);
    digest.add(value);
  }
  Discovery found = PluginRegistry::get().discover();
  for (const Manifest &manifest : found.accepted) {
    digest.add(manifest.id);
    digest.add(manifest.version);
    addFile(digest, manifest.path);
    addFile(digest, manifest.library);
    for (const std::string &rules : manifest.rules)
      addFile(digest, rules);
  }
  // Side files are looked for beside the model.
  std::string path = source.path ? source.path : "";
  std::error_code ec;
  digest.add(std::filesystem::absolute(path, ec).parent_path().string());
  digest.add(std::string(source.base_folder ? source.base_folder : ""));
  digest.add(std::filesystem::path(path).extension().string());
  if (source.data) {
    digest.add(uint64_t(source.size));
    digest.add(source.data, source.size);
    return digest.finish();
  }
  auto file = MappedFile::open(path);
  if (file.failed())
    return file.takeError();
  digest.add(uint64_t((*file)->size()));
  digest.add((*file)->data(), (*file)->size());
  return digest.finish();
}

} // namespace cuvil
