// SPDX-License-Identifier: Apache-2.0
// Importing a model by the frontend that knows it.
#ifndef CUVIL_LIB_CAPI_IMPORT_H
#define CUVIL_LIB_CAPI_IMPORT_H

#include "cuvil/Runtime/Status.h"
#include "cuvil/c_api.h"
#include <memory>

namespace cuvil {

struct IrDeleter {
  void operator()(cuvil_ir *ir) const;
};
using IrPtr = std::unique_ptr<cuvil_ir, IrDeleter>;

/// Imports by the frontend called `format`, or by the surest one.
StatusOr<IrPtr> importModel(const cuvil_model_source &source,
                            const std::string &format,
                            const cuvil_options *options);

} // namespace cuvil

#endif // CUVIL_LIB_CAPI_IMPORT_H
