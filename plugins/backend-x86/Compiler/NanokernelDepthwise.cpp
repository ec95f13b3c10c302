// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution over a zero-padded copy of a block of the image.
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
  spec.colBlock = 8 * lanes;
  if (std::optional<int64_t> known = KernelBuilder::constant(spec.outputW))
    spec.colBlock = std::min<int64_t>(
        256, llvm::alignTo(std::max<int64_t>(*known, 1), lanes));
  // The copy should stay in L1 beside the weights and the output.
  int64_t rowBytes = (spec.colBlock * spec.window.strideW +
                      spec.window.kernelW * spec.window.dilationW + 2 * lanes) *
                     bytes * spec.window.strideH;
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
/// Emits one depthwise kernel. The padded copy of a block keeps the columns of
/// each stride phase together, so that every tap is a contiguous load:
/// copy[row][phase][i] = image[row][i * stride + phase].
class DepthwiseEmitter {
public:
  DepthwiseEmitter(KernelBuilder &kb, const DepthwiseSpec &spec)
      : kb(kb), spec(spec), window(spec.window) {
    int64_t reach = (window.kernelW - 1) * window.dilationW;
    phases = std::min(window.strideW, reach + 1);
    phaseStride =
        llvm::alignTo(spec.colBlock + reach / window.strideW, kb.lanes());
    rowStride = phases * phaseStride;
    copyRows = (spec.rowBlock - 1) * window.strideH +
               (window.kernelH - 1) * window.dilationH + 1;
  }

  void emit(Value tileBegin, Value tileEnd) {
    copy = kb.stack(copyRows * rowStride);
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
  void emitItem(Value plane, Value rowBegin, Value colBegin) {
    Value channel = kb.rem(plane, spec.channels);
    Value batch = kb.div(plane, spec.channels);
    Value rowEnd = kb.min(spec.outputH, kb.add(rowBegin, spec.rowBlock));
    Value colEnd = kb.min(spec.outputW, kb.add(colBegin, spec.colBlock));
    fillCopy(plane, rowBegin, rowEnd, colBegin, colEnd);

    Value weights = kb.at(spec.weights, kb.mul(channel, window.taps()));
    TileOutput output;
    output.c = kb.at(spec.y, kb.mul(plane, kb.mul(spec.outputH, spec.outputW)),
                     spec.outElement);
    output.cRowStride = spec.outputW;
    output.cols = spec.outputW;
    output.element = spec.outElement;
    auto point = [&, batch, channel](KernelBuilder &kb, const TilePoint &at) {
      Value pixel = kb.add(kb.mul(at.row, spec.outputW), at.col);
      return TilePoint{batch, channel, pixel, at.mask};
    };
    if (spec.init)
      output.init = [&](KernelBuilder &kb, const TilePoint &at) {
        return spec.init(kb, point(kb, at));
      };
    if (spec.epilogue)
      output.epilogue = [&](KernelBuilder &kb, Value sum, const TilePoint &at) {
        return spec.epilogue(kb, sum, point(kb, at));
      };

    Value truth = kb.equal(rowBegin, rowBegin);
    kb.loop(colBegin, colEnd, kb.lanes(), [&](Value col) {
      emitRowTiles(
          kb, rowBegin, rowEnd, spec.outputH, kRows,
          [&](Value row, int64_t rows) {
            Value from = kb.at(copy, kb.add(kb.mul(kb.sub(row, rowBegin),
                                                   window.strideH * rowStride),
                                            kb.sub(col, colBegin)));
            emitTile(kb, {rows, 1}, output, {batch, row, col, {}}, truth, truth,
                     [&](KernelBuilder &, ValueRange initial) {
                       return sumTaps(from, weights, rows, initial);
                     });
          });
    });
  }

  /// Copies the input rows and columns that the block needs, zeros outside.
  void fillCopy(Value plane, Value rowBegin, Value rowEnd, Value colBegin,
                Value colEnd) {
    Value image =
        kb.at(spec.x, kb.mul(plane, kb.mul(spec.inputH, spec.inputW)));
    int64_t reachH = (window.kernelH - 1) * window.dilationH;
    int64_t reachW = (window.kernelW - 1) * window.dilationW;
    Value rows =
        kb.add(kb.mul(kb.add(kb.sub(rowEnd, rowBegin), -1), window.strideH),
               reachH + 1);
    // Whole vectors of outputs are computed, so whole vectors are copied.
    Value vectors = kb.ceilDiv(kb.sub(colEnd, colBegin), kb.lanes());
    Value cols = kb.add(kb.mul(vectors, kb.lanes()), reachW / window.strideW);
    Value firstY = kb.add(kb.mul(rowBegin, window.strideH), -window.padTop);
    Value firstX = kb.add(kb.mul(colBegin, window.strideW), -window.padLeft);
    Value zero = kb.index(0);
    kb.loop(zero, cols, kb.lanes(), [&](Value j) {
      for (int64_t phase = 0; phase < phases; ++phase) {
        Value x = kb.add(kb.add(firstX, kb.mul(j, window.strideW)), phase);
        StridedReader reader(kb, x, spec.inputW, window.strideW);
        kb.loop(zero, rows, 1, [&](Value row) {
          Value y = kb.add(firstY, row);
          Value valid = kb.builder().createOrFold<arith::AndIOp>(
              kb.loc(), kb.less(kb.index(-1), y), kb.less(y, spec.inputH));
          Value loaded =
              reader.onlyIf(valid).load(kb.at(image, kb.mul(y, spec.inputW)));
          Value slot = kb.add(kb.mul(row, rowStride), j);
          kb.store(loaded, kb.at(kb.at(copy, slot), phase * phaseStride));
        });
      }
    });
  }

  SmallVector<Value> sumTaps(Value from, Value weights, int64_t rows,
                             ValueRange initial) {
    if (window.taps() <= kUnrolledTaps)
      return sumRows(from, weights, rows, window.kernelH, initial);
    return kb.loop(kb.index(0), kb.index(window.kernelH), 1, initial,
                   [&](Value ky, ValueRange carried) {
                     return sumRows(
                         kb.at(from, kb.mul(ky, window.dilationH * rowStride)),
                         kb.at(weights, kb.mul(ky, window.kernelW)), rows, 1,
                         carried);
                   });
  }

  SmallVector<Value> sumRows(Value from, Value weights, int64_t rows,
                             int64_t kernelRows, ValueRange initial) {
    std::map<int64_t, Value> loaded;
    auto load = [&](int64_t offset) {
      Value &value = loaded[offset];
      if (!value)
        value = kb.loadVector(kb.at(from, offset));
      return value;
    };
    SmallVector<Value> sums(initial);
    for (int64_t ky = 0; ky < kernelRows; ++ky)
      for (int64_t kx = 0; kx < window.kernelW; ++kx) {
        int64_t x = kx * window.dilationW;
        int64_t offset = x % window.strideW * phaseStride + x / window.strideW;
        Value weight =
            kb.splat(kb.load(kb.at(weights, ky * window.kernelW + kx)));
        for (int64_t row = 0; row < rows; ++row) {
          int64_t y = row * window.strideH + ky * window.dilationH;
          sums[row] =
              kb.mulAdd(weight, load(y * rowStride + offset), sums[row]);
        }
      }
    return sums;
  }

  KernelBuilder &kb;
  const DepthwiseSpec &spec;
  const ConvWindow &window;
  int64_t phases, phaseStride, rowStride, copyRows;
  Value copy;
};
} // namespace

void cuvil::x86::emitDepthwise(KernelBuilder &kb, const DepthwiseSpec &spec,
                               Value tileBegin, Value tileEnd) {
  DepthwiseEmitter(kb, spec).emit(tileBegin, tileEnd);
}
