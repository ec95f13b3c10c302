// SPDX-License-Identifier: Apache-2.0
// Scalar functions of two arguments.
#include "ScalarMath.h"
#include "cuvil/plugin.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace cuvil::lowering {

using arith::CmpFPredicate;
using arith::CmpIPredicate;

static Value compareInt(Builder &b, CmpIPredicate predicate, Value x,
                        int64_t y) {
  return b.create<arith::CmpIOp>(predicate, x, constantInt(b, x.getType(), y));
}

Value emitAdd(Builder &b, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return b.create<arith::AddFOp>(lhs, rhs);
  return b.create<arith::AddIOp>(lhs, rhs);
}

Value emitMul(Builder &b, Value lhs, Value rhs) {
  if (isa<FloatType>(lhs.getType()))
    return b.create<arith::MulFOp>(lhs, rhs);
  return b.create<arith::MulIOp>(lhs, rhs);
}

Value emitMax(Builder &b, Value lhs, Value rhs, Type element) {
  if (isa<FloatType>(element))
    return b.create<arith::MaximumFOp>(lhs, rhs);
  if (isUnsigned(element))
    return b.create<arith::MaxUIOp>(lhs, rhs);
  return b.create<arith::MaxSIOp>(lhs, rhs);
}

Value emitMin(Builder &b, Value lhs, Value rhs, Type element) {
  if (isa<FloatType>(element))
    return b.create<arith::MinimumFOp>(lhs, rhs);
  if (isUnsigned(element))
    return b.create<arith::MinUIOp>(lhs, rhs);
  return b.create<arith::MinSIOp>(lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Floats
//===----------------------------------------------------------------------===//

/// fmod, and whether it has to move into the divisor's sign.
static std::pair<Value, Value> emitFloatRest(Builder &b, Value lhs, Value rhs) {
  Value zero = constantOf(b, lhs.getType(), 0);
  Value rest = b.create<arith::RemFOp>(lhs, rhs);
  Value restNegative = b.create<arith::CmpFOp>(CmpFPredicate::OLT, rest, zero);
  Value rhsNegative = b.create<arith::CmpFOp>(CmpFPredicate::OLT, rhs, zero);
  Value differ = b.create<arith::XOrIOp>(restNegative, rhsNegative);
  Value nonZero = b.create<arith::CmpFOp>(CmpFPredicate::ONE, rest, zero);
  return {rest, b.create<arith::AndIOp>(differ, nonZero)};
}

static Value emitFloatMod(Builder &b, Value lhs, Value rhs) {
  auto [rest, moves] = emitFloatRest(b, lhs, rhs);
  Value moved = b.create<arith::AddFOp>(rest, rhs);
  Value result = b.create<arith::SelectOp>(moves, moved, rest);
  Value isZero = b.create<arith::CmpFOp>(CmpFPredicate::OEQ, rest,
                                         constantOf(b, lhs.getType(), 0));
  Value signedZero = b.create<math::CopySignOp>(rest, rhs);
  return b.create<arith::SelectOp>(isZero, signedZero, result);
}

/// The quotient that fits the rest of emitFloatMod; the floor of the rounded
/// quotient may be one too high.
static Value emitFloatFloorDiv(Builder &b, Value lhs, Value rhs) {
  auto [rest, moves] = emitFloatRest(b, lhs, rhs);
  Type type = lhs.getType();
  Value zero = constantOf(b, type, 0);
  Value plain = b.create<arith::DivFOp>(lhs, rhs);
  Value quotient =
      b.create<arith::DivFOp>(b.create<arith::SubFOp>(lhs, rest), rhs);
  Value below = b.create<arith::SubFOp>(quotient, constantOf(b, type, 1));
  quotient = b.create<arith::SelectOp>(moves, below, quotient);
  Value whole = b.create<math::RoundEvenOp>(quotient);
  Value isZero = b.create<arith::CmpFOp>(CmpFPredicate::OEQ, quotient, zero);
  Value signedZero = b.create<math::CopySignOp>(zero, plain);
  whole = b.create<arith::SelectOp>(isZero, signedZero, whole);
  Value byZero = b.create<arith::CmpFOp>(CmpFPredicate::OEQ, rhs, zero);
  return b.create<arith::SelectOp>(byZero, plain, whole);
}

/// The neighbour of x in y's direction, on the bits of the storage type.
static Value emitNextAfter(Builder &b, Value x, Value y) {
  Type type = x.getType();
  Type bitsType = b.getIntegerType(type.getIntOrFloatBitWidth());
  Value wideX = widen(b, x), wideY = widen(b, y);
  Value zero = constantOf(b, wideX.getType(), 0);
  auto compare = [&](CmpFPredicate predicate, Value l, Value r) -> Value {
    return b.create<arith::CmpFOp>(predicate, l, r);
  };
  Value bits = b.create<arith::BitcastOp>(bitsType, x);
  Value one = constantInt(b, bitsType, 1);
  // Away from zero adds one to the bits, towards it subtracts one.
  Value up = b.create<arith::CmpIOp>(CmpIPredicate::eq,
                                     compare(CmpFPredicate::OLT, wideX, wideY),
                                     compare(CmpFPredicate::OGT, wideX, zero));
  Value moved =
      b.create<arith::SelectOp>(up, b.create<arith::AddIOp>(bits, one),
                                b.create<arith::SubIOp>(bits, one));
  Value signBit = b.create<arith::AndIOp>(
      b.create<arith::BitcastOp>(bitsType, y),
      b.create<arith::ConstantOp>(b.getIntegerAttr(
          bitsType, APInt::getSignMask(bitsType.getIntOrFloatBitWidth()))));
  Value smallest = b.create<arith::OrIOp>(signBit, one);
  Value isZero = compare(CmpFPredicate::OEQ, wideX, zero);
  Value stepped = b.create<arith::BitcastOp>(
      type, b.create<arith::SelectOp>(isZero, smallest, moved));
  Value equal = compare(CmpFPredicate::OEQ, wideX, wideY);
  Value result = b.create<arith::SelectOp>(equal, y, stepped);
  result = b.create<arith::SelectOp>(emitIsNaN(b, wideY), y, result);
  return b.create<arith::SelectOp>(emitIsNaN(b, wideX), x, result);
}

using TwoOp = Value (*)(Builder &, Value, Value);

template <typename OpT> static Value two(Builder &b, Value lhs, Value rhs) {
  return b.create<OpT>(lhs, rhs);
}

static TwoOp lookupFloatOp(StringRef kind) {
  return llvm::StringSwitch<TwoOp>(kind)
      .Case("add", two<arith::AddFOp>)
      .Case("sub", two<arith::SubFOp>)
      .Case("mul", two<arith::MulFOp>)
      .Case("div", two<arith::DivFOp>)
      .Case("rem", two<arith::RemFOp>)
      .Case("pow", two<math::PowFOp>)
      .Case("atan2", two<math::Atan2Op>)
      .Case("min", two<arith::MinimumFOp>)
      .Case("max", two<arith::MaximumFOp>)
      .Case("copysign", two<math::CopySignOp>)
      .Case("mod", emitFloatMod)
      .Case("floordiv", emitFloatFloorDiv)
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static Value emitIntegerDivision(Builder &b, StringRef kind, Value lhs,
                                 Value rhs, Type element, TrapHandler &traps,
                                 bool divisorNonZero) {
  Type type = lhs.getType();
  Value one = constantInt(b, type, 1);
  if (!divisorNonZero) {
    Value isZero = compareInt(b, CmpIPredicate::eq, rhs, 0);
    traps.trapIf(b, b.getLoc(), isZero, CUVIL_ARITHMETIC);
    rhs = b.create<arith::SelectOp>(isZero, one, rhs);
  }
  bool quotient = kind == "div" || kind == "floordiv";
  if (isUnsigned(element))
    return quotient ? Value(b.create<arith::DivUIOp>(lhs, rhs))
                    : Value(b.create<arith::RemUIOp>(lhs, rhs));

  // MIN / -1 overflows; divided by 1 it gives the wrapped quotient and rest.
  APInt lowest = APInt::getSignedMinValue(type.getIntOrFloatBitWidth());
  Value isLowest = b.create<arith::CmpIOp>(
      CmpIPredicate::eq, lhs,
      b.create<arith::ConstantOp>(b.getIntegerAttr(type, lowest)));
  Value overflows = b.create<arith::AndIOp>(
      isLowest, compareInt(b, CmpIPredicate::eq, rhs, -1));
  Value divisor = b.create<arith::SelectOp>(overflows, one, rhs);
  if (kind == "div")
    return b.create<arith::DivSIOp>(lhs, divisor);
  Value rest = b.create<arith::RemSIOp>(lhs, divisor);
  if (kind == "rem")
    return rest;
  Value zero = constantInt(b, type, 0);
  Value differ = b.create<arith::CmpIOp>(
      CmpIPredicate::slt, b.create<arith::XOrIOp>(rest, divisor), zero);
  Value nonZero = compareInt(b, CmpIPredicate::ne, rest, 0);
  Value fix = b.create<arith::AndIOp>(differ, nonZero);
  if (kind == "mod")
    return b.create<arith::SelectOp>(
        fix, b.create<arith::AddIOp>(rest, divisor), rest);
  Value whole = b.create<arith::DivSIOp>(lhs, divisor);
  return b.create<arith::SelectOp>(fix, b.create<arith::SubIOp>(whole, one),
                                   whole);
}

/// Square and multiply over the exponent's bits.
static Value emitIntegerPow(Builder &b, Value base, Value exponent,
                            Type element) {
  Type type = base.getType();
  Value one = constantInt(b, type, 1), zero = constantInt(b, type, 0);
  auto loop = b.create<scf::ForOp>(
      constantIndex(b, 0), constantIndex(b, type.getIntOrFloatBitWidth()),
      constantIndex(b, 1), ValueRange{one, base, exponent},
      [&](OpBuilder &nested, Location loc, Value, ValueRange carried) {
        Builder inner(loc, nested);
        Value result = carried[0], power = carried[1], rest = carried[2];
        Value odd = compareInt(
            inner, CmpIPredicate::ne,
            inner.create<arith::AndIOp>(rest, constantInt(inner, type, 1)), 0);
        Value product = inner.create<arith::MulIOp>(result, power);
        inner.create<scf::YieldOp>(ValueRange{
            inner.create<arith::SelectOp>(odd, product, result),
            inner.create<arith::MulIOp>(power, power),
            inner.create<arith::ShRUIOp>(rest, constantInt(inner, type, 1))});
      });
  Value result = loop.getResult(0);
  if (isUnsigned(element))
    return result;
  Value odd = compareInt(b, CmpIPredicate::ne,
                         b.create<arith::AndIOp>(exponent, one), 0);
  Value minusOne = constantInt(b, type, -1);
  Value ofMinusOne = b.create<arith::SelectOp>(odd, minusOne, one);
  Value inverse = b.create<arith::SelectOp>(
      compareInt(b, CmpIPredicate::eq, base, -1), ofMinusOne, zero);
  inverse = b.create<arith::SelectOp>(compareInt(b, CmpIPredicate::eq, base, 1),
                                      one, inverse);
  return b.create<arith::SelectOp>(
      compareInt(b, CmpIPredicate::slt, exponent, 0), inverse, result);
}

static Value emitShift(Builder &b, StringRef kind, Value lhs, Value amount) {
  Type type = lhs.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  Value inside = compareInt(b, CmpIPredicate::ult, amount, width);
  if (kind == "shr_s") {
    Value last = constantInt(b, type, width - 1);
    return b.create<arith::ShRSIOp>(
        lhs, b.create<arith::SelectOp>(inside, amount, last));
  }
  Value zero = constantInt(b, type, 0);
  Value safe = b.create<arith::SelectOp>(inside, amount, zero);
  Value shifted = kind == "shl" ? Value(b.create<arith::ShLIOp>(lhs, safe))
                                : Value(b.create<arith::ShRUIOp>(lhs, safe));
  return b.create<arith::SelectOp>(inside, shifted, zero);
}

static TwoOp lookupIntegerOp(StringRef kind) {
  return llvm::StringSwitch<TwoOp>(kind)
      .Case("add", two<arith::AddIOp>)
      .Case("sub", two<arith::SubIOp>)
      .Case("mul", two<arith::MulIOp>)
      .Case("and", two<arith::AndIOp>)
      .Case("or", two<arith::OrIOp>)
      .Case("xor", two<arith::XOrIOp>)
      .Default(nullptr);
}

Value emitBinary(Builder &b, StringRef kind, Value lhs, Value rhs, Type element,
                 TrapHandler &traps, bool divisorNonZero) {
  if (isa<FloatType>(element)) {
    if (kind == "nextafter")
      return emitNextAfter(b, lhs, rhs);
    TwoOp op = lookupFloatOp(kind);
    if (!op)
      return {};
    return narrow(b, op(b, widen(b, lhs), widen(b, rhs)), lhs.getType());
  }
  if (TwoOp op = lookupIntegerOp(kind))
    return op(b, lhs, rhs);
  if (kind == "min")
    return emitMin(b, lhs, rhs, element);
  if (kind == "max")
    return emitMax(b, lhs, rhs, element);
  if (kind == "pow")
    return emitIntegerPow(b, lhs, rhs, element);
  if (kind == "shl" || kind == "shr_s" || kind == "shr_u")
    return emitShift(b, kind, lhs, rhs);
  if (kind == "div" || kind == "floordiv" || kind == "mod" || kind == "rem")
    return emitIntegerDivision(b, kind, lhs, rhs, element, traps,
                               divisorNonZero);
  return {};
}

Value emitCompare(Builder &b, StringRef kind, Value lhs, Value rhs,
                  Type element) {
  if (isa<FloatType>(element)) {
    auto predicate = llvm::StringSwitch<CmpFPredicate>(kind)
                         .Case("eq", CmpFPredicate::OEQ)
                         .Case("ne", CmpFPredicate::UNE)
                         .Case("lt", CmpFPredicate::OLT)
                         .Case("le", CmpFPredicate::OLE)
                         .Case("gt", CmpFPredicate::OGT)
                         .Default(CmpFPredicate::OGE);
    return b.create<arith::CmpFOp>(predicate, widen(b, lhs), widen(b, rhs));
  }
  bool hasSign = !isUnsigned(element);
  auto predicate =
      llvm::StringSwitch<CmpIPredicate>(kind)
          .Case("eq", CmpIPredicate::eq)
          .Case("ne", CmpIPredicate::ne)
          .Case("lt", hasSign ? CmpIPredicate::slt : CmpIPredicate::ult)
          .Case("le", hasSign ? CmpIPredicate::sle : CmpIPredicate::ule)
          .Case("gt", hasSign ? CmpIPredicate::sgt : CmpIPredicate::ugt)
          .Default(hasSign ? CmpIPredicate::sge : CmpIPredicate::uge);
  return b.create<arith::CmpIOp>(predicate, lhs, rhs);
}

} // namespace cuvil::lowering
