// SPDX-License-Identifier: Apache-2.0
// Elementary functions written as plain arithmetic, for any vector width.
#ifndef CUVIL_BACKEND_X86_VECTORMATH_H
#define CUVIL_BACKEND_X86_VECTORMATH_H

#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/DialectConversion.h"

#include <memory>

namespace cuvil::x86 {

/// Emits f32 functions on a scalar or vector `x` with `arith` operations only.
/// Each is within 4 ulp of the exact result, denormals included, and gives what
/// IEEE 754 asks for at zeros, infinities and NaN. `fma` says that the target
/// has fused multiply-add; without it the error bound still holds.
class VectorMath {
public:
  VectorMath(mlir::OpBuilder &builder, mlir::Location loc, bool fma)
      : b(builder), loc(loc), fma(fma) {}

  mlir::Value exp(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);
  mlir::Value sigmoid(mlir::Value x);

private:
  mlir::Value constant(mlir::Value like, float value);
  mlir::Value constantInt(mlir::Value like, int32_t value);
  mlir::Value mulAdd(mlir::Value x, mlir::Value y, mlir::Value acc);
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<float> highFirst);
  mlir::Value bits(mlir::Value x);
  mlir::Value floats(mlir::Value x);
  mlir::Value power2(mlir::Value exponent);
  mlir::Value withSign(mlir::Value magnitude, mlir::Value sign);

  mlir::OpBuilder &b;
  mlir::Location loc;
  bool fma;
};

/// Rewrites `math.exp/log/tanh/erf` on f32 and vectors of f32. Other functions
/// and types are left to libm, where `sin` and `cos` are exact for any input.
void populateVectorMathPatterns(mlir::RewritePatternSet &patterns, bool fma);

/// A pass that applies these patterns.
std::unique_ptr<mlir::Pass> createExpandVectorMathPass(bool fma);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_VECTORMATH_H
