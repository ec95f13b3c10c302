// SPDX-License-Identifier: Apache-2.0
// Declarations and registration of the passes.
#ifndef CUVIL_TRANSFORMS_PASSES_H
#define CUVIL_TRANSFORMS_PASSES_H

#include "cuvil/IR/CuvilDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace cuvil {
#define GEN_PASS_DECL
#include "cuvil/Transforms/Passes.h.inc"

/// registerCuvilPasses() makes every pass known by name to pipelines.
#define GEN_PASS_REGISTRATION
#include "cuvil/Transforms/Passes.h.inc"
} // namespace cuvil

#endif // CUVIL_TRANSFORMS_PASSES_H
