// SPDX-License-Identifier: Apache-2.0
// Places the temporary buffers of a kernel on its stack or in its scratch.
#ifndef CUVIL_BACKEND_X86_KERNELSCRATCH_H
#define CUVIL_BACKEND_X86_KERNELSCRATCH_H

#include "KernelFrame.h"

namespace cuvil::x86 {

/// An upper bound of an index value as an expression over sizes; null where none
/// is found.
DimExpr upperBound(mlir::Value value);

/// Replaces each memref.alloc of the kernel. Returns the bytes of scratch that
/// one worker needs, null for none; fails, with an error at the op, where a
/// size has no bound.
mlir::FailureOr<DimExpr> placeBuffers(KernelFrame &frame);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_KERNELSCRATCH_H
