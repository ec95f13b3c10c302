// SPDX-License-Identifier: Apache-2.0
// Copies parts of matrices into panels that the inner loop reads in order.
#ifndef CUVIL_BACKEND_X86_PANELPACKING_H
#define CUVIL_BACKEND_X86_PANELPACKING_H

#include "KernelBuilder.h"

namespace cuvil::x86 {

/// Copies a [depth][cols] matrix with a row stride to [depth][nv * W]; columns
/// at or beyond `cols` (which may exceed the panel) become zero.
void emitPackRows(KernelBuilder &kb, mlir::Value source, mlir::Value rowStride,
                  mlir::Value depth, mlir::Value cols, int64_t nv,
                  mlir::Value panel);

/// The same for a source that lies transposed, [cols][depth].
void emitPackTransposed(KernelBuilder &kb, mlir::Value source,
                        mlir::Value rowStride, mlir::Value depth,
                        mlir::Value cols, int64_t nv, mlir::Value panel);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_PANELPACKING_H
