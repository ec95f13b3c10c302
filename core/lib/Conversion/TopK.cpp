// SPDX-License-Identifier: Apache-2.0
// topk as insertion into a sorted list of at most k elements.
#include "FamilyParts.h"
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;
using arith::CmpIPredicate;

/// Inserts elements into one sorted line of the results.
struct LineSorter {
  unsigned axis;
  Type element;
  bool largest;
  Value k;

  SmallVector<Value> at(ValueRange outer, Value index) const {
    SmallVector<Value> indices(outer);
    indices.insert(indices.begin() + axis, index);
    return indices;
  }

  /// x goes before y, which came earlier.
  Value before(Builder &b, Value x, Value y) const {
    Value result = emitCompare(b, largest ? "gt" : "lt", x, y, element);
    if (!isa<FloatType>(element))
      return result;
    Value xNaN = emitIsNaN(b, widen(b, x)), yNaN = emitIsNaN(b, widen(b, y));
    Value first = largest ? xNaN : yNaN, second = largest ? yNaN : xNaN;
    Value no =
        b.create<arith::XOrIOp>(second, constantInt(b, b.getI1Type(), 1));
    return b.create<arith::OrIOp>(result, b.create<arith::AndIOp>(first, no));
  }

  Value previous(Builder &b, Value index) const {
    return b.create<arith::SubIOp>(index, constantIndex(b, 1));
  }

  /// Moves worse elements back from `slot` on and puts x into the gap.
  SmallVector<Value> insert(Builder &b, ValueRange outer, Value x, Value number,
                            Value slot, ValueRange lists) const {
    Value zero = constantIndex(b, 0);
    SmallVector<Value> inits{slot, lists[0], lists[1]};
    auto loop = b.create<scf::WhileOp>(
        TypeRange(ValueRange(inits)), inits,
        [&](OpBuilder &nested, Location loc, ValueRange state) {
          Builder inner(loc, nested);
          Value some =
              inner.create<arith::CmpIOp>(CmpIPredicate::sgt, state[0], zero);
          Value left =
              inner.create<arith::MaxSIOp>(previous(inner, state[0]), zero);
          Value neighbour =
              inner.create<tensor::ExtractOp>(state[1], at(outer, left));
          Value go =
              inner.create<arith::AndIOp>(some, before(inner, x, neighbour));
          inner.create<scf::ConditionOp>(go, state);
        },
        [&](OpBuilder &nested, Location loc, ValueRange state) {
          Builder inner(loc, nested);
          Value left = previous(inner, state[0]);
          SmallVector<Value> next{left};
          for (Value list : state.drop_front()) {
            Value moved =
                inner.create<tensor::ExtractOp>(list, at(outer, left));
            next.push_back(inner.create<tensor::InsertOp>(moved, list,
                                                          at(outer, state[0])));
          }
          inner.create<scf::YieldOp>(next);
        });
    SmallVector<Value> place = at(outer, loop.getResult(0));
    return {b.create<tensor::InsertOp>(x, loop.getResult(1), place),
            b.create<tensor::InsertOp>(number, loop.getResult(2), place)};
  }

  /// Takes element x of position `index` into the lists when it is among the
  /// first k so far.
  SmallVector<Value> offer(Builder &b, ValueRange outer, Value x, Value index,
                           ValueRange lists) const {
    Value last = previous(b, k);
    Value worst = b.create<tensor::ExtractOp>(lists[0], at(outer, last));
    Value room = b.create<arith::CmpIOp>(CmpIPredicate::slt, index, k);
    Value enters = b.create<arith::OrIOp>(room, before(b, x, worst));
    auto branch = b.create<scf::IfOp>(
        enters,
        [&](OpBuilder &nested, Location loc) {
          Builder inner(loc, nested);
          Value slot = inner.create<arith::MinSIOp>(index, last);
          Type numberType = getTensor(lists[1]).getElementType();
          Value number = inner.create<arith::IndexCastOp>(numberType, index);
          inner.create<scf::YieldOp>(
              insert(inner, outer, x, number, slot, lists));
        },
        [&](OpBuilder &nested, Location loc) {
          nested.create<scf::YieldOp>(loc, lists);
        });
    return SmallVector<Value>(branch.getResults());
  }
};

struct TopKPattern : Pattern<TopKOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(TopKOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    int64_t axis = op.getAxis();
    SmallVector<DimExpr> from = getDims(op.getX()),
                         to = getDims(op.getValues());
    Type element = getElement(op.getX());
    LineSorter sorter{static_cast<unsigned>(axis), element, op.getLargest(),
                      materialize(b, lowering, to[axis])};
    // With k = 0 there is no slot to compare with.
    Value zero = constantIndex(b, 0);
    Value none = b.create<arith::CmpIOp>(CmpIPredicate::eq, sorter.k, zero);
    Value size = b.create<arith::SelectOp>(
        none, zero, materialize(b, lowering, from[axis]));
    SmallVector<Value> inits{
        createEmpty(b, lowering, to, getStorageType(element)),
        createEmpty(b, lowering, to, getElement(op.getIndices()))};
    SmallVector<Value> outer =
        materializeAll(b, lowering, dropAxes(from, axis));
    SmallVector<Value> results = createLoops(
        b, outer, inits,
        [&](Builder &middle, ValueRange position, ValueRange lists) {
          return createLoops(
              middle, size, lists,
              [&](Builder &inner, ValueRange index, ValueRange state) {
                Value x = inner.create<tensor::ExtractOp>(
                    adaptor.getX(), sorter.at(position, index[0]));
                return sorter.offer(inner, position, x, index[0], state);
              });
        });
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void lowering::populateTopK(RewritePatternSet &patterns,
                            const TypeConverter &converter,
                            LoweringContext &lowering) {
  patterns.add<TopKPattern>(converter, patterns.getContext(), lowering);
}

} // namespace cuvil
