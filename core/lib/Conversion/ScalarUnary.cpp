// SPDX-License-Identifier: Apache-2.0
// Scalar functions of one argument.
#include "ScalarMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringSwitch.h"
#include <numbers>

using namespace mlir;

namespace cuvil::lowering {
namespace {

/// Float arithmetic on one type, short enough for formulas.
struct FloatMath {
  Builder &b;
  Type type;

  Value num(double value) { return constantOf(b, type, value); }
  Value add(Value x, Value y) { return b.create<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return b.create<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return b.create<arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return b.create<arith::DivFOp>(x, y); }
  Value mul(double x, Value y) { return mul(num(x), y); }
  Value max(Value x, Value y) { return b.create<arith::MaximumFOp>(x, y); }
  Value min(Value x, Value y) { return b.create<arith::MinimumFOp>(x, y); }
  Value neg(Value x) { return b.create<arith::NegFOp>(x); }
  Value abs(Value x) { return b.create<math::AbsFOp>(x); }
  Value exp(Value x) { return b.create<math::ExpOp>(x); }
  Value expm1(Value x) { return b.create<math::ExpM1Op>(x); }
  Value cmp(arith::CmpFPredicate predicate, Value x, Value y) {
    return b.create<arith::CmpFOp>(predicate, x, y);
  }
  Value less(Value x, double y) {
    return cmp(arith::CmpFPredicate::OLT, x, num(y));
  }
  Value greater(Value x, double y) {
    return cmp(arith::CmpFPredicate::OGT, x, num(y));
  }
  Value select(Value c, Value x, Value y) {
    return b.create<arith::SelectOp>(c, x, y);
  }

  Value sigmoid(Value x) { return div(num(1), add(num(1), exp(neg(x)))); }
  Value softplus(Value x) {
    // The plain formula overflows for large x.
    Value tail = b.create<math::Log1pOp>(exp(neg(abs(x))));
    return add(max(x, num(0)), tail);
  }
  Value hardSigmoid(Value x, double alpha, double beta) {
    Value line = add(mul(alpha, x), num(beta));
    return max(num(0), min(num(1), line));
  }
  Value relu(Value x) {
    // One instruction on x86 (maxps gives its second operand for NaN).
    Value zero = num(0);
    return select(cmp(arith::CmpFPredicate::OGT, zero, x), zero, x);
  }
  Value sign(Value x) {
    Value zeroOrNaN = select(emitIsNaN(b, x), x, num(0));
    Value negative = select(less(x, 0), num(-1), zeroOrNaN);
    return select(greater(x, 0), num(1), negative);
  }
  Value gelu(Value x) {
    Value erf = b.create<math::ErfOp>(mul(1 / std::numbers::sqrt2, x));
    return mul(mul(0.5, x), add(num(1), erf));
  }
  Value geluTanh(Value x) {
    Value cube = mul(mul(x, x), x);
    double factor = std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
    Value inner = mul(factor, add(x, mul(0.044715, cube)));
    return mul(mul(0.5, x), add(num(1), b.create<math::TanhOp>(inner)));
  }
  Value lgamma(Value x);
};

} // namespace

/// Lanczos' approximation (g = 7, nine terms) with Euler's reflection; done in
/// f64, where it is good to about 15 digits.
Value FloatMath::lgamma(Value x) {
  static constexpr double terms[] = {
      676.5203681218851,     -1259.1392167224028,  771.32342877765313,
      -176.61502916214059,   12.507343278686905,   -0.13857109526572012,
      9.9843695780195716e-6, 1.5056327351493116e-7};
  Value reflected = less(x, 0.5);
  Value z = sub(select(reflected, sub(num(1), x), x), num(1));
  Value sum = num(0.99999999999980993);
  for (auto [i, term] : llvm::enumerate(terms))
    sum = add(sum, div(num(term), add(z, num(i + 1.0))));
  Value t = add(z, num(7.5));
  Value logT = b.create<math::LogOp>(t);
  Value main = sub(mul(add(z, num(0.5)), logT), t);
  Value direct = add(add(main, num(0.5 * std::log(2 * std::numbers::pi))),
                     b.create<math::LogOp>(sum));
  // sin(pi x) from the distance to the nearest integer, exact for large x.
  Value whole = b.create<math::RoundEvenOp>(x);
  Value sine = abs(b.create<math::SinOp>(mul(std::numbers::pi, sub(x, whole))));
  Value mirrored =
      sub(b.create<math::LogOp>(div(num(std::numbers::pi), sine)), direct);
  Value result = select(reflected, mirrored, direct);
  Value infinity = num(std::numeric_limits<double>::infinity());
  Value infinite = cmp(arith::CmpFPredicate::OEQ, abs(x), infinity);
  Value pole =
      b.create<arith::AndIOp>(cmp(arith::CmpFPredicate::OEQ, x, whole),
                              cmp(arith::CmpFPredicate::OLE, x, num(0)));
  return select(b.create<arith::OrIOp>(infinite, pole), infinity, result);
}

template <typename OpT> static Value one(Builder &b, Value x) {
  return b.create<OpT>(x);
}

using OneOp = Value (*)(Builder &, Value);

/// Kinds that are one op of arith or math.
static OneOp lookupFloatOp(StringRef kind) {
  return llvm::StringSwitch<OneOp>(kind)
      .Case("neg", one<arith::NegFOp>)
      .Case("abs", one<math::AbsFOp>)
      .Case("ceil", one<math::CeilOp>)
      .Case("floor", one<math::FloorOp>)
      .Case("round_even", one<math::RoundEvenOp>)
      .Case("trunc", one<math::TruncOp>)
      .Case("sqrt", one<math::SqrtOp>)
      .Case("rsqrt", one<math::RsqrtOp>)
      .Case("exp", one<math::ExpOp>)
      .Case("expm1", one<math::ExpM1Op>)
      .Case("log", one<math::LogOp>)
      .Case("log1p", one<math::Log1pOp>)
      .Case("sin", one<math::SinOp>)
      .Case("cos", one<math::CosOp>)
      .Case("tan", one<math::TanOp>)
      .Case("asin", one<math::AsinOp>)
      .Case("acos", one<math::AcosOp>)
      .Case("atan", one<math::AtanOp>)
      .Case("sinh", one<math::SinhOp>)
      .Case("cosh", one<math::CoshOp>)
      .Case("tanh", one<math::TanhOp>)
      .Case("asinh", one<math::AsinhOp>)
      .Case("acosh", one<math::AcoshOp>)
      .Case("atanh", one<math::AtanhOp>)
      .Case("erf", one<math::ErfOp>)
      .Default(nullptr);
}

using Formula = Value (*)(FloatMath &, Value x, double alpha, double beta);

/// Kinds that are formulas.
static Formula lookupFormula(StringRef kind) {
  return llvm::StringSwitch<Formula>(kind)
      .Case("sign",
            [](FloatMath &m, Value x, double, double) { return m.sign(x); })
      .Case("reciprocal", [](FloatMath &m, Value x, double,
                             double) { return m.div(m.num(1), x); })
      .Case("sigmoid",
            [](FloatMath &m, Value x, double, double) { return m.sigmoid(x); })
      .Case("gelu",
            [](FloatMath &m, Value x, double, double) { return m.gelu(x); })
      .Case("gelu_tanh",
            [](FloatMath &m, Value x, double, double) { return m.geluTanh(x); })
      .Case("relu",
            [](FloatMath &m, Value x, double, double) { return m.relu(x); })
      .Case("leaky_relu",
            [](FloatMath &m, Value x, double alpha, double) {
              return m.select(m.less(x, 0), m.mul(alpha, x), x);
            })
      .Case("elu",
            [](FloatMath &m, Value x, double alpha, double) {
              return m.select(m.less(x, 0), m.mul(alpha, m.expm1(x)), x);
            })
      .Case("celu",
            [](FloatMath &m, Value x, double alpha, double) {
              Value low = m.mul(alpha, m.expm1(m.div(x, m.num(alpha))));
              return m.add(m.max(m.num(0), x), m.min(m.num(0), low));
            })
      .Case("selu",
            [](FloatMath &m, Value x, double alpha, double beta) {
              Value low = m.mul(alpha, m.expm1(x));
              return m.mul(beta, m.select(m.less(x, 0), low, x));
            })
      .Case("silu", [](FloatMath &m, Value x, double,
                       double) { return m.mul(x, m.sigmoid(x)); })
      .Case("mish",
            [](FloatMath &m, Value x, double, double) {
              return m.mul(x, m.b.create<math::TanhOp>(m.softplus(x)));
            })
      .Case("hard_swish",
            [](FloatMath &m, Value x, double, double) {
              return m.mul(x, m.hardSigmoid(x, 1.0 / 6, 0.5));
            })
      .Case("hard_sigmoid",
            [](FloatMath &m, Value x, double alpha, double beta) {
              return m.hardSigmoid(x, alpha, beta);
            })
      .Case("softplus",
            [](FloatMath &m, Value x, double, double) { return m.softplus(x); })
      .Case("softsign",
            [](FloatMath &m, Value x, double, double) {
              return m.div(x, m.add(m.num(1), m.abs(x)));
            })
      .Default(nullptr);
}

Value emitIsNaN(Builder &b, Value x) {
  if (!isa<FloatType>(x.getType()))
    return constantInt(b, b.getI1Type(), 0);
  return b.create<arith::CmpFOp>(arith::CmpFPredicate::UNO, x, x);
}

static Value emitFloat(Builder &b, StringRef kind, Value x, double alpha,
                       double beta) {
  Type storage = x.getType();
  Value wide = widen(b, x);
  FloatMath math{b, wide.getType()};
  if (kind == "is_nan")
    return emitIsNaN(b, wide);
  if (kind == "is_inf") {
    Value infinity = math.num(std::numeric_limits<double>::infinity());
    return math.cmp(arith::CmpFPredicate::OEQ, math.abs(wide), infinity);
  }
  if (kind == "lgamma") {
    FloatMath doubles{b, b.getF64Type()};
    if (!wide.getType().isF64())
      wide = b.create<arith::ExtFOp>(b.getF64Type(), wide);
    Value result = doubles.lgamma(wide);
    return narrow(b, narrow(b, result, getComputeType(storage)), storage);
  }
  if (OneOp op = lookupFloatOp(kind))
    return narrow(b, op(b, wide), storage);
  if (Formula formula = lookupFormula(kind))
    return narrow(b, formula(math, wide, alpha, beta), storage);
  return {};
}

static Value emitInteger(Builder &b, StringRef kind, Value x, Type element) {
  Type type = x.getType();
  bool hasSign = !isUnsigned(element);
  Value zero = constantInt(b, type, 0);
  if (kind == "neg")
    return b.create<arith::SubIOp>(zero, x);
  if (kind == "abs")
    return hasSign ? Value(b.create<math::AbsIOp>(x)) : x;
  if (kind == "not")
    return b.create<arith::XOrIOp>(x, constantInt(b, type, -1));
  if (kind == "popcount")
    return b.create<math::CtPopOp>(x);
  if (kind == "relu")
    return hasSign ? Value(b.create<arith::MaxSIOp>(x, zero)) : x;
  if (kind == "sign") {
    Value nonZero = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, x, zero);
    Value one = constantInt(b, type, 1);
    Value sign = b.create<arith::SelectOp>(nonZero, one, zero);
    if (!hasSign)
      return sign;
    Value negative =
        b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, x, zero);
    return b.create<arith::SelectOp>(negative, constantInt(b, type, -1), sign);
  }
  return {};
}

Value emitUnary(Builder &b, StringRef kind, Value x, Type element, double alpha,
                double beta) {
  if (isa<FloatType>(element))
    return emitFloat(b, kind, x, alpha, beta);
  return emitInteger(b, kind, x, element);
}

} // namespace cuvil::lowering
