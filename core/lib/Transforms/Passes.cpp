// SPDX-License-Identifier: Apache-2.0
// Registration of the passes.
#include "cuvil/Transforms/Passes.h"

namespace cuvil {
#define GEN_PASS_REGISTRATION
#include "cuvil/Transforms/Passes.h.inc"
} // namespace cuvil
