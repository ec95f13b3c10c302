// SPDX-License-Identifier: Apache-2.0
// Importing a model by the frontend that knows it.
#ifndef CUVIL_LIB_CAPI_IMPORT_H
#define CUVIL_LIB_CAPI_IMPORT_H

#include "cuvil/Runtime/Status.h"
#include "cuvil/c_api.h"
#include <memory>
#include <vector>

namespace cuvil {

struct IrDeleter {
  void operator()(cuvil_ir *ir) const;
};
using IrPtr = std::unique_ptr<cuvil_ir, IrDeleter>;

/// Imports by the frontend called `format`, or by the surest one. The files
/// read beside the model are added to `sideFiles`, if not null.
StatusOr<IrPtr> importModel(const cuvil_model_source &source,
                            const std::string &format,
                            const cuvil_options *options,
                            std::vector<std::string> *sideFiles = nullptr);

} // namespace cuvil

#endif // CUVIL_LIB_CAPI_IMPORT_H
