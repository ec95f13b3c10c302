// SPDX-License-Identifier: Apache-2.0
// The host table given to plugins, and the compiler library behind it.
#ifndef CUVIL_PLUGIN_HOST_H
#define CUVIL_PLUGIN_HOST_H

#include "cuvil/Plugin/CompilerApi.h"
#include "cuvil/Runtime/Status.h"

namespace cuvil {

/// Cuvil's version, e.g. "0.1.0".
const char *getVersion();

/// The table that plugins and the compiler library get. Its graph, builder
/// and fingerprint members are filled when the compiler library is opened.
const cuvil_host &getHost();

/// Folder that holds libcuvil.so.
const std::string &getLibraryFolder();

/// Opens libcuvil-compiler.so beside libcuvil.so, once.
StatusOr<const cuvil_compiler_api *> openCompiler();
/// The compiler library if it is open; null before.
const cuvil_compiler_api *getOpenCompiler();

} // namespace cuvil

#endif // CUVIL_PLUGIN_HOST_H
