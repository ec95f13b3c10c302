// SPDX-License-Identifier: Apache-2.0
// Small helpers to write kernels over flat pointers and native vectors.
#ifndef CUVIL_BACKEND_X86_KERNELBUILDER_H
#define CUVIL_BACKEND_X86_KERNELBUILDER_H

#include "CpuTarget.h"

#include "mlir/IR/Builders.h"

#include <functional>
#include <optional>

namespace cuvil::x86 {

/// Writes kernel code at one location. Sizes and offsets are i64 values counted
/// in elements; a size known at compile time is simply a constant, which the
/// arithmetic below folds, so kernels have one form for static and dynamic
/// shapes.
class KernelBuilder {
public:
  /// `element` is the type that kernels compute in: f32 or f64.
  KernelBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                const CpuTarget &target, mlir::Type element);

  mlir::OpBuilder &builder() const { return b; }
  mlir::Location loc() const { return location; }
  const CpuTarget &target() const { return cpu; }
  mlir::Type element() const { return elementType; }
  /// Lanes of a native vector of the element type.
  int64_t lanes() const { return laneCount; }
  mlir::VectorType vectorType() const;

  // Integers.
  mlir::Value index(int64_t value);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value add(mlir::Value x, int64_t y) { return add(x, index(y)); }
  mlir::Value mul(mlir::Value x, int64_t y) { return mul(x, index(y)); }
  /// Quotient and remainder of operands that are not negative.
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value rem(mlir::Value x, mlir::Value y);
  mlir::Value ceilDiv(mlir::Value x, int64_t y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  /// The value of a constant.
  static std::optional<int64_t> constant(mlir::Value value);
  static bool isConstant(mlir::Value value, int64_t wanted);

  // Elements and vectors.
  mlir::Value zeroVector();
  mlir::Value splat(mlir::Value scalar);
  mlir::Value mulAdd(mlir::Value x, mlir::Value y, mlir::Value acc);
  /// Lanes below `count` (which may be negative or above the width).
  mlir::Value maskBelow(mlir::Value count, int64_t width = 0);
  mlir::Value maskAnd(mlir::Value x, mlir::Value y);

  // Memory. Offsets are in elements of `type` (default: the element type).
  mlir::Value at(mlir::Value pointer, mlir::Value offset, mlir::Type type = {});
  mlir::Value at(mlir::Value pointer, int64_t offset, mlir::Type type = {});
  mlir::Value load(mlir::Value pointer);
  /// Loads `type` (default: a native vector); lanes off in `mask` are zero and
  /// not read.
  mlir::Value loadVector(mlir::Value pointer, mlir::Value mask = {},
                         mlir::Type type = {});
  /// Stores a scalar or a vector; lanes off in `mask` are not written.
  void store(mlir::Value value, mlir::Value pointer, mlir::Value mask = {});
  void prefetch(mlir::Value pointer);
  /// Stack space, 64-byte aligned, taken once at the function's entry.
  mlir::Value stack(int64_t elements);

  // Control flow. Bodies are written at the builder's insertion point.
  using LoopBody = std::function<void(mlir::Value)>;
  using CarriedBody = std::function<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  /// A loop that runs once is written without one; one that never runs is not
  /// written.
  void loop(mlir::Value from, mlir::Value to, int64_t step,
            const LoopBody &body);
  llvm::SmallVector<mlir::Value> loop(mlir::Value from, mlir::Value to,
                                      int64_t step, mlir::ValueRange carried,
                                      const CarriedBody &body);
  void ifThen(mlir::Value condition, const std::function<void()> &then,
              const std::function<void()> &otherwise = {});
  llvm::SmallVector<mlir::Value>
  ifElse(mlir::Value condition,
         const std::function<llvm::SmallVector<mlir::Value>()> &then,
         const std::function<llvm::SmallVector<mlir::Value>()> &otherwise);

private:
  mlir::OpBuilder &b;
  mlir::Location location;
  const CpuTarget &cpu;
  mlir::Type elementType;
  int64_t laneCount;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_KERNELBUILDER_H
