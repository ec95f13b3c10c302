// SPDX-License-Identifier: Apache-2.0
// Implicit matrix multiplication: packed weights times gathered pixels.
#include "NanokernelConv.h"

#include "StridedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <algorithm>

using namespace mlir;
using namespace cuvil::x86;

ConvTiling cuvil::x86::chooseConvTiling(const CpuTarget &target, Type element,
                                        const ConvShape &shape,
                                        int64_t parallelism) {
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t lanes = target.lanes(bytes * 8);
  ArrayRef<RegisterTile> candidates = contractionTiles(target);
  auto waste = [&](RegisterTile tile) {
    if (!shape.pixels || *shape.pixels == 0)
      return 1.0;
    int64_t panel = tile.nv * lanes;
    return double(llvm::divideCeil(*shape.pixels, panel) * panel) /
           double(*shape.pixels);
  };
  ConvTiling tiling;
  tiling.tile = *std::min_element(
      candidates.begin(), candidates.end(),
      [&](RegisterTile x, RegisterTile y) { return waste(x) < waste(y); });

  // Equal row tiles rather than full ones and a small rest.
  int64_t rows = std::max<int64_t>(shape.outputsPerGroup, 1);
  int64_t rowTiles = llvm::divideCeil(rows, tiling.tile.mr);
  tiling.tile.mr = llvm::divideCeil(rows, rowTiles);

  int64_t taps = shape.window.taps();
  int64_t panelBytes = tiling.tile.nv * lanes * bytes;
  int64_t depth = std::max<int64_t>(target.l1Bytes * 2 / 3 / panelBytes, 64);
  int64_t inputs = std::max<int64_t>(shape.inputsPerGroup, 1);
  int64_t chunk = std::clamp<int64_t>(depth / taps, 1, inputs);
  tiling.channelChunk =
      llvm::divideCeil(inputs, llvm::divideCeil(inputs, chunk));

  // Rows of one panel lie a whole image apart, which caches and TLBs dislike,
  // so copying pays as soon as the panel is used twice.
  tiling.packPointwise = rowTiles >= 2;

  int64_t items = shape.groups * shape.batch.value_or(1);
  if (shape.pixels)
    items *= std::max<int64_t>(
        1, llvm::divideCeil(*shape.pixels, tiling.tile.nv * lanes));
  int64_t blocks =
      std::clamp<int64_t>(llvm::divideCeil(parallelism, items), 1, rowTiles);
  tiling.outputBlock =
      blocks == 1 ? rows : llvm::divideCeil(rowTiles, blocks) * tiling.tile.mr;
  return tiling;
}

/// A 1x1 window that maps each pixel to itself; rows then do not matter.
static bool isPointwise(const ConvSpec &spec) {
  const ConvWindow &w = spec.window;
  auto same = [](Value x, Value y) {
    std::optional<int64_t> known = KernelBuilder::constant(x);
    return x == y || (known && known == KernelBuilder::constant(y));
  };
  return w.taps() == 1 && w.strideH == 1 && w.strideW == 1 && w.padTop == 0 &&
         w.padLeft == 0 && same(spec.inputH, spec.outputH) &&
         same(spec.inputW, spec.outputW);
}

static int64_t outputBlocks(const ConvSpec &spec) {
  return llvm::divideCeil(spec.outputsPerGroup, spec.tiling.outputBlock);
}

Value cuvil::x86::emitConvTileCount(KernelBuilder &kb, const ConvSpec &spec) {
  Value pixels = kb.mul(spec.outputH, spec.outputW);
  Value panels = kb.ceilDiv(pixels, spec.tiling.tile.nv * kb.lanes());
  return kb.mul(kb.mul(spec.batch, panels), spec.groups * outputBlocks(spec));
}

namespace {
/// Emits one convolution kernel.
class ConvEmitter {
public:
  ConvEmitter(KernelBuilder &kb, ConvSpec spec)
      : kb(kb), spec(std::move(spec)), tile(this->spec.tiling.tile),
        width(tile.nv * kb.lanes()), pointwise(isPointwise(this->spec)) {
    pixels = kb.mul(this->spec.outputH, this->spec.outputW);
    if (pointwise) {
      this->spec.inputH = this->spec.outputH = kb.index(1);
      this->spec.inputW = this->spec.outputW = pixels;
    }
    plane = kb.mul(this->spec.inputH, this->spec.inputW);
  }

  void emit(Value tileBegin, Value tileEnd) {
    int64_t chunk = spec.tiling.channelChunk;
    chunks = llvm::divideCeil(spec.inputsPerGroup, chunk);
    std::optional<int64_t> known = KernelBuilder::constant(pixels);
    bool readsInPlace = pointwise && !spec.tiling.packPointwise;
    mayPack = !readsInPlace || !known || *known % width != 0;
    alwaysPacks = !readsInPlace;
    if (mayPack) {
      // One more vector, because the last row is written in whole vectors.
      int64_t size = chunk * spec.window.taps() * width + kb.lanes();
      panelScratch = kb.stack(size);
      // Columns past the last pixel are computed but not stored. What happens
      // to lie there could be denormal, which is many times slower.
      if (!known || *known % width != 0)
        kb.loop(kb.index(0), kb.index(size), kb.lanes(), [&](Value i) {
          kb.store(kb.zeroVector(), kb.at(panelScratch, i));
        });
    }
    if (chunks > 1)
      partialScratch = kb.stack(spec.tiling.outputBlock * width);
    output.cRowStride = pixels;
    output.cols = pixels;
    output.element = spec.outElement;
    output.init = spec.init;
    output.epilogue = spec.epilogue;
    output.loopEpilogue = spec.loopEpilogue;
    if (spec.loopEpilogue)
      output.scratch = kb.stack(tile.mr * width);

    Value panels = kb.ceilDiv(pixels, width);
    kb.loop(tileBegin, tileEnd, 1, [&](Value item) {
      Value block = kb.rem(item, kb.index(outputBlocks(spec)));
      Value rest = kb.div(item, kb.index(outputBlocks(spec)));
      Value panel = kb.rem(rest, panels);
      rest = kb.div(rest, panels);
      Value group = kb.rem(rest, kb.index(spec.groups));
      Value batch = kb.div(rest, kb.index(spec.groups));
      Value col = kb.mul(panel, width),
            row = kb.mul(block, spec.tiling.outputBlock);
      int64_t tailVectors = narrowTail(known);
      if (!tailVectors) {
        emitItem(batch, group, col, row);
        return;
      }
      auto emitWith = [&](int64_t nv) {
        RegisterTile whole = tile;
        tile.nv = nv;
        width = nv * kb.lanes();
        emitItem(batch, group, col, row);
        tile = whole;
        width = whole.nv * kb.lanes();
      };
      kb.ifThen(
          kb.less(pixels, kb.add(col, width)), [&] { emitWith(tailVectors); },
          [&] { emitWith(tile.nv); });
    });
  }

private:
  /// Vectors of a narrower last panel; 0 where it would save too little to be
  /// worth its code. With 16 registers narrow tiles spill.
  int64_t narrowTail(std::optional<int64_t> knownPixels) const {
    if (!knownPixels || kb.target().isa != IsaLevel::AVX512)
      return 0;
    int64_t vectors = llvm::divideCeil(*knownPixels % width, kb.lanes());
    int64_t saved = (tile.nv - vectors) * kb.lanes();
    bool pays = vectors > 0 && saved * 25 > *knownPixels;
    return pays ? vectors : 0;
  }

  void emitItem(Value batch, Value group, Value col, Value rowBegin) {
    int64_t chunk = spec.tiling.channelChunk, taps = spec.window.taps();
    int64_t depthOfAll = spec.inputsPerGroup * taps;
    Value rowEnd = kb.min(kb.index(spec.outputsPerGroup),
                          kb.add(rowBegin, spec.tiling.outputBlock));
    Value firstPlane =
        kb.mul(kb.add(kb.mul(batch, spec.groups), group), spec.inputsPerGroup);
    Value image = kb.at(spec.x, kb.mul(firstPlane, plane));
    Value firstRow = kb.mul(group, spec.outputsPerGroup);
    Value weights = kb.at(spec.weights, kb.mul(firstRow, depthOfAll));
    output.c =
        kb.at(spec.y,
              kb.mul(kb.mul(batch, spec.groups * spec.outputsPerGroup), pixels),
              spec.outElement);

    kb.loop(kb.index(0), kb.index(chunks), 1, [&](Value index) {
      Value firstChannel = kb.mul(index, chunk);
      Value channels =
          spec.inputsPerGroup % chunk == 0
              ? kb.index(chunk)
              : kb.min(kb.index(chunk),
                       kb.sub(kb.index(spec.inputsPerGroup), firstChannel));
      Value depth = kb.mul(channels, taps);
      Value source = kb.at(image, kb.mul(firstChannel, plane));
      TileOperands operands;
      operands.aRowStride = kb.index(1);
      preparePanel(operands, source, channels, col);
      Value isFirst = kb.equal(index, kb.index(0));
      Value isLast = kb.equal(index, kb.index(chunks - 1));
      emitRowTiles(
          kb, rowBegin, rowEnd, kb.index(spec.outputsPerGroup), tile.mr,
          [&](Value row, int64_t mr) {
            TileOperands here = operands;
            here.aDepthStride = kb.index(mr);
            Value start = kb.add(kb.mul(row, depthOfAll),
                                 kb.mul(firstChannel, taps * mr));
            here.a = kb.at(weights, start);
            if (chunks > 1)
              output.partial =
                  kb.at(partialScratch, kb.mul(kb.sub(row, rowBegin), width));
            RegisterTile tileHere{mr, tile.nv};
            emitTile(kb, tileHere, output,
                     {batch, kb.add(firstRow, row), col, {}}, isFirst, isLast,
                     [&](KernelBuilder &kb, ValueRange initial) {
                       return emitTileLoop(kb, tileHere, here, depth, initial);
                     });
          });
    });
  }

  /// Decides where the inner loop reads pixels, gathering them if needed.
  void preparePanel(TileOperands &operands, Value source, Value channels,
                    Value col) {
    operands.b = panelScratch;
    operands.bDepthStride = kb.index(width);
    if (alwaysPacks) {
      gather(source, channels, col);
      return;
    }
    Value inPlace = kb.at(source, col);
    if (!mayPack) {
      operands.b = inPlace;
      operands.bDepthStride = plane;
      return;
    }
    // Reading in place past the last pixel could leave the buffer.
    Value ends = kb.less(pixels, kb.add(col, width));
    kb.ifThen(ends, [&] { gather(source, channels, col); });
    operands.b = kb.select(ends, panelScratch, inPlace);
    operands.bDepthStride = kb.select(ends, kb.index(width), plane);
  }

  /// Writes the panel [tap][channel][pixel] of the pixels from `col` on. Each
  /// image row that they touch is one segment.
  void gather(Value source, Value channels, Value col) {
    const ConvWindow &w = spec.window;
    Value colEnd = kb.min(pixels, kb.add(col, width));
    Value firstRow = kb.div(col, spec.outputW);
    Value rowsEnd = kb.add(kb.div(kb.add(colEnd, -1), spec.outputW), 1);
    Value zero = kb.index(0);
    kb.loop(firstRow, rowsEnd, 1, [&](Value row) {
      Value rowStart = kb.mul(row, spec.outputW);
      Value begin = kb.max(col, rowStart);
      Value end = kb.min(colEnd, kb.add(rowStart, spec.outputW));
      Value length = kb.sub(end, begin);
      Value to = kb.at(panelScratch, kb.sub(begin, col));
      Value firstX =
          kb.add(kb.mul(kb.sub(begin, rowStart), w.strideW), -w.padLeft);
      Value firstY = kb.add(kb.mul(row, w.strideH), -w.padTop);
      kb.loop(zero, kb.index(w.kernelW), 1, [&](Value kx) {
        Value x = kb.add(firstX, kb.mul(kx, w.dilationW));
        kb.loop(zero, length, kb.lanes(), [&](Value j) {
          StridedReader reader(kb, kb.add(x, kb.mul(j, w.strideW)), spec.inputW,
                               w.strideW);
          Value inside = kb.maskBelow(kb.sub(length, j));
          kb.loop(zero, kb.index(w.kernelH), 1, [&](Value ky) {
            Value y = kb.add(firstY, kb.mul(ky, w.dilationH));
            Value valid = isInside(y, spec.inputH);
            StridedReader rowReader = reader.onlyIf(valid);
            Value tap = kb.add(kb.mul(ky, w.kernelW), kx);
            Value from = kb.at(source, kb.mul(y, spec.inputW));
            Value slot =
                kb.at(to, kb.add(kb.mul(kb.mul(tap, channels), width), j));
            kb.loop(zero, channels, 1, [&](Value channel) {
              Value loaded =
                  rowReader.load(kb.at(from, kb.mul(channel, plane)));
              putSegment(loaded, kb.at(slot, kb.mul(channel, width)), inside);
            });
          });
        });
      });
    });
  }

  Value isInside(Value position, Value size) {
    if (pointwise)
      return kb.equal(kb.index(0), kb.index(0));
    Value low = kb.less(kb.index(-1), position);
    return kb.builder().createOrFold<arith::AndIOp>(kb.loc(), low,
                                                    kb.less(position, size));
  }

  /// Writes the lanes of a segment and leaves what follows it, which is the
  /// start of the next channel's row.
  void putSegment(Value loaded, Value slot, Value inside) {
    if (kb.target().isa == IsaLevel::AVX512) {
      kb.store(loaded, slot, inside);
      return;
    }
    Value merged = kb.builder().create<arith::SelectOp>(
        kb.loc(), inside, loaded, kb.loadVector(slot));
    kb.store(merged, slot);
  }

  KernelBuilder &kb;
  ConvSpec spec;
  RegisterTile tile;
  int64_t width;
  bool pointwise;
  bool mayPack = true, alwaysPacks = true;
  int64_t chunks = 1;
  Value pixels, plane, panelScratch, partialScratch;
  TileOutput output;
};
} // namespace

void cuvil::x86::emitConv2d(KernelBuilder &kb, const ConvSpec &spec,
                            Value tileBegin, Value tileEnd) {
  ConvEmitter(kb, spec).emit(tileBegin, tileEnd);
}

void cuvil::x86::emitPackConvWeights(KernelBuilder &kb, const ConvSpec &spec,
                                     Value source, Value packed,
                                     Value groupBegin, Value groupEnd) {
  int64_t taps = spec.window.taps(), inputs = spec.inputsPerGroup;
  int64_t depth = inputs * taps, chunk = spec.tiling.channelChunk;
  Value zero = kb.index(0), outputs = kb.index(spec.outputsPerGroup);
  kb.loop(groupBegin, groupEnd, 1, [&](Value group) {
    Value start = kb.mul(group, spec.outputsPerGroup * depth);
    Value from = kb.at(source, start), to = kb.at(packed, start);
    auto packRows = [&](Value row, int64_t mr) {
      kb.loop(zero, kb.index(inputs), chunk, [&](Value first) {
        Value channels =
            kb.min(kb.index(chunk), kb.sub(kb.index(inputs), first));
        kb.loop(zero, kb.index(taps), 1, [&](Value tap) {
          kb.loop(zero, channels, 1, [&](Value channel) {
            Value k = kb.add(kb.mul(first, taps),
                             kb.add(kb.mul(tap, channels), channel));
            Value slot = kb.at(to, kb.add(kb.mul(row, depth), kb.mul(k, mr)));
            Value input = kb.add(first, channel);
            Value entry = kb.at(
                from,
                kb.add(kb.mul(kb.add(kb.mul(row, inputs), input), taps), tap));
            kb.loop(zero, kb.index(mr), 1, [&](Value i) {
              kb.store(kb.load(kb.at(entry, kb.mul(i, depth))), kb.at(slot, i));
            });
          });
        });
      });
    };
    emitRowTiles(kb, zero, outputs, outputs, spec.tiling.tile.mr, packRows);
  });
}
