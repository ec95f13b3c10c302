// SPDX-License-Identifier: Apache-2.0
// Scalar functions on f64, by the names of their kinds.
#include "Scalars.h"
#include "Kernels.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <limits>

using namespace cuvil;
using namespace cuvil::detail;

static double getSign(double x) {
  return std::isnan(x) ? x : double(x > 0) - double(x < 0);
}

static double lgammaOf(double x) {
  int sign; // The plain lgamma writes a global.
  return ::lgamma_r(x, &sign);
}

static double gelu(double x) { return x * 0.5 * std::erfc(-x * M_SQRT1_2); }

static double geluTanh(double x) {
  double inner = std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
  return x * 0.5 * (1 + std::tanh(inner));
}

static double hardSigmoid(double x, double alpha, double beta) {
  return maximum(0.0, minimum(1.0, alpha * x + beta));
}

/// The kinds without parameters.
static const llvm::StringMap<double (*)(double)> &getPlainFunctions() {
  using D = double;
  static const llvm::StringMap<double (*)(double)> functions = {
      {"neg", [](D x) { return -x; }},
      {"abs", [](D x) { return std::fabs(x); }},
      {"sign", getSign},
      {"ceil", [](D x) { return std::ceil(x); }},
      {"floor", [](D x) { return std::floor(x); }},
      {"round_even", [](D x) { return std::nearbyint(x); }},
      {"trunc", [](D x) { return std::trunc(x); }},
      {"sqrt", [](D x) { return std::sqrt(x); }},
      {"rsqrt", [](D x) { return 1 / std::sqrt(x); }},
      {"reciprocal", [](D x) { return 1 / x; }},
      {"exp", [](D x) { return std::exp(x); }},
      {"expm1", [](D x) { return std::expm1(x); }},
      {"log", [](D x) { return std::log(x); }},
      {"log1p", [](D x) { return std::log1p(x); }},
      {"sin", [](D x) { return std::sin(x); }},
      {"cos", [](D x) { return std::cos(x); }},
      {"tan", [](D x) { return std::tan(x); }},
      {"asin", [](D x) { return std::asin(x); }},
      {"acos", [](D x) { return std::acos(x); }},
      {"atan", [](D x) { return std::atan(x); }},
      {"sinh", [](D x) { return std::sinh(x); }},
      {"cosh", [](D x) { return std::cosh(x); }},
      {"tanh", [](D x) { return std::tanh(x); }},
      {"asinh", [](D x) { return std::asinh(x); }},
      {"acosh", [](D x) { return std::acosh(x); }},
      {"atanh", [](D x) { return std::atanh(x); }},
      {"erf", [](D x) { return std::erf(x); }},
      {"lgamma", lgammaOf},
      {"sigmoid", sigmoid},
      {"gelu", gelu},
      {"gelu_tanh", geluTanh},
      {"relu", [](D x) { return x < 0 ? 0 : x; }},
      {"silu", [](D x) { return x * sigmoid(x); }},
      {"mish", [](D x) { return x * std::tanh(softplus(x)); }},
      {"hard_swish", [](D x) { return x * hardSigmoid(x, 1.0 / 6, 0.5); }},
      {"softplus", softplus},
      {"softsign", [](D x) { return x / (1 + std::fabs(x)); }},
  };
  return functions;
}

RealFunction detail::getUnaryFunction(llvm::StringRef kind, double alpha,
                                      double beta) {
  auto plain = getPlainFunctions().find(kind);
  if (plain != getPlainFunctions().end())
    return plain->second;
  if (kind == "leaky_relu")
    return [=](double x) { return x < 0 ? alpha * x : x; };
  if (kind == "elu")
    return [=](double x) { return x < 0 ? alpha * std::expm1(x) : x; };
  if (kind == "celu")
    return [=](double x) {
      return maximum(0.0, x) + minimum(0.0, alpha * std::expm1(x / alpha));
    };
  if (kind == "selu")
    return [=](double x) { return beta * (x < 0 ? alpha * std::expm1(x) : x); };
  if (kind == "hard_sigmoid")
    return [=](double x) { return hardSigmoid(x, alpha, beta); };
  return nullptr;
}

/// The quotient and remainder of Python: the remainder has the divisor's sign.
static double modulo(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0)
    return (rest < 0) != (b < 0) ? rest + b : rest;
  return std::copysign(rest, b);
}

static double divideDown(double a, double b) {
  if (b == 0)
    return a / b;
  double rest = std::fmod(a, b);
  double quotient = (a - rest) / b;
  if (rest != 0 && (rest < 0) != (b < 0))
    quotient -= 1;
  // What is left is an integer but for the rounding of the division.
  return quotient == 0 ? std::copysign(0.0, a / b) : std::nearbyint(quotient);
}

/// The neighbour of `a` among the values of a 16-bit format.
static double stepTo(double a, double b, double (*decode)(uint16_t),
                     uint16_t (*encode)(double)) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return b;
  if (a == 0)
    return std::copysign(decode(1), b);
  uint16_t bits = encode(a);
  return decode((a < b) == (a > 0) ? bits + 1 : bits - 1);
}

RealFunction2 detail::getBinaryFunction(llvm::StringRef kind,
                                        cuvil_dtype dtype) {
  using D = double;
  if (kind == "add")
    return [](D a, D b) { return a + b; };
  if (kind == "sub")
    return [](D a, D b) { return a - b; };
  if (kind == "mul")
    return [](D a, D b) { return a * b; };
  if (kind == "div")
    return [](D a, D b) { return a / b; };
  if (kind == "floordiv")
    return divideDown;
  if (kind == "mod")
    return modulo;
  if (kind == "rem")
    return [](D a, D b) { return std::fmod(a, b); };
  if (kind == "pow")
    return [](D a, D b) { return std::pow(a, b); };
  if (kind == "atan2")
    return [](D a, D b) { return std::atan2(a, b); };
  if (kind == "min")
    return minimum<double>;
  if (kind == "max")
    return maximum<double>;
  if (kind == "copysign")
    return [](D a, D b) { return std::copysign(a, b); };
  if (kind != "nextafter")
    return nullptr;
  switch (dtype) {
  case CUVIL_F16:
    return [](D a, D b) { return stepTo(a, b, fromF16, toF16); };
  case CUVIL_BF16:
    return [](D a, D b) { return stepTo(a, b, fromBF16, toBF16); };
  case CUVIL_F32:
    return [](D a, D b) -> D { return std::nextafter(float(a), float(b)); };
  default:
    return [](D a, D b) { return std::nextafter(a, b); };
  }
}
