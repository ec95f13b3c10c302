// SPDX-License-Identifier: Apache-2.0
// Compares vector functions with f64 libm over the whole range of f32.
#include "VectorMath.h"
#include "Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/bit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace cuvil::x86;
using namespace cuvil::x86::test;

namespace {
struct Function {
  const char *name;
  mlir::Value (*emit)(KernelBuilder &, mlir::Value);
  double (*exact)(double);
  double ulps;
};

template <typename OpT> mlir::Value emitOp(KernelBuilder &kb, mlir::Value x) {
  return kb.builder().create<OpT>(kb.loc(), x);
}
mlir::Value emitSigmoid(KernelBuilder &kb, mlir::Value x) {
  return VectorMath(kb.builder(), kb.loc(), kb.target().hasFma).sigmoid(x);
}

const Function kFunctions[] = {
    {"exp", emitOp<mlir::math::ExpOp>, std::exp, 4},
    {"log", emitOp<mlir::math::LogOp>, std::log, 4},
    {"tanh", emitOp<mlir::math::TanhOp>, std::tanh, 4},
    {"erf", emitOp<mlir::math::ErfOp>, std::erf, 4},
    {"sigmoid", emitSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); },
     4},
    // libm's own accuracy.
    {"sin", emitOp<mlir::math::SinOp>, std::sin, 1},
    {"cos", emitOp<mlir::math::CosOp>, std::cos, 1},
};

/// Distance from the exact value in units of the last place of f32.
double ulpError(float got, double exact) {
  float rounded = float(exact);
  if (std::isnan(exact) || std::isinf(rounded))
    return (std::isnan(got) && std::isnan(exact)) || got == rounded ? 0 : 1e9;
  if (!std::isfinite(got))
    // Overflow next to the largest number is a rounding matter.
    return std::abs(exact) > 3.4028234e38 ? 0 : 1e9;
  int exponent = rounded == 0 ? -126 : std::max(-126, std::ilogb(rounded));
  return std::abs(double(got) - exact) / std::ldexp(1.0, exponent - 23);
}

/// Every 251st bit pattern, both signs, and the special values.
std::vector<float> samples() {
  std::vector<float> values;
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 251)
    values.push_back(llvm::bit_cast<float>(uint32_t(bits)));
  for (float value : {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1.0f, -1.0f,
                      88.72284f, -87.33655f, -103.97f, 0x1p-149f, 0x1p-126f,
                      0.625f, 4.0f, 0.99999994f, 1.0000001f})
    values.push_back(value);
  while (values.size() % 16)
    values.push_back(0);
  return values;
}
} // namespace

class VectorMathTest : public testing::TestWithParam<int> {};

TEST_P(VectorMathTest, MatchesLibm) {
  CpuTarget target = CpuTarget::generic(IsaLevel(GetParam()));
  std::vector<float> in = samples(), out(in.size());
  for (const Function &function : kFunctions) {
    Jit jit(target, 2, {}, [&](KernelArgs &args) {
      KernelBuilder &kb = args.kb;
      kb.loop(args.begin, args.end, kb.lanes(), [&](mlir::Value i) {
        mlir::Value x = kb.loadVector(kb.at(args.pointers[0], i));
        kb.store(function.emit(kb, x), kb.at(args.pointers[1], i));
      });
    });
    if (!canRun(target))
      continue;
    void *pointers[] = {in.data(), out.data()};
    jit.function()(pointers, nullptr, 0, int64_t(in.size()));
    double worst = 0;
    float at = 0;
    for (size_t i = 0; i < in.size(); ++i) {
      double error = ulpError(out[i], function.exact(in[i]));
      if (error > worst)
        worst = error, at = in[i];
      // Odd functions keep the sign of zero.
      if (in[i] == 0 && function.exact(in[i]) == 0) {
        ASSERT_EQ(std::signbit(out[i]), std::signbit(in[i])) << function.name;
      }
    }
    EXPECT_LE(worst, function.ulps) << function.name << " at " << at;
    RecordProperty(function.name, std::to_string(worst));
    std::printf("  %-8s %-7s worst %.2f ulp at %g\n",
                isaName(target.isa).str().c_str(), function.name, worst, at);
  }
}

TEST(VectorMathScalar, UsesTheSameCode) {
  CpuTarget target = CpuTarget::generic(IsaLevel::SSE2);
  Jit jit(target, 2, {}, [&](KernelArgs &args) {
    KernelBuilder &kb = args.kb;
    kb.loop(args.begin, args.end, 1, [&](mlir::Value i) {
      mlir::Value x = kb.load(kb.at(args.pointers[0], i));
      kb.store(kb.builder().create<mlir::math::ExpOp>(kb.loc(), x),
               kb.at(args.pointers[1], i));
    });
  });
  float in[] = {0, 1, -2, 80, INFINITY, -INFINITY}, out[6];
  void *pointers[] = {in, out};
  jit.function()(pointers, nullptr, 0, 6);
  for (int i = 0; i < 6; ++i)
    EXPECT_LE(ulpError(out[i], std::exp(double(in[i]))), 4) << in[i];
}

INSTANTIATE_TEST_SUITE_P(Isa, VectorMathTest, testing::Values(0, 1, 2),
                         [](const testing::TestParamInfo<int> &info) {
                           return isaName(IsaLevel(info.param)).str();
                         });
