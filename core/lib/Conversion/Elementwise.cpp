// SPDX-License-Identifier: Apache-2.0
// Elementwise ops as linalg.generic with identity maps.
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;

/// One result element from the operands' elements at the same position.
Value createPointwise(Builder &b, LoweringContext &lowering, Value original,
                      ValueRange inputs,
                      function_ref<Value(Builder &, ValueRange)> body) {
  SmallVector<DimExpr> dims = getDims(original);
  SmallVector<AffineMap> maps(inputs.size(), identityMap(b, dims.size()));
  return createParallel(b, lowering, dims, getStorageType(getElement(original)),
                        inputs, maps, body);
}

struct UnaryPattern : Pattern<UnaryOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(UnaryOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    double alpha = op.getAlpha() ? op.getAlpha()->convertToDouble() : 0;
    double beta = op.getBeta() ? op.getBeta()->convertToDouble() : 0;
    Value result =
        createPointwise(b, lowering, op.getY(), adaptor.getX(),
                        [&](Builder &inner, ValueRange args) {
                          return emitUnary(inner, op.getKind(), args[0],
                                           getElement(op.getX()), alpha, beta);
                        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

/// True when a constant, seen through the ops that only repeat or move its
/// elements, holds no zero.
bool isNonZeroConstant(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto dense = dyn_cast<DenseIntElementsAttr>(constant.getValue());
      return dense && llvm::none_of(dense.getValues<APInt>(),
                                    [](APInt v) { return v.isZero(); });
    }
    if (!isa<BroadcastOp, FillOp, ReshapeOp, TransposeOp, RefineOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

struct BinaryPattern : Pattern<BinaryOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(BinaryOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    bool nonZero = isNonZeroConstant(op.getRhs());
    Value result = createPointwise(
        b, lowering, op.getY(), {adaptor.getLhs(), adaptor.getRhs()},
        [&](Builder &inner, ValueRange args) {
          return emitBinary(inner, op.getKind(), args[0], args[1],
                            getElement(op.getLhs()), lowering.traps, nonZero);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ComparePattern : Pattern<CompareOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(CompareOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Value result = createPointwise(
        b, lowering, op.getY(), {adaptor.getLhs(), adaptor.getRhs()},
        [&](Builder &inner, ValueRange args) {
          return emitCompare(inner, op.getKind(), args[0], args[1],
                             getElement(op.getLhs()));
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct SelectPattern : Pattern<SelectOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(SelectOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Value result = createPointwise(
        b, lowering, op.getY(),
        {adaptor.getCondition(), adaptor.getOnTrue(), adaptor.getOnFalse()},
        [&](Builder &inner, ValueRange args) -> Value {
          return inner.create<arith::SelectOp>(args[0], args[1], args[2]);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ClampPattern : Pattern<ClampOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ClampOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getY());
    AffineMap scalar = selectDims(b, dims.size(), {});
    Type element = getElement(op.getX());
    Type storage = getStorageType(element);
    Value result =
        createParallel(b, lowering, dims, storage,
                       {adaptor.getX(), adaptor.getLow(), adaptor.getHigh()},
                       {identityMap(b, dims.size()), scalar, scalar},
                       [&](Builder &inner, ValueRange args) {
                         Value x = widen(inner, args[0]);
                         x = emitMax(inner, x, widen(inner, args[1]), element);
                         x = emitMin(inner, x, widen(inner, args[2]), element);
                         return narrow(inner, x, storage);
                       });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct ConvertPattern : Pattern<ConvertOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ConvertOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type from = getElement(op.getX());
    if (from == op.getTo()) {
      rewriter.replaceOp(
          op, castTo(b, adaptor.getX(), getPlainType(getTensor(op.getY()))));
      return success();
    }
    Value result = createPointwise(
        b, lowering, op.getY(), adaptor.getX(),
        [&](Builder &inner, ValueRange args) {
          return emitConvert(inner, args[0], from, op.getTo(),
                             op.getRound() == "even", op.getSaturate());
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct BitcastPattern : Pattern<BitcastOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(BitcastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type to = getStorageType(op.getTo());
    if (to == getStorageType(getElement(op.getX()))) {
      rewriter.replaceOp(
          op, castTo(b, adaptor.getX(), getPlainType(getTensor(op.getY()))));
      return success();
    }
    Value result =
        createPointwise(b, lowering, op.getY(), adaptor.getX(),
                        [&](Builder &inner, ValueRange args) -> Value {
                          return inner.create<arith::BitcastOp>(to, args[0]);
                        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateElementwiseToLinalg(RewritePatternSet &patterns,
                                 const TypeConverter &converter,
                                 LoweringContext &lowering) {
  patterns.add<UnaryPattern, BinaryPattern, ComparePattern, SelectPattern,
               ClampPattern, ConvertPattern, BitcastPattern>(
      converter, patterns.getContext(), lowering);
}

} // namespace cuvil
