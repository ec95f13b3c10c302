// SPDX-License-Identifier: Apache-2.0
// Emits the accumulation loop, its tails and its epilogue.
#include "Nanokernel.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cuvil::x86;

/// Steps of the depth written out per trip of the inner loop.
static constexpr int64_t kUnroll = 4;
/// Independent accumulators that keep two FMA units of latency 4 busy.
static constexpr int64_t kChains = 8;

ArrayRef<RegisterTile> cuvil::x86::contractionTiles(const CpuTarget &target) {
  // mr * nv + nv + 1 registers are needed, and a few more on AVX-512, where the
  // scheduler loads vectors of the next steps early: 14x2 and 13x2 spill.
  static constexpr RegisterTile avx512[] = {{12, 2}, {8, 3}, {6, 4}};
  static constexpr RegisterTile avx2[] = {{6, 2}, {4, 3}};
  // Without fused multiply-add every product takes a register of its own.
  static constexpr RegisterTile sse2[] = {{4, 2}, {3, 3}};
  switch (target.isa) {
  case IsaLevel::AVX512:
    return avx512;
  case IsaLevel::AVX2:
    return avx2;
  case IsaLevel::SSE2:
    return sse2;
  }
  return sse2;
}

namespace {
/// The pointers of one tile, arranged so that addresses in the loop are one
/// register plus a constant wherever strides are constants.
class TileAddresses {
public:
  TileAddresses(KernelBuilder &kb, RegisterTile tile,
                const TileOperands &operands)
      : kb(kb), operands(operands) {
    rowsAreConstant = KernelBuilder::constant(operands.aRowStride).has_value();
    if (rowsAreConstant)
      return;
    for (int64_t i = 0; i < tile.mr; ++i)
      rows.push_back(kb.at(operands.a, kb.mul(operands.aRowStride, i)));
  }

  Value a(int64_t row, Value k, int64_t step) {
    Value base = rowsAreConstant ? operands.a : rows[row];
    Value here = kb.at(base, kb.mul(k, operands.aDepthStride));
    Value offset = kb.mul(operands.aDepthStride, step);
    if (rowsAreConstant)
      offset = kb.add(offset, kb.mul(operands.aRowStride, row));
    return kb.at(here, offset);
  }

  Value b(int64_t vector, Value k, int64_t step) {
    Value here = kb.at(operands.b, kb.mul(k, operands.bDepthStride));
    Value offset = kb.mul(operands.bDepthStride, step);
    return kb.at(kb.at(here, offset), vector * kb.lanes());
  }

private:
  KernelBuilder &kb;
  const TileOperands &operands;
  bool rowsAreConstant;
  SmallVector<Value> rows;
};
} // namespace

SmallVector<Value> cuvil::x86::emitTileLoop(KernelBuilder &kb,
                                            RegisterTile tile,
                                            const TileOperands &operands,
                                            Value depth, ValueRange initial) {
  TileAddresses addresses(kb, tile, operands);
  int64_t count = tile.mr * tile.nv;
  // A tile with few accumulators is bound by latency, so it gets several sets
  // that are added up at the end; at most half of the registers, because in
  // narrow tiles every broadcast takes one more.
  int64_t room =
      kb.target().hasFma ? int64_t(kb.target().numVectorRegisters) / 2 : 0;
  int64_t sets = 1;
  while (sets < kUnroll && count * sets < kChains && count * sets * 2 <= room)
    sets *= 2;

  int64_t line = 64 / (kb.element().getIntOrFloatBitWidth() / 8);
  auto step = [&](Value k, int64_t u, MutableArrayRef<Value> sums) {
    SmallVector<Value> columns;
    for (int64_t v = 0; v < tile.nv; ++v) {
      Value mask = operands.bMasks.empty() ? Value() : operands.bMasks[v];
      columns.push_back(kb.loadVector(addresses.b(v, k, u), mask));
    }
    if (operands.prefetchB)
      for (int64_t at = 0; at < tile.nv * kb.lanes(); at += line)
        kb.prefetch(kb.at(addresses.b(0, k, u), operands.prefetchB + at));
    if (operands.prefetchA)
      kb.prefetch(kb.at(addresses.a(0, k, u), operands.prefetchA));
    for (int64_t i = 0; i < tile.mr; ++i) {
      Value scalar = kb.splat(kb.load(addresses.a(i, k, u)));
      for (int64_t v = 0; v < tile.nv; ++v) {
        Value &sum = sums[i * tile.nv + v];
        sum = kb.mulAdd(scalar, columns[v], sum);
      }
    }
  };

  SmallVector<Value> sums(initial);
  for (int64_t i = count; i < count * sets; ++i)
    sums.push_back(kb.zeroVector());
  Value unrolled = kb.mul(kb.div(depth, kb.index(kUnroll)), kUnroll);
  sums = kb.loop(
      kb.index(0), unrolled, kUnroll, sums, [&](Value k, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t u = 0; u < kUnroll; ++u) {
          int64_t set = u % sets;
          step(k, u, MutableArrayRef<Value>(next).slice(set * count, count));
        }
        return next;
      });
  for (; sets > 1; sets /= 2)
    for (int64_t i = 0, half = count * sets / 2; i < half; ++i)
      sums[i] =
          kb.builder().create<arith::AddFOp>(kb.loc(), sums[i], sums[i + half]);
  sums.truncate(count);
  return kb.loop(unrolled, depth, 1, sums, [&](Value k, ValueRange carried) {
    SmallVector<Value> next(carried);
    step(k, 0, next);
    return next;
  });
}

namespace {
/// Reads and writes the part of C under one tile.
class TileWriter {
public:
  TileWriter(KernelBuilder &kb, RegisterTile tile, const TileOutput &output,
             const TilePoint &origin)
      : kb(kb), tile(tile), output(output), origin(origin),
        element(output.element ? output.element : kb.element()),
        width(tile.nv * kb.lanes()) {
    std::optional<int64_t> cols = KernelBuilder::constant(output.cols);
    mayEnd = !cols || *cols % width != 0;
    left = kb.sub(output.cols, origin.col);
  }

  SmallVector<Value> initial() {
    auto emit = [&](ArrayRef<Value> masks) {
      SmallVector<Value> sums;
      forEach(masks, [&](int64_t, const TilePoint &point, Value) {
        sums.push_back(output.init ? output.init(kb, point) : kb.zeroVector());
      });
      return sums;
    };
    if (!mayEnd || !output.init)
      return emit({});
    if (masksAreCheap())
      return emit(masks());
    return kb.ifElse(
        endsHere(), [&] { return emit(masks()); }, [&] { return emit({}); });
  }

  SmallVector<Value> loadPartial() {
    SmallVector<Value> sums;
    for (int64_t i = 0; i < tile.mr * tile.nv; ++i)
      sums.push_back(kb.loadVector(kb.at(output.partial, i * kb.lanes())));
    return sums;
  }

  void storePartial(ArrayRef<Value> sums) { storeDense(sums, output.partial); }

  void store(ArrayRef<Value> sums) {
    bool looped = output.loopEpilogue && output.epilogue;
    if (looped)
      storeDense(sums, output.scratch);
    auto emit = [&](ArrayRef<Value> masks) {
      if (looped) {
        storeLooped(masks);
        return;
      }
      forEach(masks, [&](int64_t index, const TilePoint &point, Value pointer) {
        Value value = sums[index];
        if (output.epilogue)
          value = output.epilogue(kb, value, point);
        kb.store(value, pointer, point.mask);
      });
    };
    if (!mayEnd)
      emit({});
    else if (masksAreCheap())
      emit(masks());
    else
      kb.ifThen(endsHere(), [&] { emit(masks()); }, [&] { emit({}); });
  }

private:
  /// AVX-512 stores under a mask at full speed, so one body serves all tiles.
  bool masksAreCheap() const { return kb.target().isa == IsaLevel::AVX512; }
  Value endsHere() { return kb.less(left, kb.index(width)); }
  SmallVector<Value> masks() {
    SmallVector<Value> result;
    for (int64_t v = 0; v < tile.nv; ++v)
      result.push_back(kb.maskBelow(kb.add(left, -v * kb.lanes())));
    return result;
  }

  void storeDense(ArrayRef<Value> sums, Value to) {
    for (auto [index, sum] : llvm::enumerate(sums))
      kb.store(sum, kb.at(to, int64_t(index) * kb.lanes()));
  }

  Value pointer(Value row, Value col) {
    Value start = kb.add(kb.mul(row, output.cRowStride), col);
    return kb.at(output.c, start, element);
  }

  void
  forEach(ArrayRef<Value> masks,
          const std::function<void(int64_t, const TilePoint &, Value)> &body) {
    Value base = pointer(origin.row, origin.col);
    for (int64_t i = 0; i < tile.mr; ++i)
      for (int64_t v = 0; v < tile.nv; ++v) {
        Value row = kb.at(base, kb.mul(output.cRowStride, i), element);
        TilePoint point{origin.batch, kb.add(origin.row, i),
                        kb.add(origin.col, v * kb.lanes()),
                        masks.empty() ? Value() : masks[v]};
        body(i * tile.nv + v, point, kb.at(row, v * kb.lanes(), element));
      }
  }

  void storeLooped(ArrayRef<Value> masks) {
    kb.loop(kb.index(0), kb.index(tile.mr), 1, [&](Value i) {
      Value row = kb.add(origin.row, i);
      for (int64_t v = 0; v < tile.nv; ++v) {
        Value at = kb.add(kb.mul(i, width), v * kb.lanes());
        Value sum = kb.loadVector(kb.at(output.scratch, at));
        TilePoint point{origin.batch, row, kb.add(origin.col, v * kb.lanes()),
                        masks.empty() ? Value() : masks[v]};
        kb.store(output.epilogue(kb, sum, point), pointer(row, point.col),
                 point.mask);
      }
    });
  }

  KernelBuilder &kb;
  RegisterTile tile;
  const TileOutput &output;
  const TilePoint &origin;
  Type element;
  int64_t width;
  bool mayEnd;
  Value left;
};
} // namespace

void cuvil::x86::emitTile(KernelBuilder &kb, RegisterTile tile,
                          const TileOutput &output, const TilePoint &origin,
                          Value isFirst, Value isLast,
                          const AccumulateFn &accumulate) {
  TileWriter writer(kb, tile, output, origin);
  if (!output.partial) {
    writer.store(accumulate(kb, writer.initial()));
    return;
  }
  SmallVector<Value> sums = kb.ifElse(
      isFirst, [&] { return writer.initial(); },
      [&] { return writer.loadPartial(); });
  sums = accumulate(kb, sums);
  kb.ifThen(
      isLast, [&] { writer.store(sums); }, [&] { writer.storePartial(sums); });
}

void cuvil::x86::emitRowTiles(KernelBuilder &kb, Value begin, Value end,
                              Value total, int64_t mr,
                              const std::function<void(Value, int64_t)> &body) {
  Value rows = kb.sub(end, begin);
  Value left = kb.rem(rows, kb.index(mr));
  Value fullEnd = kb.sub(end, left);
  std::optional<int64_t> knownTotal = KernelBuilder::constant(total);
  if (!knownTotal || *knownTotal >= mr)
    kb.loop(begin, fullEnd, mr, [&](Value row) { body(row, mr); });
  if (mr == 1)
    return;
  if (knownTotal) {
    if (int64_t tail = *knownTotal % mr)
      kb.ifThen(kb.less(kb.index(0), left), [&] { body(fullEnd, tail); });
    return;
  }
  for (int64_t part = llvm::PowerOf2Ceil(mr) / 2; part >= 1; part /= 2) {
    Value below = kb.rem(left, kb.index(2 * part));
    Value row = kb.add(fullEnd, kb.sub(left, below));
    kb.ifThen(kb.less(kb.index(part - 1), below), [&] { body(row, part); });
  }
}
