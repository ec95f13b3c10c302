// SPDX-License-Identifier: Apache-2.0
// What a plugin says about itself before anyone loads it.
#ifndef CUVIL_PLUGIN_MANIFEST_H
#define CUVIL_PLUGIN_MANIFEST_H

#include "cuvil/Runtime/Status.h"
#include <vector>

namespace cuvil {

struct ManifestDevice {
  std::string name, description;
};
struct ManifestFormat {
  std::string name;
  std::vector<std::string> extensions; // ".onnx"
};

/// The content of a plugin.json; `docs/plugin-abi.md` lists the keys.
struct Manifest {
  std::string path;    // of the manifest, absolute
  std::string origin;  // why it was looked at, e.g. "CUVIL_PLUGIN_PATH"
  std::string id, version, license;
  std::string library; // absolute; empty for plugins of rules only
  uint32_t kinds = 0;  // CUVIL_FRONTEND | ...
  std::vector<ManifestDevice> devices;
  std::vector<ManifestFormat> formats;
  uint32_t abiMajor = 0, abiMinor = 0;
  std::string fingerprint, arch;
  std::vector<std::string> rules; // absolute paths
};

/// Reads the file as far as it can into `out` and says what is wrong with it:
/// malformed, missing files, another ABI major or another architecture.
Status readManifest(const std::string &path, Manifest &out);

/// Names of a kinds mask, e.g. {"frontend", "rules"}.
std::vector<std::string> getKindNames(uint32_t kinds);

} // namespace cuvil

#endif // CUVIL_PLUGIN_MANIFEST_H
