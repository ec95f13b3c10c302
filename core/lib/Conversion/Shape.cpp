// SPDX-License-Identifier: Apache-2.0
// Sizes as tensors. sym_bind and assert run on the host and stay.
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;

struct ShapePackPattern : Pattern<ShapePackOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ShapePackOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<Value> elements;
    for (DimExpr dim : op.getDims())
      elements.push_back(b.createOrFold<arith::IndexCastOp>(
          b.getI64Type(), materialize(b, lowering, dim)));
    rewriter.replaceOpWithNewOp<tensor::FromElementsOp>(
        op, getTensor(op.getY()), elements);
    return success();
  }
};

struct RefinePattern : Pattern<RefineOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(RefineOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    rewriter.replaceOp(
        op, castTo(b, adaptor.getX(), getPlainType(getTensor(op.getY()))));
    return success();
  }
};

} // namespace

void populateShapeToLinalg(RewritePatternSet &patterns,
                           const TypeConverter &converter,
                           LoweringContext &lowering) {
  patterns.add<ShapePackPattern, RefinePattern>(
      converter, patterns.getContext(), lowering);
}

} // namespace cuvil
