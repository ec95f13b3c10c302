// SPDX-License-Identifier: Apache-2.0
// What a compiled model depends on, as one digest.
#ifndef CUVIL_LIB_CAPI_CACHEKEY_H
#define CUVIL_LIB_CAPI_CACHEKEY_H

#include "Options.h"

namespace cuvil {

/// The digest of the model's bytes and folder, options, device string,
/// installed plugins (their files' states), this Cuvil's own libraries and the
/// CPU. Fails for models that are not one file or one piece of memory.
StatusOr<std::string> makeCacheKey(const cuvil_model_source &source,
                                   const std::string &format,
                                   const std::string &device,
                                   const CompileOptions &options);

} // namespace cuvil

#endif // CUVIL_LIB_CAPI_CACHEKEY_H
