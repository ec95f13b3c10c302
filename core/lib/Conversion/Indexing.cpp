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

/// Whether every one of `dims` has at least one element.
bool areNonEmpty(ArrayRef<DimExpr> dims) {
  return llvm::all_of(
      dims, [](DimExpr dim) { return dim.getLowerBound().value_or(0) >= 1; });
}

/// Reads x by checked indices: those that failed read some element, or zero
/// when the indexed axes may have none.
class CheckedRead {
public:
  CheckedRead(Builder &b, bool nonEmpty) : b(b), nonEmpty(nonEmpty) {}

  /// The position that a raw index means.
  Value resolve(Value raw, Value size) {
    Position place = resolveIndex(b, raw, size);
    if (nonEmpty)
      return clampIndex(b, place.position, size);
    inside =
        inside ? b.create<arith::AndIOp>(inside, place.inside) : place.inside;
    return place.position;
  }

  Value read(Value x, ValueRange position) {
    if (!inside)
      return b.create<tensor::ExtractOp>(x, position);
    auto branch = b.create<scf::IfOp>(
        inside,
        [&](OpBuilder &nested, Location loc) {
          Value element = nested.create<tensor::ExtractOp>(loc, x, position);
          nested.create<scf::YieldOp>(loc, element);
        },
        [&](OpBuilder &nested, Location loc) {
          Builder inner(loc, nested);
          inner.create<scf::YieldOp>(constantOf(inner, getElement(x), 0));
        });
    return branch.getResult(0);
  }

private:
  Builder &b;
  bool nonEmpty;
  Value inside;
};

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
          CheckedRead reader(inner, areNonEmpty(x[axis]));
          SmallVector<Value> position(loops.begin(), loops.begin() + axis);
          position.push_back(reader.resolve(args[0], size));
          position.append(loops.begin() + axis + numIndexed, loops.end());
          return reader.read(adaptor.getX(), position);
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
    Value result =
        createParallel(b, lowering, dims, getStorageType(getElement(op.getX())),
                       adaptor.getIndices(), identityMap(b, dims.size()),
                       [&](Builder &inner, ValueRange args) -> Value {
                         CheckedRead reader(inner, areNonEmpty(x[axis]));
                         SmallVector<Value> position =
                             getLoopIndices(inner, dims.size());
                         position[axis] = reader.resolve(args[0], size);
                         return reader.read(adaptor.getX(), position);
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
    ArrayRef<DimExpr> indexed = ArrayRef(x).slice(batch, length);
    SmallVector<Value> sizes = materializeAll(b, lowering, indexed);
    if (length)
      checkIndices(b, lowering, adaptor.getIndices(), indices, sizes);
    Value result = createParallel(
        b, lowering, dims, getStorageType(getElement(op.getX())), {}, {},
        [&](Builder &inner, ValueRange) -> Value {
          SmallVector<Value> loops = getLoopIndices(inner, dims.size());
          SmallVector<Value> tuple(loops.begin(), loops.begin() + tuples);
          CheckedRead reader(inner, areNonEmpty(indexed));
          SmallVector<Value> position(loops.begin(), loops.begin() + batch);
          for (unsigned i = 0; i < length; ++i) {
            tuple.push_back(constantIndex(inner, i));
            Value raw =
                inner.create<tensor::ExtractOp>(adaptor.getIndices(), tuple);
            tuple.pop_back();
            position.push_back(reader.resolve(raw, sizes[i]));
          }
          position.append(loops.begin() + tuples, loops.end());
          return reader.read(adaptor.getX(), position);
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
