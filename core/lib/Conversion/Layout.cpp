// SPDX-License-Identifier: Apache-2.0
// Constants and data movement as maps, slices and indexed reads.
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;

/// A result whose element at i is x[index(i)].
Value createIndexedRead(
    Builder &b, LoweringContext &lowering, ArrayRef<DimExpr> dims, Value x,
    function_ref<SmallVector<Value>(Builder &, ValueRange)> index) {
  Type storage = cast<RankedTensorType>(x.getType()).getElementType();
  return createParallel(
      b, lowering, dims, storage, {}, {},
      [&](Builder &inner, ValueRange) -> Value {
        SmallVector<Value> loops = getLoopIndices(inner, dims.size());
        return inner.create<tensor::ExtractOp>(x, index(inner, loops));
      });
}

struct ConstantPattern : Pattern<ConstantOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!dense)
      return rewriter.notifyMatchFailure(
          op, "weights must be operands of the function");
    Type storage = getStorageType(dense.getElementType());
    if (storage != dense.getElementType())
      dense = dense.bitcast(storage);
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, dense);
    return success();
  }
};

struct FillPattern : Pattern<FillOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(FillOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getY());
    rewriter.replaceOp(
        op,
        createParallel(b, lowering, dims, getStorageType(getElement(op.getX())),
                       adaptor.getX(), selectDims(b, dims.size(), {}),
                       [](Builder &, ValueRange args) { return args[0]; }));
    return success();
  }
};

struct IotaPattern : Pattern<IotaOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(IotaOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type i64 = b.getI64Type();
    Value result = createParallel(
        b, lowering, getDims(op.getY()), getStorageType(op.getTo()), {}, {},
        [&](Builder &inner, ValueRange) {
          Value index = inner.create<linalg::IndexOp>(op.getAxis());
          Value number = inner.create<arith::IndexCastOp>(i64, index);
          return emitConvert(inner, number, i64, op.getTo(),
                             /*roundEven=*/false, /*saturate=*/false);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ReshapePattern : Pattern<ReshapeOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ReshapeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, reshapeTo(b, lowering, adaptor.getX(),
                                     getDims(op.getX()), getDims(op.getY())));
    return success();
  }
};

struct TransposePattern : Pattern<TransposeOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(TransposeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    ArrayRef<int64_t> perm = op.getPerm();
    // Axis perm[i] of x runs with loop i.
    SmallVector<unsigned> loopOf(perm.size());
    for (auto [i, axis] : llvm::enumerate(perm))
      loopOf[axis] = i;
    rewriter.replaceOp(
        op, createParallel(b, lowering, getDims(op.getY()),
                           getStorageType(getElement(op.getX())),
                           adaptor.getX(), selectDims(b, perm.size(), loopOf),
                           [](Builder &, ValueRange args) { return args[0]; }));
    return success();
  }
};

struct BroadcastPattern : Pattern<BroadcastOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(BroadcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> from = getDims(op.getX()), to = getDims(op.getY());
    ArrayRef<int64_t> mapping = op.getMapping();
    SmallVector<AffineExpr> exprs;
    for (auto [axis, dim] : llvm::enumerate(from)) {
      DimExpr target = to[mapping[axis]];
      DimExpr one = DimExpr::constant(b.getContext(), 1);
      bool same = provablyEqual(dim, target) == true ||
                  provablyEqual(dim, one) == false;
      if (!same && !dim.isConstant(1))
        return readIndexed(op, adaptor.getX(), from, to, rewriter);
      exprs.push_back(same ? b.getAffineDimExpr(mapping[axis])
                           : b.getAffineConstantExpr(0));
    }
    AffineMap map = AffineMap::get(to.size(), 0, exprs, b.getContext());
    rewriter.replaceOp(
        op,
        createParallel(b, lowering, to, getStorageType(getElement(op.getX())),
                       adaptor.getX(), map,
                       [](Builder &, ValueRange args) { return args[0]; }));
    return success();
  }

private:
  /// For dims of which only the run knows whether they repeat.
  LogicalResult readIndexed(BroadcastOp op, Value x, ArrayRef<DimExpr> from,
                            ArrayRef<DimExpr> to,
                            ConversionPatternRewriter &rewriter) const {
    Builder b(op.getLoc(), rewriter);
    SmallVector<Value> repeats;
    for (DimExpr dim : from)
      repeats.push_back(b.createOrFold<arith::CmpIOp>(
          arith::CmpIPredicate::eq, materialize(b, lowering, dim),
          constantIndex(b, 1)));
    auto index = [&](Builder &inner, ValueRange loops) {
      SmallVector<Value> indices;
      Value zero = constantIndex(inner, 0);
      for (auto [axis, target] : llvm::enumerate(op.getMapping()))
        indices.push_back(inner.createOrFold<arith::SelectOp>(
            repeats[axis], zero, loops[target]));
      return indices;
    };
    rewriter.replaceOp(op, createIndexedRead(b, lowering, to, x, index));
    return success();
  }
};

struct SlicePattern : Pattern<SliceOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getY());
    if (llvm::all_of(op.getSteps(), [](int64_t step) { return step > 0; })) {
      rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
          op, getPlainType(getTensor(op.getY())), adaptor.getX(),
          materializeFold(b, lowering, op.getStarts()),
          materializeFold(b, lowering, dims),
          llvm::map_to_vector(op.getSteps(), [&](int64_t step) -> OpFoldResult {
            return b.getIndexAttr(step);
          }));
      return success();
    }
    SmallVector<Value> starts;
    for (DimExpr start : op.getStarts())
      starts.push_back(materialize(b, lowering, start));
    auto index = [&](Builder &inner, ValueRange loops) {
      SmallVector<Value> indices;
      for (auto [axis, step] : llvm::enumerate(op.getSteps())) {
        Value offset = inner.createOrFold<arith::MulIOp>(
            loops[axis], constantIndex(inner, step));
        indices.push_back(
            inner.createOrFold<arith::AddIOp>(starts[axis], offset));
      }
      return indices;
    };
    rewriter.replaceOp(
        op, createIndexedRead(b, lowering, dims, adaptor.getX(), index));
    return success();
  }
};

struct InsertSlicePattern : Pattern<InsertSliceOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(InsertSliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Value result = b.create<tensor::InsertSliceOp>(
        adaptor.getPart(), adaptor.getX(),
        materializeFold(b, lowering, op.getStarts()),
        materializeFold(b, lowering, getDims(op.getPart())),
        llvm::map_to_vector(op.getSteps(), [&](int64_t step) -> OpFoldResult {
          return b.getIndexAttr(step);
        }));
    rewriter.replaceOp(op,
                       castTo(b, result, getPlainType(getTensor(op.getY()))));
    return success();
  }
};

struct ConcatPattern : Pattern<ConcatOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ConcatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getY());
    DimExpr offset = DimExpr::constant(b.getContext(), 0);
    SmallVector<OpFoldResult> offsets(dims.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> steps(dims.size(), b.getIndexAttr(1));
    Value result =
        createEmpty(b, lowering, dims, getStorageType(getElement(op.getY())));
    for (auto [part, input] : llvm::zip(adaptor.getInputs(), op.getInputs())) {
      SmallVector<DimExpr> sizes = getDims(input);
      offsets[op.getAxis()] = materializeFold(b, lowering, offset);
      result = b.create<tensor::InsertSliceOp>(
          part, result, offsets, materializeFold(b, lowering, sizes), steps);
      offset = offset + sizes[op.getAxis()];
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct PadPattern : Pattern<PadOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(PadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> from = getDims(op.getX()), to = getDims(op.getY());
    if (op.getMode() == "constant") {
      Value scalar = extractScalar(b, adaptor.getValue());
      rewriter.replaceOp(op, padWith(b, lowering, adaptor.getX(), from, to,
                                     op.getLow(), op.getHigh(), {}, scalar));
      return success();
    }
    SmallVector<Value> lows, sizes;
    for (auto [dim, low] : llvm::zip(from, op.getLow())) {
      lows.push_back(materialize(b, lowering, low));
      sizes.push_back(materialize(b, lowering, dim));
    }
    auto index = [&](Builder &inner, ValueRange loops) {
      SmallVector<Value> indices;
      for (auto [axis, loop] : llvm::enumerate(loops)) {
        // Untouched axes keep their plain index.
        if (op.getLow()[axis].isConstant(0) &&
            op.getHigh()[axis].isConstant(0)) {
          indices.push_back(loop);
          continue;
        }
        Value position = inner.create<arith::SubIOp>(loop, lows[axis]);
        indices.push_back(mirror(inner, op.getMode(), position, sizes[axis]));
      }
      return indices;
    };
    rewriter.replaceOp(
        op, createIndexedRead(b, lowering, to, adaptor.getX(), index));
    return success();
  }

private:
  /// Where a position outside [0, size) reads.
  static Value mirror(Builder &b, StringRef mode, Value position, Value size) {
    if (mode == "edge")
      return clampIndex(b, position, size);
    if (mode == "wrap")
      return wrapIndex(b, position, size);
    // There and back again takes 2 * (size - 1) steps; an axis of one element
    // stands still.
    Value one = constantIndex(b, 1);
    Value last = b.create<arith::SubIOp>(size, one);
    Value period = b.create<arith::MaxSIOp>(
        b.create<arith::MulIOp>(last, constantIndex(b, 2)), one);
    Value forth = wrapIndex(b, position, period);
    Value back = b.create<arith::SubIOp>(period, forth);
    return b.create<arith::MinSIOp>(b.create<arith::MinSIOp>(forth, back),
                                    last);
  }
};

struct ReversePattern : Pattern<ReverseOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ReverseOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getY());
    SmallVector<Value> lasts(dims.size());
    for (int64_t axis : op.getAxes())
      lasts[axis] = materialize(b, lowering, dims[axis] - 1);
    auto index = [&](Builder &inner, ValueRange loops) {
      SmallVector<Value> indices(loops);
      for (int64_t axis : op.getAxes())
        indices[axis] = inner.create<arith::SubIOp>(lasts[axis], loops[axis]);
      return indices;
    };
    rewriter.replaceOp(
        op, createIndexedRead(b, lowering, dims, adaptor.getX(), index));
    return success();
  }
};

} // namespace

void populateLayoutToLinalg(RewritePatternSet &patterns,
                            const TypeConverter &converter,
                            LoweringContext &lowering) {
  patterns.add<ConstantPattern, FillPattern, IotaPattern, ReshapePattern,
               TransposePattern, BroadcastPattern, SlicePattern,
               InsertSlicePattern, ConcatPattern, PadPattern, ReversePattern>(
      converter, patterns.getContext(), lowering);
}

} // namespace cuvil
