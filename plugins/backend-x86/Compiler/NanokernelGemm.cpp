// SPDX-License-Identifier: Apache-2.0
// Blocks a matrix multiplication around the register tile.
#include "NanokernelGemm.h"

#include "PanelPacking.h"

#include <algorithm>

using namespace mlir;
using namespace cuvil::x86;

/// Up to this many rows an unpacked B is read in place: it is used too seldom
/// for a copy to pay.
static constexpr int64_t kDirectRows = 4;

static bool readsBInPlace(const GemmSpec &spec) {
  std::optional<int64_t> m = KernelBuilder::constant(spec.m);
  return spec.bLayout == BLayout::RowMajor && m && *m <= kDirectRows;
}

GemmTiling cuvil::x86::chooseGemmTiling(const CpuTarget &target, Type element,
                                        const GemmShape &shape, BLayout layout,
                                        int64_t parallelism) {
  int64_t lanes = target.lanes(element.getIntOrFloatBitWidth());
  ArrayRef<RegisterTile> candidates = contractionTiles(target);
  // Relative cost: work on padded columns, and rows of tiles that are too short
  // to hide the loads of B.
  auto cost = [&](RegisterTile tile) {
    double padding = 1;
    if (shape.n && *shape.n > 0) {
      int64_t panel = tile.nv * lanes;
      padding = double(llvm::divideCeil(*shape.n, panel) * panel) / *shape.n;
    }
    double rows = 1;
    if (shape.m && *shape.m > 0)
      rows = double(llvm::divideCeil(*shape.m, tile.mr) * tile.mr) / *shape.m;
    // A short tail tile still runs near full speed, so rows weigh little.
    return padding * (0.9 + 0.1 * rows);
  };
  GemmTiling tiling;
  tiling.tile = *std::min_element(
      candidates.begin(), candidates.end(),
      [&](RegisterTile x, RegisterTile y) { return cost(x) < cost(y); });

  int64_t panel = tiling.tile.nv * lanes;
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  // The chunk of a panel should fill about half of L2's fair share while the
  // rows of A stream through L1.
  tiling.depthChunk = std::clamp<int64_t>(
      target.l2Bytes / 4 / (panel * bytes) / 64 * 64, 128, 384);
  if (shape.k && *shape.k <= tiling.depthChunk * 3 / 2)
    tiling.depthChunk = std::max<int64_t>(*shape.k, 1);
  else if (shape.k)
    tiling.depthChunk = llvm::alignTo(
        llvm::divideCeil(*shape.k,
                         llvm::divideCeil(*shape.k, tiling.depthChunk)),
        16);

  int64_t mr = tiling.tile.mr;
  int64_t blocks = 1;
  if (shape.m && shape.n) {
    int64_t panels = std::max<int64_t>(1, llvm::divideCeil(*shape.n, panel));
    blocks = llvm::divideCeil(parallelism, panels);
  }
  // Unpacked B is copied once per work item, which wants many rows.
  int64_t cap = layout == BLayout::Packed ? 256 : 512;
  int64_t rows = cap;
  if (shape.m)
    rows = std::min<int64_t>(
        cap, llvm::divideCeil(std::max<int64_t>(*shape.m, 1), blocks));
  tiling.rowBlock = std::max<int64_t>(mr, llvm::alignTo(rows, mr));
  return tiling;
}

int64_t cuvil::x86::packedBSize(const CpuTarget &target, Type element,
                                int64_t nv, int64_t k, int64_t n) {
  int64_t panel = nv * target.lanes(element.getIntOrFloatBitWidth());
  return llvm::divideCeil(n, panel) * panel * k;
}

static Value batchCount(KernelBuilder &kb, const GemmSpec &spec) {
  return spec.batch ? spec.batch : kb.index(1);
}

Value cuvil::x86::emitGemmTileCount(KernelBuilder &kb, const GemmSpec &spec) {
  Value panels = kb.ceilDiv(spec.n, spec.tiling.tile.nv * kb.lanes());
  Value blocks = kb.ceilDiv(spec.m, spec.tiling.rowBlock);
  return kb.mul(batchCount(kb, spec), kb.mul(panels, blocks));
}

void cuvil::x86::emitPackB(KernelBuilder &kb, BLayout layout, Value source,
                           Value rowStride, Value k, Value n, int64_t nv,
                           Value packed, Value panelBegin, Value panelEnd) {
  int64_t width = nv * kb.lanes();
  kb.loop(panelBegin, panelEnd, 1, [&](Value panel) {
    Value col = kb.mul(panel, width);
    Value to = kb.at(packed, kb.mul(kb.mul(panel, k), width));
    Value left = kb.sub(n, col);
    if (layout == BLayout::Transposed)
      emitPackTransposed(kb, kb.at(source, kb.mul(col, rowStride)), rowStride,
                         k, left, nv, to);
    else
      emitPackRows(kb, kb.at(source, col), rowStride, k, left, nv, to);
  });
}

void cuvil::x86::emitGemm(KernelBuilder &kb, const GemmSpec &spec,
                          Value tileBegin, Value tileEnd) {
  RegisterTile tile = spec.tiling.tile;
  int64_t width = tile.nv * kb.lanes();
  bool inPlace = readsBInPlace(spec);
  bool copies = spec.bLayout != BLayout::Packed && !inPlace;

  int64_t chunk = spec.tiling.depthChunk;
  std::optional<int64_t> knownK = KernelBuilder::constant(spec.k);
  bool chunked = !knownK || *knownK > chunk;

  Value panelScratch, partialScratch;
  if (chunked)
    partialScratch = kb.stack(spec.tiling.rowBlock * width);
  if (copies)
    panelScratch = kb.stack(chunk * width);
  TileOutput output;
  output.cRowStride = spec.cRowStride;
  output.cols = spec.n;
  output.element = spec.outElement;
  output.init = spec.init;
  output.epilogue = spec.epilogue;
  output.loopEpilogue = spec.loopEpilogue;
  if (spec.loopEpilogue)
    output.scratch = kb.stack(tile.mr * width);

  Value zero = kb.index(0);
  Value blocks = kb.ceilDiv(spec.m, spec.tiling.rowBlock);
  Value panels = kb.ceilDiv(spec.n, width);
  kb.loop(tileBegin, tileEnd, 1, [&](Value item) {
    Value block = kb.rem(item, blocks);
    Value rest = kb.div(item, blocks);
    Value panel = kb.rem(rest, panels);
    Value batch = spec.batch ? kb.div(rest, panels) : zero;
    GemmPointers pointers = spec.pointers(kb, batch);
    output.c = pointers.c;
    Value rowBegin = kb.mul(block, spec.tiling.rowBlock);
    Value rowEnd = kb.min(spec.m, kb.add(rowBegin, spec.tiling.rowBlock));
    Value col = kb.mul(panel, width);
    Value colsLeft = kb.sub(spec.n, col);

    auto emitChunk = [&](Value first, Value depth, Value isFirst,
                         Value isLast) {
      TileOperands operands;
      operands.aRowStride = spec.aRowStride;
      operands.aDepthStride =
          spec.aDepthStride ? spec.aDepthStride : kb.index(1);
      operands.bDepthStride = kb.index(width);
      if (spec.bLayout == BLayout::Packed) {
        Value start = kb.add(kb.mul(panel, spec.k), first);
        operands.b = kb.at(pointers.b, kb.mul(start, width));
      } else if (spec.bLayout == BLayout::RowMajor) {
        Value start = kb.add(kb.mul(first, spec.bRowStride), col);
        operands.b = kb.at(pointers.b, start);
        if (inPlace)
          operands.bDepthStride = spec.bRowStride;
      } else {
        Value start = kb.add(kb.mul(col, spec.bRowStride), first);
        operands.b = kb.at(pointers.b, start);
      }
      if (copies) {
        auto pack = spec.bLayout == BLayout::RowMajor ? emitPackRows
                                                      : emitPackTransposed;
        pack(kb, operands.b, spec.bRowStride, depth, colsLeft, tile.nv,
             panelScratch);
        operands.b = panelScratch;
      }
      Value aChunk = kb.at(pointers.a, kb.mul(first, operands.aDepthStride));
      auto emitRows = [&](const TileOperands &base) {
        emitRowTiles(
            kb, rowBegin, rowEnd, spec.m, tile.mr, [&](Value row, int64_t mr) {
              TileOperands here = base;
              here.a = kb.at(aChunk, kb.mul(row, spec.aRowStride));
              if (chunked)
                output.partial =
                    kb.at(partialScratch, kb.mul(kb.sub(row, rowBegin), width));
              RegisterTile tileHere{mr, tile.nv};
              emitTile(kb, tileHere, output, {batch, row, col, {}}, isFirst,
                       isLast, [&](KernelBuilder &kb, ValueRange initial) {
                         return emitTileLoop(kb, tileHere, here, depth,
                                             initial);
                       });
            });
      };
      std::optional<int64_t> cols = KernelBuilder::constant(spec.n);
      if (!inPlace || (cols && *cols % width == 0)) {
        emitRows(operands);
        return;
      }
      kb.ifThen(
          kb.less(colsLeft, kb.index(width)),
          [&] {
            TileOperands masked = operands;
            for (int64_t v = 0; v < tile.nv; ++v)
              masked.bMasks.push_back(
                  kb.maskBelow(kb.add(colsLeft, -v * kb.lanes())));
            emitRows(masked);
          },
          [&] { emitRows(operands); });
    };

    auto truth = [&](bool value) {
      return kb.equal(zero, kb.index(value ? 0 : 1));
    };
    if (!chunked) {
      emitChunk(zero, spec.k, truth(true), truth(true));
      return;
    }
    // With no depth at all one empty chunk still writes the result.
    Value chunks = kb.max(kb.index(1), kb.ceilDiv(spec.k, chunk));
    kb.loop(zero, chunks, 1, [&](Value index) {
      Value first = kb.mul(index, chunk);
      Value depth = kb.min(kb.index(chunk), kb.sub(spec.k, first));
      emitChunk(first, depth, kb.equal(index, zero),
                kb.equal(kb.add(index, 1), chunks));
    });
  });
}
