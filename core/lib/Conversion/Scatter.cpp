// SPDX-License-Identifier: Apache-2.0
// Writes at computed positions, one after the other.
#include "FamilyParts.h"
#include "Indices.h"
#include "ScalarMath.h"
#include "cuvil/IR/CuvilOps.h"
#include "cuvil/plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;

/// Writes `update` into `target` at `position` when `inside` holds, combined
/// with what is there.
Value writeIf(Builder &b, Value inside, Value target, ValueRange position,
              Value update, StringRef reduction, Type element,
              TrapHandler &traps) {
  // A branch, because an empty target has no place that is safe to write.
  auto branch = b.create<scf::IfOp>(
      inside,
      [&](OpBuilder &nested, Location loc) {
        Builder inner(loc, nested);
        Value value = update;
        if (reduction != "none") {
          Value old = inner.create<tensor::ExtractOp>(target, position);
          value = emitBinary(inner, reduction, old, update, element, traps);
        }
        Value next = inner.create<tensor::InsertOp>(value, target, position);
        inner.create<scf::YieldOp>(next);
      },
      [&](OpBuilder &nested, Location loc) {
        nested.create<scf::YieldOp>(loc, target);
      });
  return branch.getResult(0);
}

struct ScatterElementsPattern : Pattern<ScatterElementsOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ScatterElementsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> x = getDims(op.getX());
    SmallVector<Value> sizes = materializeAll(b, lowering, x);
    SmallVector<DimExpr> dims = getDims(op.getIndices());
    unsigned axis = op.getAxis();
    checkIndices(b, lowering, adaptor.getIndices(), dims, sizes[axis]);
    for (unsigned i = 0; i < dims.size(); ++i) {
      if (i == axis || provablyLessEqual(dims[i], x[i]) == true)
        continue;
      Value size = materialize(b, lowering, dims[i]);
      Value tooLarge =
          b.create<arith::CmpIOp>(arith::CmpIPredicate::sgt, size, sizes[i]);
      lowering.traps.trapIf(b, op.getLoc(), tooLarge, CUVIL_OUT_OF_RANGE);
    }
    SmallVector<Value> results = createLoops(
        b, materializeAll(b, lowering, dims), adaptor.getX(),
        [&](Builder &inner, ValueRange loops, ValueRange carried) {
          Value raw =
              inner.create<tensor::ExtractOp>(adaptor.getIndices(), loops);
          Value update =
              inner.create<tensor::ExtractOp>(adaptor.getUpdates(), loops);
          SmallVector<Value> position(loops);
          Position place = resolveIndex(inner, raw, sizes[axis]);
          position[axis] = place.position;
          for (unsigned i = 0; i < dims.size(); ++i) {
            if (i == axis || provablyLessEqual(dims[i], x[i]) == true)
              continue;
            Value fits = inner.create<arith::CmpIOp>(arith::CmpIPredicate::ult,
                                                     loops[i], sizes[i]);
            place.inside = inner.create<arith::AndIOp>(place.inside, fits);
          }
          return SmallVector<Value>{writeIf(
              inner, place.inside, carried[0], position, update,
              op.getReduction(), getElement(op.getX()), lowering.traps)};
        });
    rewriter.replaceOp(
        op, castTo(b, results[0], getPlainType(getTensor(op.getY()))));
    return success();
  }
};

struct ScatterNDPattern : Pattern<ScatterNDOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ScatterNDOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> x = getDims(op.getX()),
                         indices = getDims(op.getIndices()),
                         updates = getDims(op.getUpdates());
    unsigned tuples = indices.size() - 1;
    unsigned length = *indices.back().getConstant();
    SmallVector<Value> sizes = materializeAll(b, lowering, x);
    if (length)
      checkIndices(b, lowering, adaptor.getIndices(), indices,
                   ArrayRef(sizes).take_front(length));
    SmallVector<Value> results = createLoops(
        b, materializeAll(b, lowering, updates), adaptor.getX(),
        [&](Builder &inner, ValueRange loops, ValueRange carried) {
          SmallVector<Value> tuple(loops.take_front(tuples)), position;
          Value inside = constantInt(inner, inner.getI1Type(), 1);
          for (unsigned i = 0; i < length; ++i) {
            tuple.push_back(constantIndex(inner, i));
            Value raw =
                inner.create<tensor::ExtractOp>(adaptor.getIndices(), tuple);
            tuple.pop_back();
            Position place = resolveIndex(inner, raw, sizes[i]);
            position.push_back(place.position);
            inside = inner.createOrFold<arith::AndIOp>(inside, place.inside);
          }
          llvm::append_range(position, loops.drop_front(tuples));
          Value update =
              inner.create<tensor::ExtractOp>(adaptor.getUpdates(), loops);
          return SmallVector<Value>{writeIf(
              inner, inside, carried[0], position, update, op.getReduction(),
              getElement(op.getX()), lowering.traps)};
        });
    rewriter.replaceOp(
        op, castTo(b, results[0], getPlainType(getTensor(op.getY()))));
    return success();
  }
};

} // namespace

void lowering::populateScatter(RewritePatternSet &patterns,
                               const TypeConverter &converter,
                               LoweringContext &lowering) {
  patterns.add<ScatterElementsPattern, ScatterNDPattern>(
      converter, patterns.getContext(), lowering);
}

} // namespace cuvil
