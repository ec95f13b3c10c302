// SPDX-License-Identifier: Apache-2.0
// Turns linalg ops on memrefs into loops of scalar and vector code.
#ifndef CUVIL_BACKEND_X86_LOOPEMITTER_H
#define CUVIL_BACKEND_X86_LOOPEMITTER_H

#include "CpuTarget.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cuvil::x86 {

/// Replaces each linalg op and memref.copy of `function` (all on memrefs) by
/// scf loops. The order of every floating-point reduction depends only on the
/// op and the target. Fails, with an error at the op, only on ops that are not
/// linalg structured ops on memrefs.
mlir::LogicalResult emitLoops(mlir::func::FuncOp function,
                              const CpuTarget &target);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_LOOPEMITTER_H
