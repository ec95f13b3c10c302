// SPDX-License-Identifier: Apache-2.0
// Constant padding and dilation of tensors.
#include "Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil::lowering {

/// Whether every axis only grows, so that x is copied as a whole.
static bool onlyGrows(MLIRContext *context, ArrayRef<DimExpr> low,
                      ArrayRef<DimExpr> high) {
  DimExpr zero = DimExpr::constant(context, 0);
  auto notNegative = [&](DimExpr expr) {
    return provablyLessEqual(zero, expr) == true;
  };
  return llvm::all_of(low, notNegative) && llvm::all_of(high, notNegative);
}

/// Reads x where an element of it lies, the scalar elsewhere.
static Value readOrScalar(Builder &b, LoweringContext &lowering, Value x,
                          ArrayRef<DimExpr> from, ArrayRef<DimExpr> to,
                          ArrayRef<DimExpr> low, ArrayRef<int64_t> dilations,
                          Value scalar) {
  SmallVector<Value> lows, sizes;
  for (auto [dim, offset] : llvm::zip(from, low)) {
    lows.push_back(materialize(b, lowering, offset));
    sizes.push_back(materialize(b, lowering, dim));
  }
  return createParallel(
      b, lowering, to, scalar.getType(), {}, {},
      [&](Builder &inner, ValueRange) -> Value {
        SmallVector<Value> indices;
        Value inside = constantInt(inner, inner.getI1Type(), 1);
        Value zero = constantIndex(inner, 0);
        auto require = [&](arith::CmpIPredicate predicate, Value l, Value r) {
          Value holds = inner.create<arith::CmpIOp>(predicate, l, r);
          inside = inner.createOrFold<arith::AndIOp>(inside, holds);
        };
        for (auto [axis, loop] :
             llvm::enumerate(getLoopIndices(inner, to.size()))) {
          Value position = inner.create<arith::SubIOp>(loop, lows[axis]);
          require(arith::CmpIPredicate::sge, position, zero);
          if (!dilations.empty() && dilations[axis] != 1) {
            Value step = constantIndex(inner, dilations[axis]);
            require(arith::CmpIPredicate::eq,
                    inner.create<arith::RemSIOp>(position, step), zero);
            position = inner.create<arith::DivSIOp>(position, step);
          }
          require(arith::CmpIPredicate::slt, position, sizes[axis]);
          indices.push_back(position);
        }
        // A branch, because x may have no element that is safe to read.
        auto branch = inner.create<scf::IfOp>(
            inside,
            [&](OpBuilder &nested, Location loc) {
              Value element = nested.create<tensor::ExtractOp>(loc, x, indices);
              nested.create<scf::YieldOp>(loc, element);
            },
            [&](OpBuilder &nested, Location loc) {
              nested.create<scf::YieldOp>(loc, scalar);
            });
        return branch.getResult(0);
      });
}

Value padWith(Builder &b, LoweringContext &lowering, Value x,
              ArrayRef<DimExpr> from, ArrayRef<DimExpr> to,
              ArrayRef<DimExpr> low, ArrayRef<DimExpr> high,
              ArrayRef<int64_t> dilations, Value scalar) {
  if (!onlyGrows(b.getContext(), low, high))
    return readOrScalar(b, lowering, x, from, to, low, dilations, scalar);
  Value filled = createFilled(b, lowering, to, scalar);
  SmallVector<OpFoldResult> steps(from.size(), b.getIndexAttr(1));
  for (auto [axis, dilation] : llvm::enumerate(dilations))
    steps[axis] = b.getIndexAttr(dilation);
  return b.create<tensor::InsertSliceOp>(
      x, filled, materializeFold(b, lowering, low),
      materializeFold(b, lowering, from), steps);
}

} // namespace cuvil::lowering
