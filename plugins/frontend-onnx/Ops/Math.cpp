// SPDX-License-Identifier: Apache-2.0
// Arithmetic: one scalar function per element, variadic folds, Clip, Cast.
#include "Common.h"

namespace cuvil::onnx {
namespace {

void absolute(Node &n) {
  Value x = n.in(0);
  n.out(isUnsigned(n.b.dtype(x)) ? x : n.b.unary("abs", x));
}

/// The result has the base's type; a float exponent of an integer base is
/// applied in double precision, as numpy does.
void power(Node &n) {
  Builder &b = n.b;
  Value base = n.in(0), exponent = n.in(1);
  DType type = b.dtype(base);
  DType other = b.dtype(exponent);
  DType common = type;
  if (type != other) {
    if (isFloat(type))
      common = other == DType::F64 ? DType::F64 : type;
    else
      common = isFloat(other) ? DType::F64 : DType::I64;
  }
  Value y =
      b.binary("pow", b.convert(base, common), b.convert(exponent, common));
  n.out(b.convert(y, type));
}

/// fmod = 0 takes the divisor's sign, fmod = 1 the dividend's.
void modulo(Node &n) {
  bool fmod = n.i("fmod", 0) != 0;
  Value x = n.in(0);
  n.out(n.b.binary(fmod ? "rem" : "mod", x, n.in(1)));
}

template <Word kind> void variadic(Node &n) {
  if (n.numInputs() == 0)
    n.bad("it has no inputs");
  Value y = n.in(0);
  for (size_t i = 1; i < n.numInputs(); ++i)
    y = n.b.binary(kind.chars, y, n.in(i));
  n.out(y);
}

void mean(Node &n) {
  variadic<"add">(n);
  Value sum = n.results()[0].value;
  n.out(n.b.binaryReal("div", sum, static_cast<double>(n.numInputs())));
}

void clipInputs(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0), low = n.opt(1), high = n.opt(2);
  if (!low && !high)
    return n.out(x);
  DType type = b.dtype(x);
  n.out(
      b.clamp(x, low ? low : lowest(b, type), high ? high : highest(b, type)));
}

void clipAttributes(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  DType type = b.dtype(x);
  Value low = n.hasAttr("min") ? b.real(type, n.f("min", 0)) : lowest(b, type);
  Value high =
      n.hasAttr("max") ? b.real(type, n.f("max", 0)) : highest(b, type);
  n.out(b.clamp(x, low, high));
}

void bitShift(Node &n) {
  std::string direction = n.s("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    n.bad("direction is ", quoted(direction), ", not LEFT or RIGHT");
  const char *right = isUnsigned(n.b.dtype(n.in(0))) ? "shr_u" : "shr_s";
  n.out(n.b.binary(direction == "LEFT" ? "shl" : right, n.in(0), n.in(1)));
}

void isInf(Node &n) {
  Builder &b = n.b;
  Value x = n.in(0);
  bool negative = n.i("detect_negative", 1),
       positive = n.i("detect_positive", 1);
  Value found = b.unary("is_inf", x);
  if (negative && positive)
    return n.out(found);
  Value zero = b.real(b.dtype(x), 0);
  Value sign = b.compare(negative ? "lt" : "gt", x, zero);
  if (!negative && !positive)
    sign = b.compare("ne", found, found);
  n.out(b.binary("and", found, sign));
}

Value castTo(Node &n, Value x, DType to) {
  if (to == DType::None)
    n.refuse("the target type is not supported");
  return n.b.convert(x, to);
}

void cast(Node &n) {
  n.ignore("saturate"); // matters for 8-bit floats only
  n.ignore("round_mode");
  auto to = static_cast<int32_t>(n.i("to", 0));
  if (dtypeOf(to) == DType::None)
    n.refuse("conversion to ", elementTypeName(to), " is not supported");
  n.out(castTo(n, n.packedIn(0), dtypeOf(to)));
}

void castLike(Node &n) {
  n.ignore("saturate");
  n.ignore("round_mode");
  n.out(castTo(n, n.in(0), n.b.dtype(n.in(1))));
}

void bitCast(Node &n) {
  auto to = static_cast<int32_t>(n.i("to", 0));
  DType type = dtypeOf(to);
  Value x = n.in(0);
  if (type == DType::None || type == DType::Bool ||
      n.b.dtype(x) == DType::Bool || bitWidth(type) != bitWidth(n.b.dtype(x)))
    n.refuse("reinterpretation of ", dtypeName(n.b.dtype(x)), " as ",
             elementTypeName(to), " is not supported");
  n.out(n.b.dtype(x) == type ? x : n.b.op("bitcast", {x}, {{"to", type}}));
}

} // namespace

OpTable mathOps() {
  static constexpr OpEntry table[] = {
      {"", "Add", 7, latest, binaryOp<"add">},
      {"", "Sub", 7, latest, binaryOp<"sub">},
      {"", "Mul", 7, latest, binaryOp<"mul">},
      {"", "Div", 7, latest, binaryOp<"div">},
      {"", "Pow", 7, latest, power},
      {"", "Mod", 10, latest, modulo},
      {"", "Max", 6, latest, variadic<"max">},
      {"", "Min", 6, latest, variadic<"min">},
      {"", "Sum", 6, latest, variadic<"add">},
      {"", "Mean", 6, latest, mean},
      {"", "Abs", 6, latest, absolute},
      {"", "Neg", 6, latest, unaryOp<"neg">},
      {"", "Sign", 9, latest, unaryOp<"sign">},
      {"", "Ceil", 6, latest, unaryOp<"ceil">},
      {"", "Floor", 6, latest, unaryOp<"floor">},
      {"", "Round", 11, latest, unaryOp<"round_even">},
      {"", "Sqrt", 6, latest, unaryOp<"sqrt">},
      {"", "Reciprocal", 6, latest, unaryOp<"reciprocal">},
      {"", "Exp", 6, latest, unaryOp<"exp">},
      {"", "Log", 6, latest, unaryOp<"log">},
      {"", "Sin", 7, latest, unaryOp<"sin">},
      {"", "Cos", 7, latest, unaryOp<"cos">},
      {"", "Tan", 7, latest, unaryOp<"tan">},
      {"", "Asin", 7, latest, unaryOp<"asin">},
      {"", "Acos", 7, latest, unaryOp<"acos">},
      {"", "Atan", 7, latest, unaryOp<"atan">},
      {"", "Sinh", 9, latest, unaryOp<"sinh">},
      {"", "Cosh", 9, latest, unaryOp<"cosh">},
      {"", "Asinh", 9, latest, unaryOp<"asinh">},
      {"", "Acosh", 9, latest, unaryOp<"acosh">},
      {"", "Atanh", 9, latest, unaryOp<"atanh">},
      {"", "Erf", 9, latest, unaryOp<"erf">},
      {"", "IsNaN", 9, latest, unaryOp<"is_nan">},
      {"", "IsInf", 10, latest, isInf},
      {"", "Clip", 6, 10, clipAttributes},
      {"", "Clip", 11, latest, clipInputs},
      {"", "BitShift", 11, latest, bitShift},
      {"", "BitwiseAnd", 18, latest, binaryOp<"and">},
      {"", "BitwiseOr", 18, latest, binaryOp<"or">},
      {"", "BitwiseXor", 18, latest, binaryOp<"xor">},
      {"", "BitwiseNot", 18, latest, unaryOp<"not">},
      {"", "Cast", 6, latest, cast},
      {"", "CastLike", 15, latest, castLike},
      {"", "BitCast", 26, latest, bitCast},
  };
  return table;
}

} // namespace cuvil::onnx
