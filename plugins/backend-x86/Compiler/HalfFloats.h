// SPDX-License-Identifier: Apache-2.0
// Writes out conversions of f16 that LLVM would call a library for.
#ifndef CUVIL_BACKEND_X86_HALFFLOATS_H
#define CUVIL_BACKEND_X86_HALFFLOATS_H

#include "mlir/Pass/Pass.h"

namespace cuvil::x86 {

/// Creates a pass that makes integer operations of the conversions between f16
/// and f32, rounding half to even; for CPUs without F16C.
std::unique_ptr<mlir::Pass> createExpandHalfFloatsPass();

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_HALFFLOATS_H
