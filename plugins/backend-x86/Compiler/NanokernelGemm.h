// SPDX-License-Identifier: Apache-2.0
// Matrix multiplication kernels: C = epilogue(init + A * B), batched.
#ifndef CUVIL_BACKEND_X86_NANOKERNELGEMM_H
#define CUVIL_BACKEND_X86_NANOKERNELGEMM_H

#include "Nanokernel.h"

#include <optional>

namespace cuvil::x86 {

/// How B lies in memory.
enum class BLayout {
  /// [ceil(N / panel)][K][panel], panel = nv * W, zeros beyond N: see
  /// `emitPackB`.
  Packed,
  /// [K][N] with a row stride.
  RowMajor,
  /// [N][K] with a row stride.
  Transposed,
};

/// Blocking of one kernel. `tile.nv` also fixes the panel width of packed B.
struct GemmTiling {
  RegisterTile tile;
  /// Depth handled before moving to the next rows.
  int64_t depthChunk = 384;
  /// Rows of one work item; a multiple of tile.mr.
  int64_t rowBlock = 64;
};

/// What is known of a shape when the tiling is chosen.
struct GemmShape {
  std::optional<int64_t> m, n, k;
};

/// Picks a tiling for a machine and a shape; `parallelism` is the number of
/// work items that should at least exist, where the shape has so many.
GemmTiling chooseGemmTiling(const CpuTarget &target, mlir::Type element,
                            const GemmShape &shape, BLayout layout,
                            int64_t parallelism = 8);

/// Matrices of one batch entry.
struct GemmPointers {
  mlir::Value a, b, c;
};

struct GemmSpec {
  /// Number of batch entries; null for one.
  mlir::Value batch;
  mlir::Value m, n, k;
  std::function<GemmPointers(KernelBuilder &, mlir::Value)> pointers;
  /// Elements between rows of A; columns are `aDepthStride` apart (default 1).
  mlir::Value aRowStride, aDepthStride;
  BLayout bLayout = BLayout::Packed;
  /// Elements between rows of an unpacked B.
  mlir::Value bRowStride;
  mlir::Value cRowStride;
  /// Element type of C; null for the accumulator's type.
  mlir::Type outElement;
  InitFn init;
  EpilogueFn epilogue;
  bool loopEpilogue = false;
  GemmTiling tiling;
};

/// The number of work items: batch * panels * row blocks.
mlir::Value emitGemmTileCount(KernelBuilder &kb, const GemmSpec &spec);

/// Emits the work items [tileBegin, tileEnd) at the insertion point, which must
/// lie in a function's body. Any of M, N and K may be 0.
void emitGemm(KernelBuilder &kb, const GemmSpec &spec, mlir::Value tileBegin,
              mlir::Value tileEnd);

/// Emits the packing of panels [panelBegin, panelEnd) of a B with `layout`
/// RowMajor or Transposed.
void emitPackB(KernelBuilder &kb, BLayout layout, mlir::Value source,
               mlir::Value rowStride, mlir::Value k, mlir::Value n, int64_t nv,
               mlir::Value packed, mlir::Value panelBegin,
               mlir::Value panelEnd);

/// Elements of a packed B.
int64_t packedBSize(const CpuTarget &target, mlir::Type element, int64_t nv,
                    int64_t k, int64_t n);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_NANOKERNELGEMM_H
