// SPDX-License-Identifier: Apache-2.0
// Conversions of f16 by integer operations, for CPUs without F16C.
#include "HalfFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace cuvil::x86;

/// `like` with another element type: a scalar, or a vector of the same shape.
static Type withElement(Type like, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(like))
    return shaped.clone(element);
  return element;
}

namespace {

/// Integer operations on the bits of scalars or vectors of one shape.
class Bits {
public:
  Bits(OpBuilder &b, Location loc, Type like) : b(b), loc(loc), like(like) {}

  Type type(Type element) const { return withElement(like, element); }
  Value cast(Value value, Type element) {
    return b.create<arith::BitcastOp>(loc, type(element), value);
  }
  Value number(uint32_t value) {
    auto attr = b.getI32IntegerAttr(static_cast<int32_t>(value));
    Type word = type(b.getI32Type());
    if (auto shaped = dyn_cast<ShapedType>(word))
      return b.create<arith::ConstantOp>(
          loc, DenseElementsAttr::get(shaped, attr.getValue()));
    return b.create<arith::ConstantOp>(loc, attr);
  }
  Value real(uint32_t bits) { return cast(number(bits), b.getF32Type()); }
  template <typename OpT> Value apply(Value left, Value right) {
    return b.create<OpT>(loc, left, right);
  }
  template <typename OpT> Value apply(Value left, uint32_t right) {
    return apply<OpT>(left, number(right));
  }
  Value is(arith::CmpIPredicate how, Value left, uint32_t right) {
    return b.create<arith::CmpIOp>(loc, how, left, number(right));
  }
  Value select(Value condition, Value yes, Value no) {
    return b.create<arith::SelectOp>(loc, condition, yes, no);
  }

private:
  OpBuilder &b;
  Location loc;
  Type like;
};

struct ExtendHalf : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Value half = op.getIn();
    if (!getElementTypeOrSelf(half.getType()).isF16())
      return failure();
    Location loc = op.getLoc();
    Bits bits(rewriter, loc, half.getType());
    Value all =
        rewriter.create<arith::ExtUIOp>(loc, bits.type(rewriter.getI32Type()),
                                        bits.cast(half, rewriter.getI16Type()));
    Value sign =
        bits.apply<arith::ShLIOp>(bits.apply<arith::AndIOp>(all, 0x8000), 16);
    Value magnitude = bits.apply<arith::AndIOp>(all, 0x7fff);
    // A product with 2^112 corrects the exponent, also of subnormal numbers.
    Value shifted = bits.cast(bits.apply<arith::ShLIOp>(magnitude, 13),
                              rewriter.getF32Type());
    Value scaled =
        bits.cast(bits.apply<arith::MulFOp>(shifted, bits.real(0x77800000)),
                  rewriter.getI32Type());
    Value special = bits.apply<arith::OrIOp>(scaled, 0x7f800000);
    Value finite = bits.is(arith::CmpIPredicate::ult, magnitude, 0x7c00);
    Value result = bits.cast(
        bits.apply<arith::OrIOp>(bits.select(finite, scaled, special), sign),
        rewriter.getF32Type());
    if (result.getType() != op.getType())
      result = rewriter.create<arith::ExtFOp>(loc, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct TruncateToHalf : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getIn();
    // Through f32, an f64 would be rounded twice.
    if (!getElementTypeOrSelf(op.getType()).isF16() ||
        !getElementTypeOrSelf(x.getType()).isF32())
      return failure();
    Location loc = op.getLoc();
    Bits bits(rewriter, loc, x.getType());
    Type i32 = rewriter.getI32Type(), f32 = rewriter.getF32Type();
    Value all = bits.cast(x, i32);
    Value magnitude = bits.apply<arith::AndIOp>(all, 0x7fffffff);
    Value sign = bits.apply<arith::ShRUIOp>(
        bits.apply<arith::AndIOp>(all, 0x80000000), 16);
    // Normal results: correct the exponent, round half to even.
    Value odd =
        bits.apply<arith::AndIOp>(bits.apply<arith::ShRUIOp>(magnitude, 13), 1);
    Value rounded = bits.apply<arith::AddIOp>(
        bits.apply<arith::AddIOp>(magnitude, 0xc8000fff), odd);
    Value normal = bits.apply<arith::ShRUIOp>(rounded, 13);
    // Subnormal ones: the sum with 0.5 rounds where their last place is.
    Value sum = bits.apply<arith::AddFOp>(bits.cast(magnitude, f32),
                                          bits.real(0x3f000000));
    Value subnormal =
        bits.apply<arith::SubIOp>(bits.cast(sum, i32), 0x3f000000);
    Value special =
        bits.select(bits.is(arith::CmpIPredicate::ugt, magnitude, 0x7f800000),
                    bits.number(0x7e00), bits.number(0x7c00));
    Value result =
        bits.select(bits.is(arith::CmpIPredicate::ult, magnitude, 0x38800000),
                    subnormal, normal);
    result =
        bits.select(bits.is(arith::CmpIPredicate::ult, magnitude, 0x47800000),
                    result, special);
    Value word = rewriter.create<arith::TruncIOp>(
        loc, bits.type(rewriter.getI16Type()),
        bits.apply<arith::OrIOp>(result, sign));
    rewriter.replaceOp(op, bits.cast(word, rewriter.getF16Type()));
    return success();
  }
};

struct ExpandHalfFloatsPass
    : PassWrapper<ExpandHalfFloatsPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandHalfFloatsPass)

  StringRef getArgument() const override { return "cuvil-expand-half-floats"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ExtendHalf, TruncateToHalf>(&getContext());
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> cuvil::x86::createExpandHalfFloatsPass() {
  return std::make_unique<ExpandHalfFloatsPass>();
}
