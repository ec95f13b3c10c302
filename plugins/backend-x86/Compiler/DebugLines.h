// SPDX-License-Identifier: Apache-2.0
// Rewrites MLIR locations into scoped lines that become a DWARF line table.
#ifndef CUVIL_BACKEND_X86_DEBUGLINES_H
#define CUVIL_BACKEND_X86_DEBUGLINES_H

#include "ObjectEmitter.h"

namespace cuvil::x86 {

/// Gives each `llvm.func` with a body a subprogram and each operation in it a
/// line inside that subprogram, as told by `lineOf`.
void attachDebugLines(mlir::ModuleOp module,
                      const std::function<SourceLine(mlir::Location)> &lineOf);

/// The first file and line that a location holds, looking through names, call
/// sites and fused locations.
SourceLine firstFileLine(mlir::Location loc);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_DEBUGLINES_H
