// SPDX-License-Identifier: Apache-2.0
// Reductions as linalg.generic, scans and sorts as loops.
#include "FamilyParts.h"
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "cuvil/plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;
using arith::CmpIPredicate;

/// What `kind` starts from, in the type it accumulates in.
Value getNeutral(Builder &b, StringRef kind, Type element) {
  Type type = getComputeType(getStorageType(element));
  if (kind == "max")
    return isa<FloatType>(type) ? lowestOf(b, type) : lowestOf(b, element);
  if (kind == "min")
    return isa<FloatType>(type) ? highestOf(b, type) : highestOf(b, element);
  if (kind == "prod")
    return constantOf(b, type, 1);
  if (kind == "and")
    return constantInt(b, type, -1);
  return constantOf(b, type, 0);
}

Value combine(Builder &b, StringRef kind, Value acc, Value x, Type element) {
  if (kind == "max")
    return emitMax(b, acc, x, element);
  if (kind == "min")
    return emitMin(b, acc, x, element);
  if (kind == "prod")
    return emitMul(b, acc, x);
  if (kind == "and")
    return b.create<arith::AndIOp>(acc, x);
  if (kind == "or")
    return b.create<arith::OrIOp>(acc, x);
  if (kind == "xor")
    return b.create<arith::XOrIOp>(acc, x);
  return emitAdd(b, acc, x);
}

/// Traps when results of `dims` are to be made of `count` = 0 elements.
void trapOnEmpty(Builder &b, LoweringContext &lowering, DimExpr count,
                 ArrayRef<DimExpr> dims, int32_t code) {
  if (count.getLowerBound().value_or(0) >= 1)
    return;
  Value zero = constantIndex(b, 0);
  Value empty = b.create<arith::CmpIOp>(CmpIPredicate::eq,
                                        materialize(b, lowering, count), zero);
  Value any = b.create<arith::CmpIOp>(
      CmpIPredicate::ne, materializeProduct(b, lowering, dims), zero);
  lowering.traps.trapIf(b, b.getLoc(), b.create<arith::AndIOp>(empty, any),
                        code);
}

struct ReducePattern : Pattern<ReduceOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type element = getElement(op.getX());
    SmallVector<DimExpr> from = getDims(op.getX());
    SmallVector<DimExpr> kept = dropAxes(from, op.getAxes());
    Value neutral = getNeutral(b, op.getKind(), element);
    Value sums = reduceAxes(b, lowering, from, op.getAxes(), neutral,
                            adaptor.getX(), identityMap(b, from.size()),
                            [&](Builder &inner, Value acc, ValueRange xs) {
                              return combine(inner, op.getKind(), acc,
                                             widen(inner, xs[0]), element);
                            });
    Value result = finish(b, op, sums, from, kept, element);
    rewriter.replaceOp(
        op, reshapeTo(b, lowering, result, kept, getDims(op.getY())));
    return success();
  }

private:
  /// Divides a mean and brings the accumulator back to the storage type.
  Value finish(Builder &b, ReduceOp op, Value sums, ArrayRef<DimExpr> from,
               ArrayRef<DimExpr> kept, Type element) const {
    Type storage = getStorageType(element);
    bool mean = op.getKind() == "mean";
    if (!mean && getTensor(sums).getElementType() == storage)
      return sums;
    Value divisor;
    if (mean) {
      SmallVector<DimExpr> folded;
      for (int64_t axis : op.getAxes())
        folded.push_back(from[axis]);
      divisor = getDivisor(b, product(b.getContext(), folded), kept,
                           getTensor(sums).getElementType());
    }
    return createParallel(
        b, lowering, kept, storage, sums, identityMap(b, kept.size()),
        [&](Builder &inner, ValueRange args) -> Value {
          if (!mean)
            return narrow(inner, args[0], storage);
          if (isa<FloatType>(storage))
            return narrow(inner, inner.create<arith::DivFOp>(args[0], divisor),
                          storage);
          return divideInteger(inner, args[0], divisor, element);
        });
  }

  Value getDivisor(Builder &b, DimExpr count, ArrayRef<DimExpr> kept,
                   Type type) const {
    Value size = materialize(b, lowering, count);
    Type i64 = b.getI64Type();
    if (isa<FloatType>(type))
      return b.create<arith::SIToFPOp>(type,
                                       b.create<arith::IndexCastOp>(i64, size));
    trapOnEmpty(b, lowering, count, kept, CUVIL_ARITHMETIC);
    size = b.createOrFold<arith::MaxSIOp>(size, constantIndex(b, 1));
    return b.create<arith::IndexCastOp>(i64, size);
  }

  /// In i64, because the count need not fit the element type.
  static Value divideInteger(Builder &b, Value sum, Value count, Type element) {
    Type i64 = b.getI64Type();
    bool isUnsignedInt = isUnsigned(element);
    Type wide = isUnsignedInt ? Type(b.getIntegerType(64, false)) : i64;
    sum = emitConvert(b, sum, element, wide, false, false);
    Value quotient = isUnsignedInt
                         ? Value(b.create<arith::DivUIOp>(sum, count))
                         : Value(b.create<arith::DivSIOp>(sum, count));
    return emitConvert(b, quotient, wide, element, false, false);
  }
};

struct ArgReducePattern : Pattern<ArgReduceOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ArgReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type element = getElement(op.getX());
    Type compute = getComputeType(getStorageType(element));
    SmallVector<DimExpr> from = getDims(op.getX());
    int64_t axis = op.getAxis();
    SmallVector<DimExpr> kept = dropAxes(from, axis);
    bool max = op.getKind() == "max";
    Value neutral = getNeutral(b, op.getKind(), element);
    Value zero = constantInt(b, b.getI64Type(), 0);
    trapOnEmpty(b, lowering, from[axis], kept, CUVIL_INVALID_ARGUMENT);
    SmallVector<Value> inits{createFilled(b, lowering, kept, neutral),
                             createFilled(b, lowering, kept, zero)};
    int64_t rank = from.size();
    SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
    iterators[axis] = IteratorType::reduction;
    AffineMap outerMap = dropAxesMap(b, rank, axis);
    StringRef relation =
        max ? (op.getLast() ? "ge" : "gt") : (op.getLast() ? "le" : "lt");
    Type compared = isa<FloatType>(compute) ? compute : element;
    SmallVector<Value> results = createGeneric(
        b, adaptor.getX(), inits, {identityMap(b, rank), outerMap, outerMap},
        iterators, [&](Builder &inner, ValueRange args) {
          Value x = widen(inner, args[0]), best = args[1];
          Value take = emitCompare(inner, relation, x, best, compared);
          if (isa<FloatType>(compute)) {
            Value isNaN = emitIsNaN(inner, x);
            if (!op.getLast()) {
              Value bestIsNumber = inner.create<arith::CmpFOp>(
                  arith::CmpFPredicate::ORD, best, best);
              isNaN = inner.create<arith::AndIOp>(isNaN, bestIsNumber);
            }
            take = inner.create<arith::OrIOp>(take, isNaN);
          }
          Value index = inner.create<arith::IndexCastOp>(
              inner.getI64Type(), inner.create<linalg::IndexOp>(axis));
          return SmallVector<Value>{
              inner.create<arith::SelectOp>(take, x, best),
              inner.create<arith::SelectOp>(take, index, args[2])};
        });
    Value indices = castIndices(b, results[1], kept, getElement(op.getY()));
    rewriter.replaceOp(
        op, reshapeTo(b, lowering, indices, kept, getDims(op.getY())));
    return success();
  }

private:
  Value castIndices(Builder &b, Value indices, ArrayRef<DimExpr> dims,
                    Type element) const {
    if (getTensor(indices).getElementType() == element)
      return indices;
    return createParallel(
        b, lowering, dims, element, indices, identityMap(b, dims.size()),
        [&](Builder &inner, ValueRange args) -> Value {
          return inner.create<arith::TruncIOp>(element, args[0]);
        });
  }
};

/// Inserts the loop index of `axis` into indices over the other axes.
SmallVector<Value> withAxis(ValueRange outer, unsigned axis, Value index) {
  SmallVector<Value> indices(outer);
  indices.insert(indices.begin() + axis, index);
  return indices;
}

struct CumulatePattern : Pattern<CumulateOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(CumulateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type element = getElement(op.getX());
    Type storage = getStorageType(element);
    SmallVector<DimExpr> dims = getDims(op.getX());
    int64_t axis = op.getAxis();
    SmallVector<Value> outer =
        materializeAll(b, lowering, dropAxes(dims, axis));
    Value size = materialize(b, lowering, dims[axis]);
    Value neutral = getNeutral(b, op.getKind(), element);
    Value init = createEmpty(b, lowering, dims, storage);
    SmallVector<Value> results = createLoops(
        b, outer, init,
        [&](Builder &middle, ValueRange position, ValueRange carried) {
          auto step = [&](Builder &inner, ValueRange at, ValueRange state) {
            Value index = at[0];
            if (op.getReverse()) {
              Value last =
                  inner.create<arith::SubIOp>(size, constantIndex(inner, 1));
              index = inner.create<arith::SubIOp>(last, index);
            }
            SmallVector<Value> indices = withAxis(position, axis, index);
            Value x = inner.create<tensor::ExtractOp>(adaptor.getX(), indices);
            Value next = combine(inner, op.getKind(), state[1], widen(inner, x),
                                 element);
            Value stored =
                narrow(inner, op.getExclusive() ? state[1] : next, storage);
            Value y = inner.create<tensor::InsertOp>(stored, state[0], indices);
            return SmallVector<Value>{y, next};
          };
          SmallVector<Value> line =
              createLoops(middle, size, {carried[0], neutral}, step);
          return SmallVector<Value>{line[0]};
        });
    rewriter.replaceOp(op, results[0]);
    return success();
  }
};

} // namespace

void populateReductionToLinalg(RewritePatternSet &patterns,
                               const TypeConverter &converter,
                               LoweringContext &lowering) {
  patterns.add<ReducePattern, ArgReducePattern, CumulatePattern>(
      converter, patterns.getContext(), lowering);
  populateTopK(patterns, converter, lowering);
}

} // namespace cuvil
