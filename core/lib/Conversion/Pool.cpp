// SPDX-License-Identifier: Apache-2.0
// Pooling windows as linalg.generic reductions.
#include "FamilyParts.h"
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;
using arith::CmpIPredicate;

/// What pool and arg_pool have in common. Loops: n, c, out..., kernel...
struct Window {
  SmallVector<DimExpr> x, y;
  ArrayRef<int64_t> kernel, strides, dilations;
  ArrayRef<DimExpr> low, high;

  template <typename OpT>
  explicit Window(OpT op)
      : x(getDims(op.getX())), y(getDims(op.getY())), kernel(op.getKernel()),
        strides(op.getStrides()), dilations(op.getDilations()),
        low(op.getLow()), high(op.getHigh()) {}

  unsigned spatial() const { return kernel.size(); }
  unsigned loops() const { return y.size() + spatial(); }

  SmallVector<IteratorType> iterators() const {
    SmallVector<IteratorType> result(y.size(), IteratorType::parallel);
    result.append(spatial(), IteratorType::reduction);
    return result;
  }

  AffineMap outputMap(Builder &b) const {
    return selectDims(b, loops(),
                      llvm::to_vector(llvm::seq<unsigned>(0, y.size())));
  }

  /// Gives the kernel loops their extent; its elements are never read.
  Value extents(Builder &b) const {
    return b.create<tensor::EmptyOp>(kernel, b.getI1Type());
  }

  AffineMap extentsMap(Builder &b) const {
    return selectDims(b, loops(),
                      llvm::to_vector(llvm::seq<unsigned>(y.size(), loops())));
  }

  AffineMap inputMap(Builder &b) const {
    SmallVector<AffineExpr> exprs{b.getAffineDimExpr(0), b.getAffineDimExpr(1)};
    for (unsigned i = 0; i < spatial(); ++i)
      exprs.push_back(b.getAffineDimExpr(2 + i) * strides[i] +
                      b.getAffineDimExpr(y.size() + i) * dilations[i]);
    return AffineMap::get(loops(), 0, exprs, b.getContext());
  }

  /// x, extended by `scalar` as far as the windows reach.
  Value pad(Builder &b, LoweringContext &lowering, Value input,
            Value scalar) const {
    SmallVector<DimExpr> padded = x;
    DimExpr zero = DimExpr::constant(b.getContext(), 0);
    SmallVector<DimExpr> before{zero, zero}, after{zero, zero};
    for (unsigned i = 0; i < spatial(); ++i) {
      before.push_back(low[i]);
      after.push_back(getOverhang(i));
      padded[2 + i] = x[2 + i] + low[i] + after.back();
    }
    if (padded == x && llvm::all_equal(before))
      return input;
    return padWith(b, lowering, input, x, padded, before, after, {}, scalar);
  }

  /// How far the windows reach beyond x on the high side.
  DimExpr getOverhang(unsigned i) const {
    DimExpr zero = DimExpr::constant(x[0].getContext(), 0);
    DimExpr stride = DimExpr::constant(x[0].getContext(), strides[i]);
    int64_t extent = dilations[i] * (kernel[i] - 1) + 1;
    DimExpr inside = x[2 + i] + low[i] + high[i];
    // Rounded down, the last window ends within the padding.
    if (y[2 + i] == (inside - extent).floorDiv(stride) + 1 &&
        high[i].isConstant(0))
      return zero;
    DimExpr reach = (y[2 + i] - 1) * strides[i] + extent;
    return (reach - x[2 + i] - low[i]).max(zero);
  }

  bool isPadded() const {
    for (unsigned i = 0; i < spatial(); ++i)
      if (!low[i].isConstant(0) || !getOverhang(i).isConstant(0))
        return true;
    return false;
  }
};

struct PoolPattern : Pattern<PoolOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(PoolOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Window window(op);
    Type element = getElement(op.getX()), storage = getStorageType(element);
    Type compute = getComputeType(storage);
    bool max = op.getKind() == "max";
    Value outside = max ? lowestOf(b, element) : constantOf(b, storage, 0);
    Type neutralType = isa<FloatType>(compute) ? compute : element;
    Value neutral = max ? lowestOf(b, neutralType) : constantOf(b, compute, 0);
    Value input = window.pad(b, lowering, adaptor.getX(), outside);
    double power = op.getP().value_or(0);
    Value folded = createGeneric(b, {input, window.extents(b)},
                                 createFilled(b, lowering, window.y, neutral),
                                 {window.inputMap(b), window.extentsMap(b),
                                  window.outputMap(b)},
                                 window.iterators(),
                                 [&](Builder &inner, ValueRange args) {
                                   Value x = widen(inner, args[0]);
                                   if (op.getKind() == "lp")
                                     x = raise(inner, x, power);
                                   return SmallVector<Value>{
                                       max ? emitMax(inner, args[2], x, element)
                                           : emitAdd(inner, args[2], x)};
                                 })
                       .front();
    rewriter.replaceOp(op, finish(b, op, window, folded, storage));
    return success();
  }

private:
  /// |x|^power
  static Value raise(Builder &b, Value x, double power) {
    if (power == 2)
      return b.create<arith::MulFOp>(x, x);
    Value positive = b.create<math::AbsFOp>(x);
    if (power == 1)
      return positive;
    return b.create<math::PowFOp>(positive, constantOf(b, x.getType(), power));
  }

  static Value root(Builder &b, Value x, double power) {
    if (power == 1)
      return x;
    if (power == 2)
      return b.create<math::SqrtOp>(x);
    return b.create<math::PowFOp>(x, constantOf(b, x.getType(), 1 / power));
  }

  Value finish(Builder &b, PoolOp op, const Window &window, Value folded,
               Type storage) const {
    bool max = op.getKind() == "max";
    if (max && getElement(folded) == storage)
      return folded;
    SmallVector<Value> sizes = materializeAll(b, lowering, window.x);
    SmallVector<Value> lows = materializeAll(b, lowering, window.low);
    SmallVector<Value> highs = materializeAll(b, lowering, window.high);
    bool padded = window.isPadded();
    return createParallel(
        b, lowering, window.y, storage, folded, identityMap(b, window.y.size()),
        [&](Builder &inner, ValueRange args) {
          Value value = args[0];
          if (op.getKind() == "lp")
            value = root(inner, value, op.getP().value_or(1));
          if (op.getKind() == "avg")
            value = inner.create<arith::DivFOp>(
                value, getCount(inner, op, window, padded, sizes, lows, highs,
                                value.getType()));
          return narrow(inner, value, storage);
        });
  }

  /// How many elements of the window at hand count.
  static Value getCount(Builder &b, PoolOp op, const Window &window,
                        bool padded, ArrayRef<Value> sizes,
                        ArrayRef<Value> lows, ArrayRef<Value> highs,
                        Type type) {
    if (!padded) {
      double count = 1;
      for (int64_t k : window.kernel)
        count *= k;
      return constantOf(b, type, count);
    }
    Value count = constantIndex(b, 1), zero = constantIndex(b, 0);
    SmallVector<Value> loops = getLoopIndices(b, window.y.size());
    for (unsigned i = 0; i < window.spatial(); ++i) {
      Value start = b.create<arith::SubIOp>(
          b.create<arith::MulIOp>(loops[2 + i],
                                  constantIndex(b, window.strides[i])),
          lows[i]);
      Value end = sizes[2 + i];
      Value first = zero;
      if (op.getCountIncludePad())
        end = b.create<arith::AddIOp>(end, highs[i]);
      else
        first = stepsTo(b, b.create<arith::SubIOp>(zero, start),
                        window.dilations[i]);
      Value last =
          stepsTo(b, b.create<arith::SubIOp>(end, start), window.dilations[i]);
      last = b.create<arith::MinSIOp>(last, constantIndex(b, window.kernel[i]));
      Value inside =
          b.create<arith::MaxSIOp>(b.create<arith::SubIOp>(last, first), zero);
      count = b.create<arith::MulIOp>(count, inside);
    }
    return b.create<arith::SIToFPOp>(
        type, b.create<arith::IndexCastOp>(b.getI64Type(), count));
  }

  /// ceil(max(distance, 0) / step)
  static Value stepsTo(Builder &b, Value distance, int64_t step) {
    Value positive = b.create<arith::MaxSIOp>(distance, constantIndex(b, 0));
    if (step == 1)
      return positive;
    Value up = b.create<arith::AddIOp>(positive, constantIndex(b, step - 1));
    return b.create<arith::DivUIOp>(up, constantIndex(b, step));
  }
};

struct ArgPoolPattern : Pattern<ArgPoolOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ArgPoolOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Window window(op);
    Type element = getElement(op.getX()), storage = getStorageType(element);
    Type indexType = getElement(op.getY());
    SmallVector<Value> sizes = materializeAll(b, lowering, window.x);
    SmallVector<Value> lows = materializeAll(b, lowering, window.low);
    SmallVector<Value> inits{
        createFilled(b, lowering, window.y, constantOf(b, storage, 0)),
        createFilled(b, lowering, window.y, constantInt(b, indexType, -1))};
    SmallVector<Value> results = createGeneric(
        b, window.extents(b), inits,
        {window.extentsMap(b), window.outputMap(b), window.outputMap(b)},
        window.iterators(), [&](Builder &inner, ValueRange args) {
          return step(inner, op, window, adaptor.getX(), sizes, lows, args[1],
                      args[2], element);
        });
    rewriter.replaceOp(op, results[1]);
    return success();
  }

private:
  static SmallVector<Value> step(Builder &b, ArgPoolOp op, const Window &window,
                                 Value x, ArrayRef<Value> sizes,
                                 ArrayRef<Value> lows, Value best,
                                 Value bestIndex, Type element) {
    SmallVector<Value> loops = getLoopIndices(b, window.loops());
    SmallVector<Value> position{loops[0], loops[1]};
    Value inside = constantInt(b, b.getI1Type(), 1);
    for (unsigned i = 0; i < window.spatial(); ++i) {
      Value start = b.create<arith::MulIOp>(
          loops[2 + i], constantIndex(b, window.strides[i]));
      Value offset = b.create<arith::MulIOp>(
          loops[window.y.size() + i], constantIndex(b, window.dilations[i]));
      Value at = b.create<arith::SubIOp>(b.create<arith::AddIOp>(start, offset),
                                         lows[i]);
      // Unsigned comparison rejects negative positions, too.
      Value fits =
          b.create<arith::CmpIOp>(CmpIPredicate::ult, at, sizes[2 + i]);
      inside = b.createOrFold<arith::AndIOp>(inside, fits);
      position.push_back(at);
    }
    auto branch = b.create<scf::IfOp>(
        inside,
        [&](OpBuilder &nested, Location loc) {
          Builder inner(loc, nested);
          Value value = inner.create<tensor::ExtractOp>(x, position);
          Value index = inner.create<arith::IndexCastOp>(
              bestIndex.getType(),
              flatten(inner, position, sizes, op.getColumnMajor()));
          Value take = isBetter(inner, value, best, bestIndex, element);
          inner.create<scf::YieldOp>(ValueRange{
              inner.create<arith::SelectOp>(take, value, best),
              inner.create<arith::SelectOp>(take, index, bestIndex)});
        },
        [&](OpBuilder &nested, Location loc) {
          nested.create<scf::YieldOp>(loc, ValueRange{best, bestIndex});
        });
    return SmallVector<Value>(branch.getResults());
  }

  static Value isBetter(Builder &b, Value value, Value best, Value bestIndex,
                        Type element) {
    Value first = b.create<arith::CmpIOp>(
        CmpIPredicate::slt, bestIndex, constantInt(b, bestIndex.getType(), 0));
    Value take = b.create<arith::OrIOp>(
        first, emitCompare(b, "gt", value, best, element));
    if (!isa<FloatType>(element))
      return take;
    Value wideBest = widen(b, best);
    Value number =
        b.create<arith::CmpFOp>(arith::CmpFPredicate::ORD, wideBest, wideBest);
    Value isNaN = emitIsNaN(b, widen(b, value));
    return b.create<arith::OrIOp>(take, b.create<arith::AndIOp>(isNaN, number));
  }

  static Value flatten(Builder &b, ArrayRef<Value> position,
                       ArrayRef<Value> sizes, bool columnMajor) {
    SmallVector<unsigned> order =
        llvm::to_vector(llvm::seq<unsigned>(0, position.size()));
    if (columnMajor)
      std::reverse(order.begin() + 2, order.end());
    Value index = constantIndex(b, 0);
    for (unsigned axis : order) {
      index = b.createOrFold<arith::MulIOp>(index, sizes[axis]);
      index = b.createOrFold<arith::AddIOp>(index, position[axis]);
    }
    return index;
  }
};

} // namespace

void lowering::populatePool(RewritePatternSet &patterns,
                            const TypeConverter &converter,
                            LoweringContext &lowering) {
  patterns.add<PoolPattern, ArgPoolPattern>(converter, patterns.getContext(),
                                            lowering);
}

} // namespace cuvil
