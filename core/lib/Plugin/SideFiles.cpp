// SPDX-License-Identifier: Apache-2.0
// Notes the files that imports under way depend on.
#include "cuvil/Plugin/SideFiles.h"
#include "cuvil/Runtime/StructCopy.h"
#include <map>
#include <mutex>
#include <set>

namespace cuvil {
namespace {

/// Leaked: plugins may be at work while the process ends.
struct Imports {
  std::mutex mutex;
  std::map<cuvil_builder *, std::set<std::string>> files;
};
Imports &imports() {
  static auto *all = new Imports;
  return *all;
}

cuvil_builder_api compilerTable;

void dependsOn(cuvil_builder *builder, const char *path) {
  Imports &all = imports();
  std::lock_guard<std::mutex> lock(all.mutex);
  auto it = all.files.find(builder);
  if (it != all.files.end() && path && *path)
    it->second.insert(path);
}

cuvil_status *addConstant(cuvil_builder *builder, const cuvil_constant *given,
                          cuvil_value *out) {
  if (const char *file = zeroExtended(*given).file)
    dependsOn(builder, file);
  return compilerTable.add_constant(builder, given, out);
}

} // namespace

const cuvil_builder_api *recordSideFiles(const cuvil_builder_api &builder) {
  static cuvil_builder_api table;
  compilerTable = zeroExtended(builder);
  table = compilerTable;
  table.add_constant = addConstant;
  table.depends_on = dependsOn;
  return &table;
}

SideFileScope::SideFileScope(cuvil_builder *builder) : builder(builder) {
  Imports &all = imports();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.files[builder];
}

SideFileScope::~SideFileScope() {
  Imports &all = imports();
  std::lock_guard<std::mutex> lock(all.mutex);
  all.files.erase(builder);
}

std::vector<std::string> SideFileScope::getFiles() const {
  Imports &all = imports();
  std::lock_guard<std::mutex> lock(all.mutex);
  const auto &files = all.files[builder];
  return {files.begin(), files.end()};
}

} // namespace cuvil
