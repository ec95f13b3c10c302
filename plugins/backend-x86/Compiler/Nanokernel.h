// SPDX-License-Identifier: Apache-2.0
// The register tile that every contraction kernel is built around.
#ifndef CUVIL_BACKEND_X86_NANOKERNEL_H
#define CUVIL_BACKEND_X86_NANOKERNEL_H

#include "KernelBuilder.h"

#include "llvm/ADT/SmallVector.h"

#include <functional>

namespace cuvil::x86 {

/// Rows and vectors of accumulators kept in registers.
struct RegisterTile {
  int64_t mr = 1;
  int64_t nv = 1;
};

/// Tiles whose inner loop keeps every accumulator, a row of B and a broadcast
/// of A in registers on this machine.
llvm::ArrayRef<RegisterTile> contractionTiles(const CpuTarget &target);

/// Where a vector of results belongs. `row` and `col` (its first lane) are
/// coordinates of the whole result; `mask` is null or tells the lanes inside
/// it.
struct TilePoint {
  mlir::Value batch;
  mlir::Value row;
  mlir::Value col;
  mlir::Value mask;
};

/// Gives the vector that accumulation starts from (default: zero).
using InitFn = std::function<mlir::Value(KernelBuilder &, const TilePoint &)>;
/// Maps a finished vector to what is stored; the element type may change.
/// Memory read here must go through `KernelBuilder::loadVector` with the
/// point's mask.
using EpilogueFn =
    std::function<mlir::Value(KernelBuilder &, mlir::Value, const TilePoint &)>;

/// What the inner loop reads: scalar A(i, k) at a + i * aRowStride +
/// k * aDepthStride, and vector v of row k of B at b + k * bDepthStride + v *
/// W.
struct TileOperands {
  mlir::Value a, aRowStride, aDepthStride;
  mlir::Value b, bDepthStride;
  /// Empty, or one mask per vector where B may end inside the tile.
  llvm::SmallVector<mlir::Value> bMasks;
  /// Elements ahead of the current row of A (of B) to prefetch; 0 for none.
  int64_t prefetchA = 0;
  int64_t prefetchB = 0;
};

/// Where results go and what happens to them on the way.
struct TileOutput {
  mlir::Value c, cRowStride;
  /// Columns of the whole result; those at or beyond it are not written.
  mlir::Value cols;
  /// Element type in memory; null for the accumulator's type.
  mlir::Type element;
  InitFn init;
  EpilogueFn epilogue;
  /// Runs the epilogue in a loop over the rows of a tile kept on the stack
  /// instead of writing it once per accumulator: for long epilogues.
  bool loopEpilogue = false;
  /// Stack space for mr * nv vectors, needed by `loopEpilogue`.
  mlir::Value scratch;
  /// Stack space for this tile's sums between chunks of the depth, rows
  /// nv * W apart; null where the depth is not chunked.
  mlir::Value partial;
};

/// Given the initial accumulators, emits the sum and returns it.
using AccumulateFn = std::function<llvm::SmallVector<mlir::Value>(
    KernelBuilder &, mlir::ValueRange)>;

/// Emits the loop over `depth` and returns the mr * nv accumulators, row by
/// row.
llvm::SmallVector<mlir::Value>
emitTileLoop(KernelBuilder &kb, RegisterTile tile, const TileOperands &operands,
             mlir::Value depth, mlir::ValueRange initial);

/// Emits a whole tile at `origin`: initial values, sum, epilogue and stores.
/// `isFirst` and `isLast` (i1) tell whether this is the first and the last
/// chunk of the depth; between chunks sums live in `output.partial`. Without
/// that the depth is one chunk and both are ignored.
void emitTile(KernelBuilder &kb, RegisterTile tile, const TileOutput &output,
              const TilePoint &origin, mlir::Value isFirst, mlir::Value isLast,
              const AccumulateFn &accumulate);

/// Calls `body(row, mr)` for the tiles that cover rows [begin, end) of a result
/// with `total` rows, where `begin` is a multiple of `mr`. Left-over rows get
/// smaller tiles: one that fits exactly where `total` is constant, else powers
/// of two.
void emitRowTiles(KernelBuilder &kb, mlir::Value begin, mlir::Value end,
                  mlir::Value total, int64_t mr,
                  const std::function<void(mlir::Value, int64_t)> &body);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_NANOKERNEL_H
