// SPDX-License-Identifier: Apache-2.0
// Chooses the vector loop of each linalg op and writes its loops.
#include "LoopEmitter.h"

#include "LoopBody.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cuvil::x86;

namespace {

/// Independent sums kept while reducing, so that additions overlap.
constexpr int64_t kUnroll = 4;

class NestEmitter {
public:
  NestEmitter(OpBuilder &b, linalg::GenericOp op, const CpuTarget &target)
      : b(b), op(op), loc(op.getLoc()), nest(b, op), body(nest) {
    for (const NestAccess &access : nest.accesses)
      if (access.isInit)
        inits.push_back(&access);
    ivs.assign(nest.loops.size(), Value());
    vectorWidth = target.vectorWidth;
  }

  void emit();

private:
  using Body = std::function<SmallVector<Value>(ValueRange)>;

  int chooseVectorLoop();
  bool isReducible(unsigned loop);
  bool keepsResultsInRegisters() const;
  void overLoops(ArrayRef<unsigned> loops, llvm::function_ref<void()> inner);
  SmallVector<Value> overLoops(ArrayRef<unsigned> loops, ValueRange carried,
                               const Body &inner);
  SmallVector<Value> loop(unsigned index, Value from, Value to, int64_t step,
                          ValueRange carried, const Body &inner);
  Value sizeOf(unsigned loop);
  Value roundDown(Value size, int64_t step);

  void emitInMemory();
  void emitParallel(ArrayRef<unsigned> reductions);
  void emitGroup(ArrayRef<unsigned> reductions, int64_t lanes, int64_t groups,
                 const IRMapping *hoisted);
  void emitHorizontal(ArrayRef<unsigned> reductions);
  Value combine(unsigned init, Value left, Value right);
  Value foldLanes(unsigned init, Value vector);

  OpBuilder &b;
  linalg::GenericOp op;
  Location loc;
  LoopNest nest;
  LoopBody body;
  SmallVector<const NestAccess *> inits;
  SmallVector<Value> ivs;
  int vector = -1;
  int64_t vectorWidth;
  int64_t lanes = 0;
  /// The combining op of each init, for a horizontal reduction.
  SmallVector<Operation *> combiners;
};

/// The value that leaves the other side of `combiner` as it is; null if none.
TypedAttr neutralElement(Operation *combiner) {
  Builder b(combiner->getContext());
  Type type = combiner->getResult(0).getType();
  if (isa<arith::AddFOp>(combiner))
    return b.getFloatAttr(type, -0.0);
  if (isa<arith::MulFOp>(combiner))
    return b.getFloatAttr(type, 1.0);
  if (auto floatType = dyn_cast<FloatType>(type)) {
    bool isMax = isa<arith::MaximumFOp>(combiner);
    if (!isMax && !isa<arith::MinimumFOp>(combiner))
      return {};
    return b.getFloatAttr(
        type, APFloat::getInf(floatType.getFloatSemantics(), isMax));
  }
  if (!type.isInteger())
    return {};
  unsigned bits = type.getIntOrFloatBitWidth();
  if (isa<arith::AddIOp, arith::OrIOp, arith::XOrIOp, arith::MaxUIOp>(combiner))
    return b.getIntegerAttr(type, APInt::getZero(bits));
  if (isa<arith::MulIOp>(combiner))
    return b.getIntegerAttr(type, APInt(bits, 1));
  if (isa<arith::AndIOp, arith::MinUIOp>(combiner))
    return b.getIntegerAttr(type, APInt::getAllOnes(bits));
  if (isa<arith::MaxSIOp>(combiner))
    return b.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(combiner))
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  return {};
}

bool NestEmitter::isReducible(unsigned loop) {
  combiners.clear();
  for (const NestAccess *init : inits) {
    for (auto [index, nestLoop] : llvm::enumerate(nest.loops))
      if (nestLoop.reduction && init->strideAlong(index) != 0)
        return false;
    SmallVector<Operation *, 4> ops;
    unsigned position = combiners.size();
    if (!matchReduction(op.getRegionOutputArgs(), position, ops) ||
        ops.size() != 1 || !neutralElement(ops.front()))
      return false;
    combiners.push_back(ops.front());
  }
  return true;
}

/// Whether no result is touched twice along a parallel loop, and reductions
/// stay at one element of each result.
bool NestEmitter::keepsResultsInRegisters() const {
  for (const NestAccess *init : inits) {
    if (!init->rest.empty())
      return false;
    for (auto [index, loop] : llvm::enumerate(nest.loops))
      if (loop.reduction != (init->strideAlong(index) == 0))
        return false;
  }
  return true;
}

int NestEmitter::chooseVectorLoop() {
  int best = -1;
  int bestScore = 0;
  for (auto [index, loop] : llvm::enumerate(nest.loops)) {
    std::optional<int64_t> size = getConstantIntValue(loop.size);
    if (size && *size < 4)
      continue;
    if (!body.setVectorLoop(index))
      continue;
    unsigned contiguous = 0, strided = 0;
    bool resultsFit = true;
    for (const NestAccess &access : nest.accesses) {
      if (!access.isMemref())
        continue;
      std::optional<int64_t> stride = access.strideAlong(index);
      if (access.isInit)
        resultsFit &= stride == (loop.reduction ? 0 : 1);
      else if (stride == 1)
        ++contiguous;
      else if (stride != 0)
        ++strided;
    }
    if (!resultsFit || (loop.reduction && (strided || !contiguous)))
      continue;
    if (loop.reduction && !isReducible(index))
      continue;
    // Parallel with straight reads, then horizontal, then parallel with
    // strided reads.
    int score = !loop.reduction && !strided ? 3 : loop.reduction ? 2 : 1;
    if (score > bestScore) {
      best = index;
      bestScore = score;
    }
  }
  if (best < 0) {
    body.clearVectorLoop();
    return -1;
  }
  body.setVectorLoop(best);
  if (nest.loops[best].reduction)
    isReducible(best);
  lanes = vectorWidth * 32 / body.widestBits();
  if (std::optional<int64_t> size = getConstantIntValue(nest.loops[best].size))
    while (lanes > *size)
      lanes /= 2;
  return best;
}

Value NestEmitter::sizeOf(unsigned loop) {
  return getValueOrCreateConstantIndexOp(b, loc, nest.loops[loop].size);
}

Value NestEmitter::roundDown(Value size, int64_t step) {
  if (std::optional<int64_t> known = getConstantIntValue(size))
    return b.create<arith::ConstantIndexOp>(loc, *known / step * step);
  Value by = b.create<arith::ConstantIndexOp>(loc, step);
  Value rest = b.create<arith::RemUIOp>(loc, size, by);
  return b.create<arith::SubIOp>(loc, size, rest);
}

SmallVector<Value> NestEmitter::loop(unsigned index, Value from, Value to,
                                     int64_t step, ValueRange carried,
                                     const Body &inner) {
  std::optional<int64_t> first = getConstantIntValue(from);
  std::optional<int64_t> last = getConstantIntValue(to);
  if (first && last && *first >= *last)
    return llvm::to_vector(carried);
  if (first && last && *first + step >= *last) {
    ivs[index] = from;
    return inner(carried);
  }
  Value by = b.create<arith::ConstantIndexOp>(loc, step);
  auto forOp = b.create<scf::ForOp>(loc, from, to, by, carried);
  {
    OpBuilder::InsertionGuard guard(b);
    if (carried.empty())
      b.setInsertionPoint(forOp.getBody()->getTerminator());
    else
      b.setInsertionPointToEnd(forOp.getBody());
    ivs[index] = forOp.getInductionVar();
    SmallVector<Value> next = inner(forOp.getRegionIterArgs());
    if (!carried.empty())
      b.create<scf::YieldOp>(loc, next);
  }
  return llvm::to_vector(ValueRange(forOp.getResults()));
}

SmallVector<Value> NestEmitter::overLoops(ArrayRef<unsigned> loops,
                                          ValueRange carried,
                                          const Body &inner) {
  if (loops.empty())
    return inner(carried);
  Value zero = b.create<arith::ConstantIndexOp>(loc, 0);
  return loop(loops.front(), zero, sizeOf(loops.front()), 1, carried,
              [&](ValueRange values) {
                return overLoops(loops.drop_front(), values, inner);
              });
}

void NestEmitter::overLoops(ArrayRef<unsigned> loops,
                            llvm::function_ref<void()> inner) {
  overLoops(loops, {}, [&](ValueRange) {
    inner();
    return SmallVector<Value>();
  });
}

/// The general form: one point at a time, results read and written in memory.
void NestEmitter::emitInMemory() {
  SmallVector<unsigned> order;
  for (unsigned index = 0; index < nest.loops.size(); ++index)
    order.push_back(index);
  overLoops(order, [&] {
    SmallVector<Value> values;
    for (auto [position, init] : llvm::enumerate(inits))
      values.push_back(body.readsInit(position) ? body.load(b, *init, ivs, 0)
                                                : Value());
    values = body.clone(b, ivs, 0, IRMapping(), values);
    for (auto [init, value] : llvm::zip(inits, values))
      body.store(b, value, *init, ivs);
  });
}

/// Computes `groups` neighbouring results (vectors, or one scalar).
void NestEmitter::emitGroup(ArrayRef<unsigned> reductions, int64_t lanes,
                            int64_t groups, const IRMapping *hoisted) {
  auto at = [&](int64_t group) {
    SmallVector<Value> point = ivs;
    if (group) {
      Value offset = b.create<arith::ConstantIndexOp>(loc, group * lanes);
      point[vector] = b.create<arith::AddIOp>(loc, ivs[vector], offset);
    }
    return point;
  };
  SmallVector<Value> carried;
  bool carry = !reductions.empty();
  for (int64_t group = 0; group < groups; ++group)
    for (auto [position, init] : llvm::enumerate(inits))
      carried.push_back(carry || body.readsInit(position)
                            ? body.load(b, *init, at(group), lanes)
                            : Value());
  auto inner = [&](ValueRange values) {
    IRMapping uniform = hoisted ? *hoisted : body.cloneUniform(b, ivs);
    SmallVector<Value> results;
    for (int64_t group = 0; group < groups; ++group) {
      SmallVector<Value> from;
      for (size_t position = 0; position < inits.size(); ++position)
        from.push_back(carry ? values[group * inits.size() + position]
                             : carried[group * inits.size() + position]);
      llvm::append_range(results,
                         body.clone(b, at(group), lanes, uniform, from));
    }
    return results;
  };
  SmallVector<Value> results =
      carry ? overLoops(reductions, carried, inner) : inner({});
  for (int64_t group = 0; group < groups; ++group)
    for (auto [position, init] : llvm::enumerate(inits))
      body.store(b, results[group * inits.size() + position], *init, at(group));
}

/// Vectors along a parallel loop, which is inside the other parallel ones;
/// reductions run inside, on registers.
void NestEmitter::emitParallel(ArrayRef<unsigned> reductions) {
  if (vector < 0) {
    emitGroup(reductions, 0, 1, nullptr);
    return;
  }
  std::optional<IRMapping> hoisted;
  if (reductions.empty())
    hoisted = body.cloneUniform(b, ivs);
  Value size = sizeOf(vector);
  Value from = b.create<arith::ConstantIndexOp>(loc, 0);
  auto run = [&](int64_t width, int64_t groups) {
    int64_t step = std::max<int64_t>(width, 1) * groups;
    Value to = roundDown(size, step);
    loop(vector, from, to, step, {}, [&](ValueRange) {
      emitGroup(reductions, width, groups, hoisted ? &*hoisted : nullptr);
      return SmallVector<Value>();
    });
    from = to;
  };
  if (!reductions.empty())
    run(lanes, kUnroll);
  run(lanes, 1);
  run(0, 1);
}

Value NestEmitter::combine(unsigned init, Value left, Value right) {
  OperationState state(loc, combiners[init]->getName());
  state.addOperands({left, right});
  state.addTypes(left.getType());
  state.addAttributes(combiners[init]->getAttrs());
  return b.create(state)->getResult(0);
}

Value NestEmitter::foldLanes(unsigned init, Value value) {
  for (int64_t half = lanes / 2; half >= 1; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(half + lane);
    }
    Value left = b.create<vector::ShuffleOp>(loc, value, value, low);
    Value right = b.create<vector::ShuffleOp>(loc, value, value, high);
    value = combine(init, left, right);
  }
  return b.create<vector::ExtractOp>(loc, value, 0);
}

/// Reduces along a contiguous loop: partial results in the lanes of several
/// vectors and in one scalar for the tail, combined at the end as a tree.
void NestEmitter::emitHorizontal(ArrayRef<unsigned> reductions) {
  SmallVector<Value> carried;
  for (const NestAccess *init : inits)
    carried.push_back(body.load(b, *init, ivs, 0));
  for (auto [position, init] : llvm::enumerate(inits)) {
    TypedAttr neutral = neutralElement(combiners[position]);
    auto type = VectorType::get({lanes}, neutral.getType());
    Value splat = b.create<arith::ConstantOp>(
        loc, DenseElementsAttr::get(type, ArrayRef<Attribute>{neutral}));
    carried.append(kUnroll, splat);
  }
  size_t count = inits.size();
  auto inner = [&](ValueRange values) {
    SmallVector<Value> scalars(values.take_front(count));
    SmallVector<Value> vectors(values.drop_front(count));
    IRMapping uniform = body.cloneUniform(b, ivs);
    Value size = sizeOf(vector);
    Value from = b.create<arith::ConstantIndexOp>(loc, 0);
    auto run = [&](int64_t groups) {
      Value to = roundDown(size, lanes * groups);
      SmallVector<Value> active;
      for (size_t init = 0; init < count; ++init)
        for (int64_t group = 0; group < groups; ++group)
          active.push_back(vectors[init * kUnroll + group]);
      active = loop(vector, from, to, lanes * groups, active,
                    [&](ValueRange sums) {
                      SmallVector<Value> next(sums.size());
                      for (int64_t group = 0; group < groups; ++group) {
                        SmallVector<Value> point = ivs;
                        Value offset = b.create<arith::ConstantIndexOp>(
                            loc, group * lanes);
                        point[vector] =
                            b.create<arith::AddIOp>(loc, ivs[vector], offset);
                        SmallVector<Value> from;
                        for (size_t init = 0; init < count; ++init)
                          from.push_back(sums[init * groups + group]);
                        from = body.clone(b, point, lanes, uniform, from);
                        for (size_t init = 0; init < count; ++init)
                          next[init * groups + group] = from[init];
                      }
                      return next;
                    });
      for (size_t init = 0; init < count; ++init)
        for (int64_t group = 0; group < groups; ++group)
          vectors[init * kUnroll + group] = active[init * groups + group];
      from = to;
    };
    run(kUnroll);
    run(1);
    scalars = loop(vector, from, size, 1, scalars, [&](ValueRange sums) {
      return body.clone(b, ivs, 0, uniform, llvm::to_vector(sums));
    });
    llvm::append_range(scalars, vectors);
    return scalars;
  };
  SmallVector<Value> results = overLoops(reductions, carried, inner);
  for (auto [position, init] : llvm::enumerate(inits)) {
    auto sums = ArrayRef<Value>(results).slice(count + position * kUnroll,
                                               kUnroll);
    SmallVector<Value> level(sums);
    for (; level.size() > 1; level.resize(level.size() / 2))
      for (size_t i = 0; i < level.size() / 2; ++i)
        level[i] = combine(position, level[2 * i], level[2 * i + 1]);
    Value total = combine(position, results[position],
                          foldLanes(position, level.front()));
    body.store(b, total, *init, ivs);
  }
}

void NestEmitter::emit() {
  if (!keepsResultsInRegisters()) {
    body.clearVectorLoop();
    emitInMemory();
    return;
  }
  vector = chooseVectorLoop();
  SmallVector<unsigned> outer, reductions;
  for (auto [index, loop] : llvm::enumerate(nest.loops))
    if (static_cast<int>(index) != vector)
      (loop.reduction ? reductions : outer).push_back(index);
  overLoops(outer, [&] {
    if (vector >= 0 && nest.loops[vector].reduction)
      emitHorizontal(reductions);
    else
      emitParallel(reductions);
  });
}

/// A copy as the generic op it means.
linalg::GenericOp makeCopy(OpBuilder &b, memref::CopyOp copy) {
  int64_t rank = cast<MemRefType>(copy.getTarget().getType()).getRank();
  AffineMap identity = b.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> iterators(rank,
                                             utils::IteratorType::parallel);
  return b.create<linalg::GenericOp>(
      copy.getLoc(), copy.getSource(), copy.getTarget(),
      ArrayRef<AffineMap>{identity, identity}, iterators,
      [](OpBuilder &b, Location loc, ValueRange args) {
        b.create<linalg::YieldOp>(loc, args[0]);
      });
}

} // namespace

LogicalResult cuvil::x86::emitLoops(func::FuncOp function,
                                    const CpuTarget &target) {
  IRRewriter rewriter(function.getContext());
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<linalg::LinalgOp, memref::CopyOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops) {
    rewriter.setInsertionPoint(op);
    if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      if (copy.getSource() != copy.getTarget()) {
        linalg::GenericOp generic = makeCopy(rewriter, copy);
        rewriter.setInsertionPoint(generic);
        NestEmitter(rewriter, generic, target).emit();
        generic.erase();
      }
      copy.erase();
      continue;
    }
    auto structured = cast<linalg::LinalgOp>(op);
    if (!structured.hasPureBufferSemantics())
      return op->emitError("is not on memrefs where loops are made of it");
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic) {
      FailureOr<linalg::GenericOp> general =
          linalg::generalizeNamedOp(rewriter, structured);
      if (failed(general))
        return op->emitError("has no form as a generic linalg op");
      generic = *general;
      rewriter.setInsertionPoint(generic);
    }
    NestEmitter(rewriter, generic, target).emit();
    generic.erase();
  }
  return success();
}
