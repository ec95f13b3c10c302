// SPDX-License-Identifier: Apache-2.0
// Reference kernels of the elementwise ops other than conversions.
#include "Kernels.h"
#include "Scalars.h"
#include "cuvil/IR/CuvilOps.h"
#include <bit>

using namespace cuvil;
using namespace cuvil::detail;

namespace {
using Real = double;
using Signed = int64_t;
using Unsigned = uint64_t;
} // namespace

/// y[i] = fn(x[i]) in the type that the element type computes in.
template <typename T, typename Fn>
static void mapUnary(const EvalTensor &x, EvalTensor &y, Fn fn) {
  std::vector<T> values = read<T>(x);
  for (T &value : values)
    value = fn(value);
  write<T>(y, values);
}

static double getReal(std::optional<llvm::APFloat> parameter) {
  return parameter ? parameter->convertToDouble() : 0;
}

//===----------------------------------------------------------------------===//
// unary
//===----------------------------------------------------------------------===//

llvm::LogicalResult UnaryOp::eval(EvalContext &context, Inputs inputs,
                                  Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")))
    return llvm::failure();
  llvm::StringRef kind = getKind();
  if (kind == "is_nan" || kind == "is_inf") {
    bool isNan = kind == "is_nan";
    mapUnary<Real>(x, y, [&](Real value) -> Real {
      return isNan ? std::isnan(value) : std::isinf(value);
    });
    return llvm::success();
  }
  if (isFloat(x.getDtype())) {
    RealFunction fn =
        getUnaryFunction(kind, getReal(getAlpha()), getReal(getBeta()));
    if (!fn)
      return context.fail(CUVIL_UNSUPPORTED,
                          "unary " + kind.str() + " on a float tensor");
    mapUnary<Real>(x, y, fn);
    return llvm::success();
  }
  cuvil_dtype dtype = x.getDtype();
  bool isSigned = !isUnsigned(dtype);
  std::function<Signed(Signed)> fn;
  if (kind == "neg")
    fn = [](Signed v) { return Signed(-Unsigned(v)); };
  else if (kind == "abs")
    fn = [=](Signed v) { return isSigned && v < 0 ? Signed(-Unsigned(v)) : v; };
  else if (kind == "sign")
    fn = [=](Signed v) -> Signed { return isSigned && v < 0 ? -1 : v != 0; };
  else if (kind == "relu")
    fn = [=](Signed v) { return isSigned && v < 0 ? 0 : v; };
  else if (kind == "not" && dtype == CUVIL_BOOL)
    fn = [](Signed v) -> Signed { return !v; };
  else if (kind == "not")
    fn = [](Signed v) { return ~v; };
  else if (kind == "popcount")
    fn = [bits = 8 * getByteSize(dtype)](Signed v) -> Signed {
      return std::popcount(Unsigned(v) << (64 - bits));
    };
  else
    return context.fail(CUVIL_UNSUPPORTED,
                        "unary " + kind.str() + " on an integer tensor");
  mapUnary<Signed>(x, y, fn);
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// binary
//===----------------------------------------------------------------------===//

/// Integer kinds; operands are extended to 64 bits, the result is wrapped when
/// it is stored. `bits` is the element's width.
template <typename T>
static std::function<T(T, T)> getIntegerFunction(llvm::StringRef kind,
                                                 int64_t bits) {
  if (kind == "add")
    return [](T a, T b) { return add(a, b); };
  if (kind == "sub")
    return [](T a, T b) { return T(Unsigned(a) - Unsigned(b)); };
  if (kind == "mul")
    return [](T a, T b) { return multiply(a, b); };
  if (kind == "div")
    return [](T a, T b) { return divideTruncated(a, b); };
  if (kind == "floordiv")
    return [](T a, T b) { return divideFloor(a, b); };
  if (kind == "mod")
    return [](T a, T b) {
      return T(Unsigned(a) - Unsigned(divideFloor(a, b)) * Unsigned(b));
    };
  if (kind == "rem")
    return [](T a, T b) {
      return T(Unsigned(a) - Unsigned(divideTruncated(a, b)) * Unsigned(b));
    };
  if (kind == "pow")
    return [](T a, T b) { return power(a, b); };
  if (kind == "min")
    return [](T a, T b) { return minimum(a, b); };
  if (kind == "max")
    return [](T a, T b) { return maximum(a, b); };
  if (kind == "and")
    return [](T a, T b) { return a & b; };
  if (kind == "or")
    return [](T a, T b) { return a | b; };
  if (kind == "xor")
    return [](T a, T b) { return a ^ b; };
  // A negative count is a huge unsigned one.
  if (kind == "shl")
    return [bits](T a, T b) {
      return Unsigned(b) >= Unsigned(bits) ? T(0) : T(Unsigned(a) << b);
    };
  if (kind == "shr_u")
    return [bits](T a, T b) {
      Unsigned value = Unsigned(a) << (64 - bits) >> (64 - bits);
      return Unsigned(b) >= Unsigned(bits) ? T(0) : T(value >> b);
    };
  if (kind == "shr_s")
    return [bits](T a, T b) {
      Signed value = Signed(Unsigned(a) << (64 - bits)) >> (64 - bits);
      Unsigned count = std::min(Unsigned(b), Unsigned(bits - 1));
      return T(value >> count);
    };
  return nullptr;
}

template <typename T>
static llvm::LogicalResult evalBinary(EvalContext &context,
                                      llvm::StringRef kind, Inputs inputs,
                                      EvalTensor &y) {
  cuvil_dtype dtype = inputs[0]->getDtype();
  std::vector<T> a = read<T>(*inputs[0]), b = read<T>(*inputs[1]);
  std::function<T(T, T)> fn;
  if constexpr (std::is_integral_v<T>)
    fn = getIntegerFunction<T>(kind, 8 * getByteSize(dtype));
  else
    fn = getBinaryFunction(kind, dtype);
  if (!fn)
    return context.fail(CUVIL_UNSUPPORTED,
                        "binary " + kind.str() + " on this element type");
  bool divides = std::is_integral_v<T> && (kind == "div" || kind == "rem" ||
                                           kind == "floordiv" || kind == "mod");
  if (divides && llvm::is_contained(b, T(0)))
    return context.fail(CUVIL_ARITHMETIC, "integer division by zero");
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = fn(a[i], b[i]);
  write<T>(y, a);
  return llvm::success();
}

llvm::LogicalResult BinaryOp::eval(EvalContext &context, Inputs inputs,
                                   Outputs outputs) {
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, inputs[0]->getDims(), y.getDims(), "lhs")) ||
      failed(requireDims(context, inputs[1]->getDims(), y.getDims(), "rhs")))
    return llvm::failure();
  return dispatch(inputs[0]->getDtype(), [&](auto type) {
    return evalBinary<decltype(type)>(context, getKind(), inputs, y);
  });
}

//===----------------------------------------------------------------------===//
// compare, select and clamp
//===----------------------------------------------------------------------===//

template <typename T> static bool compare(llvm::StringRef kind, T a, T b) {
  if (kind == "eq")
    return a == b;
  if (kind == "ne")
    return a != b;
  if (kind == "lt")
    return a < b;
  if (kind == "le")
    return a <= b;
  if (kind == "gt")
    return a > b;
  return a >= b;
}

llvm::LogicalResult CompareOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, inputs[0]->getDims(), y.getDims(), "lhs")) ||
      failed(requireDims(context, inputs[1]->getDims(), y.getDims(), "rhs")))
    return llvm::failure();
  llvm::StringRef kind = getKind();
  dispatch(inputs[0]->getDtype(), [&](auto type) {
    using T = decltype(type);
    std::vector<T> a = read<T>(*inputs[0]), b = read<T>(*inputs[1]);
    std::vector<Signed> values(a.size());
    for (size_t i = 0; i < a.size(); ++i)
      values[i] = compare<T>(kind, a[i], b[i]);
    y.setI64(values);
  });
  return llvm::success();
}

llvm::LogicalResult SelectOp::eval(EvalContext &context, Inputs inputs,
                                   Outputs outputs) {
  EvalTensor &y = *outputs[0];
  const char *names[] = {"condition", "on_true", "on_false"};
  for (int i = 0; i < 3; ++i)
    if (failed(
            requireDims(context, inputs[i]->getDims(), y.getDims(), names[i])))
      return llvm::failure();
  int64_t size = getByteSize(y.getDtype());
  const char *condition = static_cast<const char *>(inputs[0]->getData());
  const char *from[] = {static_cast<const char *>(inputs[2]->getData()),
                        static_cast<const char *>(inputs[1]->getData())};
  char *to = static_cast<char *>(y.getMutableData());
  for (int64_t i = 0, e = y.getNumElements(); i < e; ++i)
    std::memcpy(to + i * size, from[condition[i] != 0] + i * size, size);
  return llvm::success();
}

llvm::LogicalResult ClampOp::eval(EvalContext &context, Inputs inputs,
                                  Outputs outputs) {
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, inputs[0]->getDims(), y.getDims(), "x")))
    return llvm::failure();
  dispatch(y.getDtype(), [&](auto type) {
    using T = decltype(type);
    T low = read<T>(*inputs[1])[0], high = read<T>(*inputs[2])[0];
    mapUnary<T>(*inputs[0], y,
                [=](T value) { return minimum(maximum(value, low), high); });
  });
  return llvm::success();
}
