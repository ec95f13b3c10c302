// SPDX-License-Identifier: Apache-2.0
// Scalar functions of the elementwise kinds, on storage-typed values.
#ifndef CUVIL_LIB_CONVERSION_SCALARMATH_H
#define CUVIL_LIB_CONVERSION_SCALARMATH_H

#include "Support.h"

namespace cuvil::lowering {

/// Applies `cuvil.unary <kind>` to a value of original element type `element`.
/// Narrow floats compute in f32. Null for a kind the type does not have.
mlir::Value emitUnary(Builder &b, llvm::StringRef kind, mlir::Value x,
                      mlir::Type element, double alpha, double beta);

/// Applies `cuvil.binary <kind>`. Integer division calls `traps` unless the
/// divisor is known to be non-zero.
mlir::Value emitBinary(Builder &b, llvm::StringRef kind, mlir::Value lhs,
                       mlir::Value rhs, mlir::Type element, TrapHandler &traps,
                       bool divisorNonZero = false);

/// Applies `cuvil.compare <kind>`; gives an i1.
mlir::Value emitCompare(Builder &b, llvm::StringRef kind, mlir::Value lhs,
                        mlir::Value rhs, mlir::Type element);

/// NaN-propagating maximum or minimum of two values of a compute type.
mlir::Value emitMax(Builder &b, mlir::Value lhs, mlir::Value rhs,
                    mlir::Type element);
mlir::Value emitMin(Builder &b, mlir::Value lhs, mlir::Value rhs,
                    mlir::Type element);

/// Applies `cuvil.convert`.
mlir::Value emitConvert(Builder &b, mlir::Value x, mlir::Type from,
                        mlir::Type to, bool roundEven, bool saturate);

/// Sum and product of two values of a compute type.
mlir::Value emitAdd(Builder &b, mlir::Value lhs, mlir::Value rhs);
mlir::Value emitMul(Builder &b, mlir::Value lhs, mlir::Value rhs);

/// x is NaN, as an i1; a constant false for integers.
mlir::Value emitIsNaN(Builder &b, mlir::Value x);

} // namespace cuvil::lowering

#endif // CUVIL_LIB_CONVERSION_SCALARMATH_H
