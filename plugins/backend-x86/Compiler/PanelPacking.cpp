// SPDX-License-Identifier: Apache-2.0
// Emits panel copies, with an in-register transpose where it helps.
#include "PanelPacking.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cuvil::x86;

void cuvil::x86::emitPackRows(KernelBuilder &kb, Value source, Value rowStride,
                              Value depth, Value cols, int64_t nv,
                              Value panel) {
  int64_t width = nv * kb.lanes();
  auto copy = [&](bool masked) {
    SmallVector<Value> masks(nv);
    if (masked)
      for (int64_t v = 0; v < nv; ++v)
        masks[v] = kb.maskBelow(kb.add(cols, -v * kb.lanes()));
    kb.loop(kb.index(0), depth, 1, [&](Value k) {
      Value from = kb.at(source, kb.mul(k, rowStride));
      Value to = kb.at(panel, kb.mul(k, width));
      for (int64_t v = 0; v < nv; ++v)
        kb.store(kb.loadVector(kb.at(from, v * kb.lanes()), masks[v]),
                 kb.at(to, v * kb.lanes()));
    });
  };
  kb.ifThen(
      kb.less(cols, kb.index(width)), [&] { copy(true); },
      [&] { copy(false); });
}

/// Transposes a square of W vectors: stage s exchanges, between vectors whose
/// numbers differ in bit s, the lanes that differ in bit s.
static SmallVector<Value> transposeSquare(KernelBuilder &kb,
                                          SmallVector<Value> rows) {
  int64_t size = rows.size();
  OpBuilder &b = kb.builder();
  for (int64_t bit = 1; bit < size; bit *= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < size; ++lane) {
      bool fromSecond = lane & bit;
      low.push_back(fromSecond ? size + (lane ^ bit) : lane);
      high.push_back(fromSecond ? size + lane : lane ^ bit);
    }
    for (int64_t i = 0; i < size; ++i) {
      if (i & bit)
        continue;
      Value first = rows[i], second = rows[i | bit];
      rows[i] = b.create<vector::ShuffleOp>(kb.loc(), first, second, low);
      rows[i | bit] =
          b.create<vector::ShuffleOp>(kb.loc(), first, second, high);
    }
  }
  return rows;
}

void cuvil::x86::emitPackTransposed(KernelBuilder &kb, Value source,
                                    Value rowStride, Value depth, Value cols,
                                    int64_t nv, Value panel) {
  int64_t width = nv * kb.lanes(), lanes = kb.lanes();
  Value zero = kb.index(0), present = kb.min(cols, kb.index(width));
  auto copyColumns = [&](Value colBegin, Value colEnd, Value depthBegin) {
    kb.loop(colBegin, colEnd, 1, [&](Value col) {
      Value from = kb.at(source, kb.mul(col, rowStride));
      kb.loop(depthBegin, depth, 1, [&](Value k) {
        kb.store(kb.load(kb.at(from, k)),
                 kb.at(panel, kb.add(kb.mul(k, width), col)));
      });
    });
  };
  auto copyTail = [&] {
    copyColumns(zero, present, zero);
    Value none = kb.builder().create<arith::ConstantOp>(
        kb.loc(), kb.builder().getZeroAttr(kb.element()));
    kb.loop(zero, depth, 1, [&](Value k) {
      kb.loop(present, kb.index(width), 1, [&](Value col) {
        kb.store(none, kb.at(panel, kb.add(kb.mul(k, width), col)));
      });
    });
  };
  auto copySquares = [&] {
    Value squares = kb.mul(kb.div(depth, kb.index(lanes)), lanes);
    kb.loop(zero, squares, lanes, [&](Value k) {
      kb.loop(zero, kb.index(width), lanes, [&](Value col) {
        Value from = kb.at(source, kb.add(kb.mul(col, rowStride), k));
        SmallVector<Value> rows;
        for (int64_t i = 0; i < lanes; ++i)
          rows.push_back(kb.loadVector(kb.at(from, kb.mul(rowStride, i))));
        Value to = kb.at(panel, kb.add(kb.mul(k, width), col));
        for (auto [i, row] : llvm::enumerate(transposeSquare(kb, rows)))
          kb.store(row, kb.at(to, int64_t(i) * width));
      });
    });
    copyColumns(zero, kb.index(width), squares);
  };
  kb.ifThen(kb.less(cols, kb.index(width)), copyTail, copySquares);
}
