// SPDX-License-Identifier: Apache-2.0
// Which files an import has read beside the model.
#ifndef CUVIL_PLUGIN_SIDEFILES_H
#define CUVIL_PLUGIN_SIDEFILES_H

#include "cuvil/plugin.h"
#include <string>
#include <vector>

namespace cuvil {

/// The builder table that frontends see: the compiler library's, with
/// `depends_on` and the files of constants noted. Called once.
const cuvil_builder_api *recordSideFiles(const cuvil_builder_api &builder);

/// Collects the files of one import while it lives.
class SideFileScope {
public:
  explicit SideFileScope(cuvil_builder *builder);
  ~SideFileScope();
  std::vector<std::string> getFiles() const;

private:
  cuvil_builder *builder;
};

} // namespace cuvil

#endif // CUVIL_PLUGIN_SIDEFILES_H
