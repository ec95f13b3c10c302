// SPDX-License-Identifier: Apache-2.0
// Conversion between element types.
#include "ScalarMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace cuvil::lowering {

using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// f64 to f32 with the last bit set when inexact, so that a second rounding to
/// a narrower type gives what one rounding would.
static Value roundToOdd(Builder &b, Value x) {
  Type i32 = b.getI32Type();
  Value nearest = b.create<arith::TruncFOp>(b.getF32Type(), x);
  Value back = b.create<arith::ExtFOp>(b.getF64Type(), nearest);
  Value inexact = b.create<arith::CmpFOp>(CmpFPredicate::ONE, back, x);
  Value tooFar =
      b.create<arith::CmpFOp>(CmpFPredicate::OGT, b.create<math::AbsFOp>(back),
                              b.create<math::AbsFOp>(x));
  Value bits = b.create<arith::BitcastOp>(i32, nearest);
  Value one = constantInt(b, i32, 1);
  Value below = b.create<arith::SelectOp>(
      tooFar, b.create<arith::SubIOp>(bits, one), bits);
  Value odd = b.create<arith::OrIOp>(below, one);
  return b.create<arith::BitcastOp>(
      b.getF32Type(), b.create<arith::SelectOp>(inexact, odd, bits));
}

static Value convertFloatToFloat(Builder &b, Value x, Type to) {
  x = widen(b, x);
  Type wide = getComputeType(to);
  if (x.getType() != wide) {
    if (wide.isF64())
      return b.create<arith::ExtFOp>(to, x);
    x = wide == to ? Value(b.create<arith::TruncFOp>(to, x)) : roundToOdd(b, x);
  }
  return narrow(b, x, to);
}

/// A 64-bit integer that f64 holds and that rounds to a narrower type as x
/// does: what f64 would drop stays as a sticky bit.
static Value keepSticky(Builder &b, Value x, bool isUnsignedInt) {
  Type type = x.getType();
  Value big = isUnsignedInt ? x
                            : Value(b.create<arith::AddIOp>(
                                  x, constantInt(b, type, int64_t(1) << 53)));
  big = b.create<arith::CmpIOp>(
      CmpIPredicate::uge, big,
      constantInt(b, type, int64_t(1) << (isUnsignedInt ? 53 : 54)));
  Value low = b.create<arith::AndIOp>(x, constantInt(b, type, 0x7ff));
  Value lost =
      b.create<arith::CmpIOp>(CmpIPredicate::ne, low, constantInt(b, type, 0));
  Value sticky = b.create<arith::OrIOp>(b.create<arith::SubIOp>(x, low),
                                        constantInt(b, type, 0x800));
  return b.create<arith::SelectOp>(b.create<arith::AndIOp>(big, lost), sticky,
                                   x);
}

static Value convertIntToFloat(Builder &b, Value x, Type from, Type to) {
  Type wide = getComputeType(to);
  // bf16 keeps the range of f32, so that wide integers would round twice.
  unsigned width = from.getIntOrFloatBitWidth();
  bool odd = to.isBF16() && width > 16;
  if (odd) {
    wide = b.getF64Type();
    if (width == 64)
      x = keepSticky(b, x, isUnsigned(from));
  }
  Value value = isUnsigned(from) ? Value(b.create<arith::UIToFPOp>(wide, x))
                                 : Value(b.create<arith::SIToFPOp>(wide, x));
  return odd ? narrow(b, roundToOdd(b, value), to) : narrow(b, value, to);
}

/// The integer of `type` nearest to a float that is already whole; NaN gives 0.
static Value saturateToInt(Builder &b, Value x, Type type, bool isUnsignedInt) {
  unsigned width = type.getIntOrFloatBitWidth();
  Type floatType = x.getType();
  double bound = std::ldexp(1.0, isUnsignedInt ? width : width - 1);
  Value high = b.create<arith::CmpFOp>(CmpFPredicate::OGE, x,
                                       constantOf(b, floatType, bound));
  Value low = b.create<arith::CmpFOp>(
      CmpFPredicate::OLT, x,
      constantOf(b, floatType, isUnsignedInt ? 0 : -bound));
  Value outside = b.create<arith::OrIOp>(b.create<arith::OrIOp>(high, low),
                                         emitIsNaN(b, x));
  Value safe =
      b.create<arith::SelectOp>(outside, constantOf(b, floatType, 0), x);
  Value converted = isUnsignedInt
                        ? Value(b.create<arith::FPToUIOp>(type, safe))
                        : Value(b.create<arith::FPToSIOp>(type, safe));
  Type element = isUnsignedInt ? Type(b.getIntegerType(width, false)) : type;
  converted = b.create<arith::SelectOp>(high, highestOf(b, element), converted);
  return b.create<arith::SelectOp>(low, lowestOf(b, element), converted);
}

/// The truncation to i64 (for u64 to that, above the range of i64; the lowest
/// i64 beyond and for NaN) modulo 2^width.
static Value wrapToInt(Builder &b, Value x, Type to) {
  Type type = getStorageType(to);
  Type i64 = b.getI64Type(), floatType = x.getType();
  Value bound = constantOf(b, floatType, std::ldexp(1.0, 63));
  Value lowest = constantOf(b, floatType, -std::ldexp(1.0, 63));
  Value aboveLow = b.create<arith::CmpFOp>(CmpFPredicate::OGE, x, lowest);
  Value belowHigh = b.create<arith::CmpFOp>(CmpFPredicate::OLT, x, bound);
  Value inside = b.create<arith::AndIOp>(aboveLow, belowHigh);
  Value safe =
      b.create<arith::SelectOp>(inside, x, constantOf(b, floatType, 0));
  Value whole = b.create<arith::FPToSIOp>(i64, safe);
  Value lowestInt = lowestOf(b, i64);
  Value outside = lowestInt;
  if (type == i64 && isUnsigned(to)) {
    // Between 2^63 and 2^64 the bits of the unsigned value.
    Value rest = b.create<arith::SubFOp>(x, bound);
    Value fits = b.create<arith::AndIOp>(
        b.create<arith::CmpFOp>(CmpFPredicate::OGE, rest,
                                constantOf(b, floatType, 0)),
        b.create<arith::CmpFOp>(CmpFPredicate::OLT, rest, bound));
    Value restSafe =
        b.create<arith::SelectOp>(fits, rest, constantOf(b, floatType, 0));
    outside = b.create<arith::XOrIOp>(b.create<arith::FPToSIOp>(i64, restSafe),
                                      lowestInt);
  }
  Value result = b.create<arith::SelectOp>(inside, whole, outside);
  if (type == i64)
    return result;
  return b.create<arith::TruncIOp>(type, result);
}

static Value convertFloatToInt(Builder &b, Value x, Type to, bool roundEven,
                               bool saturate) {
  x = widen(b, x);
  if (to.isInteger(1))
    return b.create<arith::CmpFOp>(CmpFPredicate::UNE, x,
                                   constantOf(b, x.getType(), 0));
  if (roundEven)
    x = b.create<math::RoundEvenOp>(x);
  Type type = getStorageType(to);
  if (saturate) {
    if (!roundEven)
      x = b.create<math::TruncOp>(x);
    return saturateToInt(b, x, type, isUnsigned(to));
  }
  return wrapToInt(b, x, to);
}

static Value convertIntToInt(Builder &b, Value x, Type from, Type to,
                             bool saturate) {
  Type type = getStorageType(to);
  if (to.isInteger(1))
    return b.create<arith::CmpIOp>(CmpIPredicate::ne, x,
                                   constantInt(b, x.getType(), 0));
  unsigned fromWidth = from.getIntOrFloatBitWidth();
  unsigned toWidth = type.getIntOrFloatBitWidth();
  bool fromUnsigned = isUnsigned(from), toUnsigned = isUnsigned(to);
  if (saturate) {
    Type fromType = x.getType();
    auto clampTo = [&](bool low, APInt bound) {
      Value limit =
          b.create<arith::ConstantOp>(b.getIntegerAttr(fromType, bound));
      if (fromUnsigned)
        x = b.create<arith::MinUIOp>(x, limit);
      else
        x = low ? Value(b.create<arith::MaxSIOp>(x, limit))
                : Value(b.create<arith::MinSIOp>(x, limit));
    };
    if (!fromUnsigned && toUnsigned)
      clampTo(/*low=*/true, APInt(fromWidth, 0));
    unsigned fromDigits = fromUnsigned ? fromWidth : fromWidth - 1;
    unsigned toDigits = toUnsigned ? toWidth : toWidth - 1;
    if (toDigits < fromDigits) {
      clampTo(/*low=*/false, APInt::getLowBitsSet(fromWidth, toDigits));
      if (!fromUnsigned && !toUnsigned)
        clampTo(/*low=*/true,
                APInt::getSignedMinValue(toWidth).sext(fromWidth));
    }
  }
  if (toWidth == fromWidth)
    return x;
  if (toWidth < fromWidth)
    return b.create<arith::TruncIOp>(type, x);
  return fromUnsigned ? Value(b.create<arith::ExtUIOp>(type, x))
                      : Value(b.create<arith::ExtSIOp>(type, x));
}

Value emitConvert(Builder &b, Value x, Type from, Type to, bool roundEven,
                  bool saturate) {
  if (from == to)
    return x;
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  if (fromFloat && toFloat)
    return convertFloatToFloat(b, x, to);
  if (fromFloat)
    return convertFloatToInt(b, x, to, roundEven, saturate);
  if (toFloat)
    return convertIntToFloat(b, x, from, to);
  return convertIntToInt(b, x, from, to, saturate);
}

} // namespace cuvil::lowering
