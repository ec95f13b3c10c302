// SPDX-License-Identifier: Apache-2.0
// Affine quantisation as pointwise ops.
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;

/// The map of scale and zero point: none of the loops, or the axis.
AffineMap getParameterMap(Builder &b, unsigned rank, Value scale,
                          std::optional<uint64_t> axis) {
  if (getTensor(scale).getRank() == 0)
    return selectDims(b, rank, {});
  return selectDims(b, rank, static_cast<unsigned>(axis.value_or(0)));
}

struct QuantizePattern : Pattern<QuantizeOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(QuantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getX());
    Type to = getElement(op.getY());
    Type compute = getComputeType(getElement(op.getX()));
    AffineMap parameter =
        getParameterMap(b, dims.size(), op.getScale(), op.getAxis());
    Value result = createParallel(
        b, lowering, dims, getStorageType(to),
        {adaptor.getX(), adaptor.getScale(), adaptor.getZeroPoint()},
        {identityMap(b, dims.size()), parameter, parameter},
        [&](Builder &inner, ValueRange args) {
          Value ratio = inner.create<arith::DivFOp>(widen(inner, args[0]),
                                                    widen(inner, args[1]));
          Value zeroPoint =
              emitConvert(inner, args[2], to, compute, false, false);
          Value whole = inner.create<math::RoundEvenOp>(ratio);
          Value shifted = inner.create<arith::AddFOp>(whole, zeroPoint);
          return emitConvert(inner, shifted, compute, to, /*roundEven=*/false,
                             /*saturate=*/true);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct DequantizePattern : Pattern<DequantizeOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(DequantizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> dims = getDims(op.getX());
    Type from = getElement(op.getX()), storage = getElement(op.getY());
    Type compute = getComputeType(storage);
    // One bit more holds every difference.
    Type wide =
        from.getIntOrFloatBitWidth() <= 16 ? b.getI32Type() : b.getI64Type();
    AffineMap parameter =
        getParameterMap(b, dims.size(), op.getScale(), op.getAxis());
    Value result = createParallel(
        b, lowering, dims, storage,
        {adaptor.getX(), adaptor.getScale(), adaptor.getZeroPoint()},
        {identityMap(b, dims.size()), parameter, parameter},
        [&](Builder &inner, ValueRange args) {
          Value x = emitConvert(inner, args[0], from, wide, false, false);
          Value zeroPoint =
              emitConvert(inner, args[2], from, wide, false, false);
          Value difference = inner.create<arith::SubIOp>(x, zeroPoint);
          Value real =
              emitConvert(inner, difference, wide, compute, false, false);
          return narrow(inner, emitMul(inner, real, widen(inner, args[1])),
                        storage);
        });
    rewriter.replaceOp(op, result);
    return success();
  }
};

} // namespace

void populateQuantToLinalg(RewritePatternSet &patterns,
                           const TypeConverter &converter,
                           LoweringContext &lowering) {
  patterns.add<QuantizePattern, DequantizePattern>(
      converter, patterns.getContext(), lowering);
}

} // namespace cuvil
