// SPDX-License-Identifier: Apache-2.0
// A function that the reference kernels run.
#ifndef CUVIL_BACKEND_REF_EXECUTABLE_H
#define CUVIL_BACKEND_REF_EXECUTABLE_H

#include "Image.h"

namespace cuvil::ref {

/// Makes the ABI's object around an image, or says why not.
cuvil_status *makeExecutable(const cuvil_host *host, Image image,
                             cuvil_executable **out);

} // namespace cuvil::ref

#endif // CUVIL_BACKEND_REF_EXECUTABLE_H
