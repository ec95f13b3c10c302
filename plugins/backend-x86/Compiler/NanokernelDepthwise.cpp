// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution, vectorised along the columns of one channel.
#include "NanokernelConv.h"

#include "StridedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <map>

using namespace mlir;
using namespace cuvil::x86;

/// Output rows computed together, so that input rows are loaded once.
static constexpr int64_t kRows = 4;
/// Windows with more taps than this loop over their rows.
static constexpr int64_t kUnrolledTaps = 25;

void cuvil::x86::chooseDepthwiseTiling(const CpuTarget &target,
                                       DepthwiseSpec &spec, Type element) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t lanes = target.lanes(bytes * 8);
  spec.colBlock = 256;
  if (std::optional<int64_t> known = KernelBuilder::constant(spec.outputW))
    spec.colBlock = std::min<int64_t>(
        256, llvm::alignTo(std::max<int64_t>(*known, 1), lanes));
  // The input rows of a block should stay in L1 while its columns are walked.
  int64_t rowBytes =
      spec.colBlock * spec.window.strideW * spec.window.strideH * bytes;
  spec.rowBlock = std::clamp<int64_t>(
      target.l1Bytes * 2 / 3 / rowBytes / kRows * kRows, kRows, 64);
}

Value cuvil::x86::emitDepthwiseTileCount(KernelBuilder &kb,
                                         const DepthwiseSpec &spec) {
  return kb.mul(kb.mul(spec.batch, spec.channels),
                kb.mul(kb.ceilDiv(spec.outputH, spec.rowBlock),
                       kb.ceilDiv(spec.outputW, spec.colBlock)));
}

namespace {
/// Emits one depthwise kernel. Taps are read straight from the image: without
/// checks inside it, under masks next to its borders.
class DepthwiseEmitter {
public:
  DepthwiseEmitter(KernelBuilder &kb, const DepthwiseSpec &spec)
      : kb(kb), spec(spec), window(spec.window),
        reachH((window.kernelH - 1) * window.dilationH),
        reachW((window.kernelW - 1) * window.dilationW) {}

  void emit(Value tileBegin, Value tileEnd) {
    Value rowBlocks = kb.ceilDiv(spec.outputH, spec.rowBlock);
    Value colBlocks = kb.ceilDiv(spec.outputW, spec.colBlock);
    kb.loop(tileBegin, tileEnd, 1, [&](Value item) {
      Value colBlock = kb.rem(item, colBlocks);
      Value rest = kb.div(item, colBlocks);
      Value rowBlock = kb.rem(rest, rowBlocks);
      rest = kb.div(rest, rowBlocks);
      emitItem(rest, kb.mul(rowBlock, spec.rowBlock),
               kb.mul(colBlock, spec.colBlock));
    });
  }

private:
  /// One tile: its first input row and column, and the readers of each tap of a
  /// kernel row.
  struct Taps {
    Value image, weights, y, x;
    SmallVector<StridedReader> readers;
    int64_t rows;
  };

  void emitItem(Value plane, Value rowBegin, Value colBegin) {
    Value channel = kb.rem(plane, spec.channels);
    Value batch = kb.div(plane, spec.channels);
    Value rowEnd = kb.min(spec.outputH, kb.add(rowBegin, spec.rowBlock));
    Value colEnd = kb.min(spec.outputW, kb.add(colBegin, spec.colBlock));
    TileOutput output = outputOf(batch, channel, plane);

    Taps taps;
    taps.image = kb.at(spec.x, kb.mul(plane, kb.mul(spec.inputH, spec.inputW)));
    taps.weights = kb.at(spec.weights, kb.mul(channel, window.taps()));
    kb.loop(colBegin, colEnd, kb.lanes(), [&](Value col) {
      taps.x = kb.add(kb.mul(col, window.strideW), -window.padLeft);
      taps.readers.clear();
      for (int64_t kx = 0; kx < window.kernelW; ++kx)
        taps.readers.emplace_back(kb, kb.add(taps.x, kx * window.dilationW),
                                  spec.inputW, window.strideW);
      emitRowTiles(kb, rowBegin, rowEnd, spec.outputH, kRows,
                   [&](Value row, int64_t rows) {
                     Taps here = taps;
                     here.rows = rows;
                     here.y =
                         kb.add(kb.mul(row, window.strideH), -window.padTop);
                     emitTile(kb, {rows, 1}, output, {batch, row, col, {}}, {},
                              {}, [&](KernelBuilder &, ValueRange initial) {
                                return sumTaps(here, initial);
                              });
                   });
    });
  }

  /// The output plane as a matrix of rows; the caller's functions see pixels.
  TileOutput outputOf(Value batch, Value channel, Value plane) {
    TileOutput output;
    output.c = kb.at(spec.y, kb.mul(plane, kb.mul(spec.outputH, spec.outputW)),
                     spec.outElement);
    output.cRowStride = spec.outputW;
    output.cols = spec.outputW;
    output.element = spec.outElement;
    auto point = [batch, channel, width = spec.outputW](KernelBuilder &kb,
                                                        const TilePoint &at) {
      Value pixel = kb.add(kb.mul(at.row, width), at.col);
      return TilePoint{batch, channel, pixel, at.mask};
    };
    if (spec.init)
      output.init = [this, point](KernelBuilder &kb, const TilePoint &at) {
        return spec.init(kb, point(kb, at));
      };
    if (spec.epilogue)
      output.epilogue = [this, point](KernelBuilder &kb, Value sum,
                                      const TilePoint &at) {
        return spec.epilogue(kb, sum, point(kb, at));
      };
    return output;
  }

  SmallVector<Value> sumTaps(const Taps &taps, ValueRange initial) {
    int64_t height = (taps.rows - 1) * window.strideH + reachH + 1;
    Value inside = isRange(taps.y, height, spec.inputH);
    // Masked loads cost nothing on AVX-512, so only rows need two versions.
    bool masksAreCheap = kb.target().isa == IsaLevel::AVX512;
    if (!masksAreCheap) {
      // Stride 2 reads whole pairs of vectors.
      int64_t span = reachW + (window.strideW == 2
                                   ? 2 * kb.lanes()
                                   : (kb.lanes() - 1) * window.strideW + 1);
      inside = kb.builder().createOrFold<arith::AndIOp>(
          kb.loc(), inside, isRange(taps.x, span, spec.inputW));
    }
    SmallVector<Value> start(initial);
    return kb.ifElse(
        inside,
        [&] { return sumKernelRows(taps, masksAreCheap, false, start); },
        [&] { return sumKernelRows(taps, true, true, start); });
  }

  /// Whether `count` positions from `first` on all lie in [0, size).
  Value isRange(Value first, int64_t count, Value size) {
    return kb.builder().createOrFold<arith::AndIOp>(
        kb.loc(), kb.less(kb.index(-1), first),
        kb.less(kb.add(first, count - 1), size));
  }

  SmallVector<Value> sumKernelRows(const Taps &taps, bool masked,
                                   bool checksRows, ValueRange initial) {
    if (window.taps() <= kUnrolledTaps)
      return sumRows(taps, window.kernelH, masked, checksRows, initial);
    return kb.loop(kb.index(0), kb.index(window.kernelH), 1, initial,
                   [&](Value ky, ValueRange carried) {
                     Taps here = taps;
                     here.y = kb.add(taps.y, kb.mul(ky, window.dilationH));
                     here.weights =
                         kb.at(taps.weights, kb.mul(ky, window.kernelW));
                     return sumRows(here, 1, masked, checksRows, carried);
                   });
  }

  /// Adds `kernelRows` rows of the window to every output row of a tile. An
  /// input row that several output rows need is loaded once.
  SmallVector<Value> sumRows(const Taps &taps, int64_t kernelRows, bool masked,
                             bool checksRows, ValueRange initial) {
    std::map<std::pair<int64_t, int64_t>, Value> loaded;
    auto load = [&](int64_t dy, int64_t kx) {
      Value &value = loaded[{dy, kx}];
      if (value)
        return value;
      Value y = kb.add(taps.y, dy);
      StridedReader reader = taps.readers[kx];
      if (checksRows)
        reader = reader.onlyIf(isRange(y, 1, spec.inputH));
      else if (!masked)
        reader = reader.unmasked();
      value = reader.load(kb.at(taps.image, kb.mul(y, spec.inputW)));
      return value;
    };
    SmallVector<Value> sums(initial);
    for (int64_t ky = 0; ky < kernelRows; ++ky)
      for (int64_t kx = 0; kx < window.kernelW; ++kx) {
        Value weight =
            kb.splat(kb.load(kb.at(taps.weights, ky * window.kernelW + kx)));
        for (int64_t row = 0; row < taps.rows; ++row) {
          int64_t dy = row * window.strideH + ky * window.dilationH;
          sums[row] = kb.mulAdd(weight, load(dy, kx), sums[row]);
        }
      }
    return sums;
  }

  KernelBuilder &kb;
  const DepthwiseSpec &spec;
  const ConvWindow &window;
  int64_t reachH, reachW;
};
} // namespace

void cuvil::x86::emitDepthwise(KernelBuilder &kb, const DepthwiseSpec &spec,
                               Value tileBegin, Value tileEnd) {
  DepthwiseEmitter(kb, spec).emit(tileBegin, tileEnd);
}
