// SPDX-License-Identifier: Apache-2.0
// Passes of the conversion module.
#ifndef CUVIL_CONVERSION_PASSES_H
#define CUVIL_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"
#include <memory>

namespace cuvil {

/// `cuvil-to-linalg`: lowers the functions of a module, for tests and tools.
/// A symbol is read from the first argument dim that is exactly it, or from an
/// i64 argument with the attribute `cuvil.symbol = "name"`. Run-time errors
/// become cf.assert.
std::unique_ptr<mlir::Pass> createCuvilToLinalgPass();

void registerConversionPasses();

} // namespace cuvil

#endif // CUVIL_CONVERSION_PASSES_H
