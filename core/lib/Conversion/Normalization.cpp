// SPDX-License-Identifier: Apache-2.0
// Softmax and normalisations as reductions and pointwise ops.
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;

Value sub(Builder &b, Value x, Value y) {
  return b.create<arith::SubFOp>(x, y);
}

struct SoftmaxPattern : Pattern<SoftmaxOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(SoftmaxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getX());
    int64_t axis = op.getAxis();
    Type storage = getElement(op.getX()), compute = getComputeType(storage);
    AffineMap identity = identityMap(b, dims.size());
    AffineMap outer = dropAxesMap(b, dims.size(), axis);
    Value x = adaptor.getX();
    Value largest =
        reduceAxes(b, lowering, dims, axis, lowestOf(b, compute), x, identity,
                   [&](Builder &inner, Value acc, ValueRange xs) {
                     return emitMax(inner, acc, widen(inner, xs[0]), compute);
                   });
    auto shifted = [](Builder &inner, ValueRange args) {
      return sub(inner, widen(inner, args[0]), args[1]);
    };
    Value powers = createParallel(
        b, lowering, dims, compute, {x, largest}, {identity, outer},
        [&](Builder &inner, ValueRange args) -> Value {
          return inner.create<math::ExpOp>(shifted(inner, args));
        });
    Value sum =
        reduceAxes(b, lowering, dims, axis, constantOf(b, compute, 0), powers,
                   identity, [&](Builder &inner, Value acc, ValueRange xs) {
                     return emitAdd(inner, acc, xs[0]);
                   });
    Value result;
    if (op.getLog())
      result = createParallel(
          b, lowering, dims, storage, {x, largest, sum},
          {identity, outer, outer}, [&](Builder &inner, ValueRange args) {
            Value log = inner.create<math::LogOp>(args[2]);
            return narrow(inner, sub(inner, shifted(inner, args), log),
                          storage);
          });
    else
      result = createParallel(
          b, lowering, dims, storage, {powers, sum}, {identity, outer},
          [&](Builder &inner, ValueRange args) {
            return narrow(inner, inner.create<arith::DivFOp>(args[0], args[1]),
                          storage);
          });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// An operand that varies along some of the loops.
struct Varying {
  Value tensor;
  AffineMap map;
};

struct NormalizePattern : Pattern<NormalizeOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(NormalizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getX());
    Value x = adaptor.getX(), scale = adaptor.getScale(),
          bias = adaptor.getBias();
    StringRef kind = op.getKind();
    if (kind == "batch") {
      rewriter.replaceOp(op, normalizeBatch(b, op, adaptor, dims));
      return success();
    }
    SmallVector<DimExpr> split = dims;
    SmallVector<unsigned> channels{1};
    unsigned firstAxis = 2;
    if (kind == "layer" || kind == "rms") {
      firstAxis = op.getAxis().value_or(dims.size() - 1);
      channels = llvm::to_vector(llvm::seq<unsigned>(firstAxis, dims.size()));
    } else if (kind == "group") {
      // Statistics over the parts of axis 1, seen as an axis of its own.
      DimExpr groups = DimExpr::constant(b.getContext(), *op.getGroups());
      DimExpr part = dims[1].floorDiv(groups);
      split[1] = part;
      split.insert(split.begin() + 1, groups);
      channels = {1, 2};
      x = reshapeTo(b, lowering, x, dims, split);
      for (Value *affine : {&scale, &bias})
        if (*affine)
          *affine = reshapeTo(b, lowering, *affine, dims[1], {groups, part});
    }
    AffineMap channelMap = selectDims(b, split.size(), channels);
    Value result =
        normalize(b, op, x, split, firstAxis, Varying{scale, channelMap},
                  Varying{bias, channelMap});
    rewriter.replaceOp(op, reshapeTo(b, lowering, result, split, dims));
    return success();
  }

private:
  /// 1 / sqrt(var + eps)
  static Value inverseDeviation(Builder &b, NormalizeOp op, Value var) {
    Value eps = constantOf(b, var.getType(), op.getEps().convertToDouble());
    Value deviation = b.create<math::SqrtOp>(b.create<arith::AddFOp>(var, eps));
    return b.create<arith::DivFOp>(constantOf(b, var.getType(), 1), deviation);
  }

  /// (x - mean) * factor * scale + bias, each but x and factor optional.
  Value apply(Builder &b, Value x, ArrayRef<DimExpr> dims, Varying mean,
              Varying factor, Varying scale, Varying bias) const {
    Type storage = getElement(x);
    SmallVector<Value> inputs{x};
    SmallVector<AffineMap> maps{identityMap(b, dims.size())};
    for (Varying varying : {mean, factor, scale, bias})
      if (varying.tensor) {
        inputs.push_back(varying.tensor);
        maps.push_back(varying.map);
      }
    return createParallel(b, lowering, dims, storage, inputs, maps,
                          [&](Builder &inner, ValueRange args) {
                            Value value = widen(inner, args[0]);
                            unsigned i = 1;
                            auto take = [&] { return widen(inner, args[i++]); };
                            if (mean.tensor)
                              value = sub(inner, value, take());
                            value = emitMul(inner, value, take());
                            if (scale.tensor)
                              value = emitMul(inner, value, take());
                            if (bias.tensor)
                              value = emitAdd(inner, value, take());
                            return narrow(inner, value, storage);
                          });
  }

  Value normalizeBatch(Builder &b, NormalizeOp op, OpAdaptor adaptor,
                       ArrayRef<DimExpr> dims) const {
    Type compute = getComputeType(getElement(op.getX()));
    AffineMap channel = selectDims(b, dims.size(), {1});
    AffineMap same = identityMap(b, 1);
    Value factor = createParallel(
        b, lowering, dims[1], compute, {adaptor.getScale(), adaptor.getVar()},
        {same, same}, [&](Builder &inner, ValueRange args) {
          Value inverse = inverseDeviation(inner, op, widen(inner, args[1]));
          return emitMul(inner, widen(inner, args[0]), inverse);
        });
    return apply(b, adaptor.getX(), dims, {adaptor.getMean(), channel},
                 {factor, channel}, {}, {adaptor.getBias(), channel});
  }

  Value normalize(Builder &b, NormalizeOp op, Value x, ArrayRef<DimExpr> dims,
                  unsigned firstAxis, Varying scale, Varying bias) const {
    Type compute = getComputeType(getElement(x));
    SmallVector<int64_t> axes =
        llvm::to_vector(llvm::seq<int64_t>(firstAxis, dims.size()));
    AffineMap identity = identityMap(b, dims.size());
    AffineMap outer = dropAxesMap(b, dims.size(), axes);
    ArrayRef<DimExpr> kept = dims.take_front(firstAxis);
    Value zero = constantOf(b, compute, 0);
    Value count = b.create<arith::SIToFPOp>(
        compute,
        b.create<arith::IndexCastOp>(
            b.getI64Type(),
            materializeProduct(b, lowering, dims.drop_front(firstAxis))));
    Varying mean;
    if (op.getKind() != "rms") {
      Value sum = reduceAxes(b, lowering, dims, axes, zero, x, identity,
                             [&](Builder &inner, Value acc, ValueRange xs) {
                               return emitAdd(inner, acc, widen(inner, xs[0]));
                             });
      mean.map = outer;
      mean.tensor = createParallel(
          b, lowering, kept, compute, sum, identityMap(b, kept.size()),
          [&](Builder &inner, ValueRange args) -> Value {
            return inner.create<arith::DivFOp>(args[0], count);
          });
    }
    SmallVector<Value> inputs{x};
    SmallVector<AffineMap> maps{identity};
    if (mean.tensor) {
      inputs.push_back(mean.tensor);
      maps.push_back(outer);
    }
    Value squares =
        reduceAxes(b, lowering, dims, axes, zero, inputs, maps,
                   [&](Builder &inner, Value acc, ValueRange xs) {
                     Value value = widen(inner, xs[0]);
                     if (mean.tensor)
                       value = sub(inner, value, xs[1]);
                     return emitAdd(inner, acc, emitMul(inner, value, value));
                   });
    Value factor = createParallel(
        b, lowering, kept, compute, squares, identityMap(b, kept.size()),
        [&](Builder &inner, ValueRange args) {
          Value var = inner.create<arith::DivFOp>(args[0], count);
          return inverseDeviation(inner, op, var);
        });
    return apply(b, x, dims, mean, {factor, outer}, scale, bias);
  }
};

} // namespace

void populateNormalizationToLinalg(RewritePatternSet &patterns,
                                   const TypeConverter &converter,
                                   LoweringContext &lowering) {
  patterns.add<SoftmaxPattern, NormalizePattern>(
      converter, patterns.getContext(), lowering);
}

} // namespace cuvil
