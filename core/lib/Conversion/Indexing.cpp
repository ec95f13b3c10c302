// SPDX-License-Identifier: Apache-2.0
// Reads at computed positions as linalg.generic, nonzero as loops.
#include "FamilyParts.h"
#include "Indices.h"
#include "ScalarMath.h"
#include "cuvil/IR/CuvilOps.h"
#include "cuvil/plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {

namespace lowering {

using arith::CmpIPredicate;

Position resolveIndex(Builder &b, Value raw, Value size) {
  Value index = toIndex(b, raw);
  Value negative =
      b.create<arith::CmpIOp>(CmpIPredicate::slt, index, constantIndex(b, 0));
  Value fromEnd = b.create<arith::AddIOp>(index, size);
  Value position = b.create<arith::SelectOp>(negative, fromEnd, index);
  // Unsigned comparison rejects what is still negative, too.
  Value inside = b.create<arith::CmpIOp>(CmpIPredicate::ult, position, size);
  return {position, inside};
}

void checkIndices(Builder &b, LoweringContext &lowering, Value indices,
                  ArrayRef<DimExpr> dims, ArrayRef<Value> sizes) {
  // One pass over the (small) index tensor keeps the loops that read by it
  // free of side effects.
  SmallVector<int64_t> axes =
      llvm::to_vector(llvm::seq<int64_t>(0, dims.size()));
  Value no = constantInt(b, b.getI1Type(), 0);
  Value yes = constantInt(b, b.getI1Type(), 1);
  Value outside = reduceAxes(
      b, lowering, dims, axes, no, indices, identityMap(b, dims.size()),
      [&](Builder &inner, Value acc, ValueRange xs) -> Value {
        Value size = sizes.front();
        if (sizes.size() > 1) {
          Value column = inner.create<linalg::IndexOp>(dims.size() - 1);
          for (unsigned i = 1; i < sizes.size(); ++i) {
            Value here = inner.create<arith::CmpIOp>(CmpIPredicate::eq, column,
                                                     constantIndex(inner, i));
            size = inner.create<arith::SelectOp>(here, sizes[i], size);
          }
        }
        Value inside = resolveIndex(inner, xs[0], size).inside;
        return inner.create<arith::OrIOp>(
            acc, inner.create<arith::XOrIOp>(inside, yes));
      });
  lowering.traps.trapIf(b, b.getLoc(), extractScalar(b, outside),
                        CUVIL_OUT_OF_RANGE);
}

} // namespace lowering

namespace {

using namespace lowering;
using arith::CmpIPredicate;

/// The position of a checked index; anything else is clamped.
Value getPosition(Builder &b, Value raw, Value size) {
  return clampIndex(b, resolveIndex(b, raw, size).position, size);
}

struct GatherPattern : Pattern<GatherOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(GatherOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> x = getDims(op.getX()),
                         indices = getDims(op.getIndices()),
                         dims = getDims(op.getY());
    unsigned axis = op.getAxis(), batch = op.getBatchDims();
    unsigned numIndexed = indices.size() - batch;
    Value size = materialize(b, lowering, x[axis]);
    checkIndices(b, lowering, adaptor.getIndices(), indices, size);
    // Loops: x's axes before `axis`, the index axes, x's axes after it.
    SmallVector<unsigned> indexLoops =
        llvm::to_vector(llvm::seq<unsigned>(0, batch));
    for (unsigned i = 0; i < numIndexed; ++i)
      indexLoops.push_back(axis + i);
    Value result = createParallel(
        b, lowering, dims, getStorageType(getElement(op.getX())),
        adaptor.getIndices(), selectDims(b, dims.size(), indexLoops),
        [&](Builder &inner, ValueRange args) -> Value {
          SmallVector<Value> loops = getLoopIndices(inner, dims.size());
          SmallVector<Value> position(loops.begin(), loops.begin() + axis);
          position.push_back(getPosition(inner, args[0], size));
          position.append(loops.begin() + axis + numIndexed, loops.end());
          return inner.create<tensor::ExtractOp>(adaptor.getX(), position);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct GatherElementsPattern : Pattern<GatherElementsOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(GatherElementsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> x = getDims(op.getX()), dims = getDims(op.getY());
    unsigned axis = op.getAxis();
    Value size = materialize(b, lowering, x[axis]);
    checkIndices(b, lowering, adaptor.getIndices(), getDims(op.getIndices()),
                 size);
    Value result = createParallel(
        b, lowering, dims, getStorageType(getElement(op.getX())),
        adaptor.getIndices(), identityMap(b, dims.size()),
        [&](Builder &inner, ValueRange args) -> Value {
          SmallVector<Value> position = getLoopIndices(inner, dims.size());
          position[axis] = getPosition(inner, args[0], size);
          return inner.create<tensor::ExtractOp>(adaptor.getX(), position);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct GatherNDPattern : Pattern<GatherNDOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(GatherNDOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> x = getDims(op.getX()),
                         indices = getDims(op.getIndices()),
                         dims = getDims(op.getY());
    unsigned batch = op.getBatchDims(), tuples = indices.size() - 1;
    unsigned length = *indices.back().getConstant();
    SmallVector<Value> sizes =
        materializeAll(b, lowering, ArrayRef(x).slice(batch, length));
    if (length)
      checkIndices(b, lowering, adaptor.getIndices(), indices, sizes);
    Value result = createParallel(
        b, lowering, dims, getStorageType(getElement(op.getX())), {}, {},
        [&](Builder &inner, ValueRange) -> Value {
          SmallVector<Value> loops = getLoopIndices(inner, dims.size());
          SmallVector<Value> tuple(loops.begin(), loops.begin() + tuples);
          SmallVector<Value> position(loops.begin(), loops.begin() + batch);
          for (unsigned i = 0; i < length; ++i) {
            tuple.push_back(constantIndex(inner, i));
            Value raw =
                inner.create<tensor::ExtractOp>(adaptor.getIndices(), tuple);
            tuple.pop_back();
            position.push_back(getPosition(inner, raw, sizes[i]));
          }
          position.append(loops.begin() + tuples, loops.end());
          return inner.create<tensor::ExtractOp>(adaptor.getX(), position);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct NonZeroPattern : Pattern<NonZeroOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(NonZeroOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type element = getElement(op.getX());
    SmallVector<DimExpr> x = getDims(op.getX()), dims = getDims(op.getY());
    Type indexType = getElement(op.getY());
    Value capacity = materialize(b, lowering, dims[1]);
    SmallVector<Value> inits{createEmpty(b, lowering, dims, indexType),
                             constantIndex(b, 0)};
    SmallVector<Value> results = createLoops(
        b, materializeAll(b, lowering, x), inits,
        [&](Builder &inner, ValueRange position, ValueRange state) {
          Value value =
              inner.create<tensor::ExtractOp>(adaptor.getX(), position);
          Value nonZero = emitConvert(inner, value, element, inner.getI1Type(),
                                      false, false);
          // More than the bound count can't be stored.
          Value room = inner.create<arith::CmpIOp>(CmpIPredicate::ult, state[1],
                                                   capacity);
          Value store = inner.create<arith::AndIOp>(nonZero, room);
          auto branch = inner.create<scf::IfOp>(
              store,
              [&](OpBuilder &nested, Location loc) {
                Builder then(loc, nested);
                then.create<scf::YieldOp>(
                    append(then, position, state, indexType));
              },
              [&](OpBuilder &nested, Location loc) {
                nested.create<scf::YieldOp>(loc, state);
              });
          return SmallVector<Value>(branch.getResults());
        });
    rewriter.replaceOp(op, results[0]);
    return success();
  }

private:
  static SmallVector<Value> append(Builder &b, ValueRange position,
                                   ValueRange state, Type indexType) {
    Value list = state[0];
    for (auto [axis, index] : llvm::enumerate(position)) {
      Value number = b.create<arith::IndexCastOp>(indexType, index);
      list = b.create<tensor::InsertOp>(
          number, list, ValueRange{constantIndex(b, axis), state[1]});
    }
    return {list, b.create<arith::AddIOp>(state[1], constantIndex(b, 1))};
  }
};

} // namespace

void populateIndexingToLinalg(RewritePatternSet &patterns,
                              const TypeConverter &converter,
                              LoweringContext &lowering) {
  patterns.add<GatherPattern, GatherElementsPattern, GatherNDPattern,
               NonZeroPattern>(converter, patterns.getContext(), lowering);
  populateScatter(patterns, converter, lowering);
}

} // namespace cuvil
