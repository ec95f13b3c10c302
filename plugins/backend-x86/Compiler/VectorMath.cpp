// SPDX-License-Identifier: Apache-2.0
// Range reductions and minimax polynomials for f32 elementary functions.
#include "VectorMath.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <limits>

using namespace mlir;
using namespace cuvil::x86;

// ln 2 in two parts; the first has nine bits, so a product with a small integer
// is exact even without fused multiply-add.
static constexpr float kLn2High = 0.693359375f;
static constexpr float kLn2Low = -2.12194440e-4f;
static constexpr float kInfinity = std::numeric_limits<float>::infinity();

static Type withElement(Type like, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(like))
    return shaped.clone(element);
  return element;
}

static Value constantOf(OpBuilder &b, Location loc, Type like,
                        TypedAttr scalar) {
  Type type = withElement(like, scalar.getType());
  if (auto shaped = dyn_cast<ShapedType>(type))
    scalar = DenseElementsAttr::get(shaped, Attribute(scalar));
  return b.create<arith::ConstantOp>(loc, scalar);
}

Value VectorMath::constant(Value like, float value) {
  return constantOf(b, loc, like.getType(), b.getF32FloatAttr(value));
}
Value VectorMath::constantInt(Value like, int32_t value) {
  return constantOf(b, loc, like.getType(), b.getI32IntegerAttr(value));
}
Value VectorMath::bits(Value x) {
  return b.create<arith::BitcastOp>(
      loc, withElement(x.getType(), b.getI32Type()), x);
}
Value VectorMath::floats(Value x) {
  return b.create<arith::BitcastOp>(
      loc, withElement(x.getType(), b.getF32Type()), x);
}

Value VectorMath::mulAdd(Value x, Value y, Value acc) {
  if (fma)
    return b.create<math::FmaOp>(loc, x, y, acc);
  return b.create<arith::AddFOp>(loc, b.create<arith::MulFOp>(loc, x, y), acc);
}

Value VectorMath::polynomial(Value x, ArrayRef<float> highFirst) {
  Value sum = constant(x, highFirst.front());
  for (float coefficient : highFirst.drop_front())
    sum = mulAdd(sum, x, constant(x, coefficient));
  return sum;
}

/// 2^exponent for an integer exponent in [-126, 127].
Value VectorMath::power2(Value exponent) {
  Value biased =
      b.create<arith::AddIOp>(loc, exponent, constantInt(exponent, 127));
  return floats(
      b.create<arith::ShLIOp>(loc, biased, constantInt(exponent, 23)));
}

Value VectorMath::withSign(Value magnitude, Value sign) {
  Value signBit =
      b.create<arith::AndIOp>(loc, bits(sign), constantInt(sign, INT32_MIN));
  Value rest = b.create<arith::AndIOp>(loc, bits(magnitude),
                                       constantInt(sign, INT32_MAX));
  return floats(b.create<arith::OrIOp>(loc, signBit, rest));
}

Value VectorMath::exp(Value x) {
  // Comparing this way round keeps a NaN, as minimum and maximum would not.
  auto clamp = [&](arith::CmpFPredicate when, float bound) {
    Value limit = constant(x, bound);
    x = b.create<arith::SelectOp>(
        loc, b.create<arith::CmpFOp>(loc, when, x, limit), limit, x);
  };
  clamp(arith::CmpFPredicate::OGT, 89.0f);
  clamp(arith::CmpFPredicate::OLT, -104.0f);

  // Adding 1.5 * 2^23 rounds to an integer on every instruction set.
  constexpr float kRound = 12582912.0f;
  Value shift = constant(x, kRound);
  Value shifted = mulAdd(x, constant(x, 1.44269504f), shift);
  Value n = b.create<arith::SubFOp>(loc, shifted, shift);
  Value integer = b.create<arith::SubIOp>(loc, bits(shifted), bits(shift));
  Value r = mulAdd(n, constant(x, -kLn2High), x);
  r = mulAdd(n, constant(x, -kLn2Low), r);

  Value tail = polynomial(r, {0.000199183458f, 0.00139460631f, 0.00833326485f,
                              0.0416662693f, 0.166666672f, 0.5f});
  Value p = mulAdd(tail, b.create<arith::MulFOp>(loc, r, r), r);
  p = b.create<arith::AddFOp>(loc, p, constant(x, 1.0f));

  // Two factors, because 2^n alone leaves the range of normal numbers.
  Value half = b.create<arith::ShRSIOp>(loc, integer, constantInt(integer, 1));
  Value other = b.create<arith::SubIOp>(loc, integer, half);
  p = b.create<arith::MulFOp>(loc, p, power2(half));
  return b.create<arith::MulFOp>(loc, p, power2(other));
}

Value VectorMath::log(Value x) {
  auto compare = [&](arith::CmpFPredicate predicate, float bound) -> Value {
    return b.create<arith::CmpFOp>(loc, predicate, x, constant(x, bound));
  };
  Value small = compare(arith::CmpFPredicate::OLT, 0x1p-126f);
  Value scaled = b.create<arith::SelectOp>(
      loc, small, b.create<arith::MulFOp>(loc, x, constant(x, 0x1p23f)), x);
  Value raw = bits(scaled);

  // x = 2^e * m with m in [sqrt(1/2), sqrt(2)).
  constexpr int32_t kSqrtHalfBits = 0x3f3504f3;
  Value e = b.create<arith::ShRSIOp>(
      loc, b.create<arith::SubIOp>(loc, raw, constantInt(x, kSqrtHalfBits)),
      constantInt(x, 23));
  Value m = floats(b.create<arith::SubIOp>(
      loc, raw, b.create<arith::ShLIOp>(loc, e, constantInt(x, 23))));
  Value ef = b.create<arith::SIToFPOp>(loc, x.getType(), e);
  ef = b.create<arith::SubFOp>(loc, ef,
                               b.create<arith::SelectOp>(loc, small,
                                                         constant(x, 23.0f),
                                                         constant(x, 0.0f)));

  Value f = b.create<arith::SubFOp>(loc, m, constant(x, 1.0f));
  Value f2 = b.create<arith::MulFOp>(loc, f, f);
  Value p = polynomial(f, {0.0674659163f, -0.116756387f, 0.118881777f,
                           -0.124055922f, 0.142195508f, -0.166679963f,
                           0.200021192f, -0.250000089f, 0.333333135f});
  Value low =
      b.create<arith::MulFOp>(loc, b.create<arith::MulFOp>(loc, f2, f), p);
  low = mulAdd(ef, constant(x, kLn2Low), low);
  low = mulAdd(f2, constant(x, -0.5f), low);
  Value sum = b.create<arith::AddFOp>(loc, f, low);
  Value result = mulAdd(ef, constant(x, kLn2High), sum);

  result = b.create<arith::SelectOp>(
      loc, compare(arith::CmpFPredicate::OLT, kInfinity), result, x);
  result = b.create<arith::SelectOp>(
      loc, compare(arith::CmpFPredicate::OLT, 0.0f),
      constant(x, std::numeric_limits<float>::quiet_NaN()), result);
  return b.create<arith::SelectOp>(loc,
                                   compare(arith::CmpFPredicate::OEQ, 0.0f),
                                   constant(x, -kInfinity), result);
}

Value VectorMath::tanh(Value x) {
  Value a =
      floats(b.create<arith::AndIOp>(loc, bits(x), constantInt(x, INT32_MAX)));
  Value z = b.create<arith::MulFOp>(loc, a, a);
  Value p = polynomial(z, {0.0021429616f, -0.00817739777f, 0.0217007026f,
                           -0.0539467633f, 0.133332059f, -0.333333313f});
  Value small = mulAdd(b.create<arith::MulFOp>(loc, a, z), p, a);

  Value one = constant(x, 1.0f), two = constant(x, 2.0f);
  Value e = exp(b.create<arith::MulFOp>(loc, a, two));
  Value ratio =
      b.create<arith::DivFOp>(loc, two, b.create<arith::AddFOp>(loc, e, one));
  Value large = b.create<arith::SubFOp>(loc, one, ratio);

  Value isSmall = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, a,
                                          constant(x, 0.625f));
  return withSign(b.create<arith::SelectOp>(loc, isSmall, small, large), x);
}

Value VectorMath::erf(Value x) {
  Value a =
      floats(b.create<arith::AndIOp>(loc, bits(x), constantInt(x, INT32_MAX)));
  Value z = b.create<arith::MulFOp>(loc, a, a);
  Value p = polynomial(z, {-9.64151786e-06f, 0.000112569483f, -0.000848282885f,
                           0.00522094546f, -0.0268654004f, 0.112837821f,
                           -0.376126379f, 0.128379166f});
  Value small = mulAdd(a, p, a);

  // erf(a) = 1 - exp(-g(a)), g smooth; it rounds to 1 from about 3.92 on.
  Value limit = constant(x, 4.0f);
  Value t = b.create<arith::SelectOp>(
      loc, b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGT, a, limit),
      limit, a);
  Value g = polynomial(t, {7.84522285e-07f, -1.24528087e-05f, 6.43416206e-05f,
                           0.000101759695f, -0.00336026913f, 0.0238365084f,
                           -0.106961496f, -0.634196103f, -1.1292038f,
                           0.000125293474f});
  Value large = b.create<arith::SubFOp>(loc, constant(x, 1.0f), exp(g));

  Value isSmall = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, a,
                                          constant(x, 1.0f));
  return withSign(b.create<arith::SelectOp>(loc, isSmall, small, large), x);
}

Value VectorMath::sigmoid(Value x) {
  Value negative =
      floats(b.create<arith::OrIOp>(loc, bits(x), constantInt(x, INT32_MIN)));
  Value e = exp(negative);
  Value one = constant(x, 1.0f);
  Value isPositive = b.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OGE, x,
                                             constant(x, 0.0f));
  Value numerator = b.create<arith::SelectOp>(loc, isPositive, one, e);
  return b.create<arith::DivFOp>(loc, numerator,
                                 b.create<arith::AddFOp>(loc, one, e));
}

namespace {
template <typename OpT, Value (VectorMath::*Emit)(Value)>
struct ExpandMath : OpRewritePattern<OpT> {
  ExpandMath(MLIRContext *context, bool fma)
      : OpRewritePattern<OpT>(context), fma(fma) {}

  LogicalResult matchAndRewrite(OpT op,
                                PatternRewriter &rewriter) const override {
    Value x = op.getOperand();
    if (!getElementTypeOrSelf(x.getType()).isF32())
      return rewriter.notifyMatchFailure(op, "not f32");
    VectorMath math(rewriter, op.getLoc(), fma);
    rewriter.replaceOp(op, (math.*Emit)(x));
    return success();
  }

  bool fma;
};

struct ExpandVectorMathPass
    : PassWrapper<ExpandVectorMathPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ExpandVectorMathPass)
  explicit ExpandVectorMathPass(bool fma) : fma(fma) {}

  StringRef getArgument() const override { return "cuvil-expand-vector-math"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, math::MathDialect>();
  }
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateVectorMathPatterns(patterns, fma);
    if (failed(
            applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }

  bool fma;
};
} // namespace

void cuvil::x86::populateVectorMathPatterns(RewritePatternSet &patterns,
                                            bool fma) {
  patterns.add<ExpandMath<math::ExpOp, &VectorMath::exp>,
               ExpandMath<math::LogOp, &VectorMath::log>,
               ExpandMath<math::TanhOp, &VectorMath::tanh>,
               ExpandMath<math::ErfOp, &VectorMath::erf>>(patterns.getContext(),
                                                          fma);
}

std::unique_ptr<Pass> cuvil::x86::createExpandVectorMathPass(bool fma) {
  return std::make_unique<ExpandVectorMathPass>(fma);
}
