// SPDX-License-Identifier: Apache-2.0
// Lowering of Cuvil-IR to linalg, tensor, scf, arith and math on plain tensors.
#ifndef CUVIL_CONVERSION_CUVILTOLINALG_H
#define CUVIL_CONVERSION_CUVILTOLINALG_H

#include "cuvil/IR/DimExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/Transforms/DialectConversion.h"

namespace cuvil {

/// Turns dimension expressions into index values at the place of use. Each
/// backend decides where they come from (a kernel's size arguments, ...).
class DimMaterializer {
public:
  virtual ~DimMaterializer() = default;
  /// An index-typed value; constants become arith.constant.
  virtual mlir::Value materialize(mlir::OpBuilder &builder, mlir::Location loc,
                                  DimExpr expr) = 0;
};

/// Drops the dims encoding and the signedness: tensor<?xui8, #cuvil.dims<..>>
/// becomes tensor<?xi8>. Static dims stay static. Patterns read signedness from
/// the original op's types.
class PlainTensorConverter : public mlir::TypeConverter {
public:
  PlainTensorConverter();
};

/// A run-time error inside a kernel: patterns that can meet one (index out of
/// range, integer division by zero) call this, which must make the kernel
/// return `code` eventually when `failed` (an i1) is true; execution may go on
/// until then, so the pattern must clamp what it accesses.
class TrapHandler {
public:
  virtual ~TrapHandler() = default;
  virtual void trapIf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value failed,
                      int32_t code) = 0;
};

/// What every lowering pattern is given.
struct LoweringContext {
  DimMaterializer &dims;
  TrapHandler &traps;
};

/// One function per family, in lib/Conversion/<Family>.cpp; each registers one
/// pattern per op of the family.
void populateElementwiseToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                                 LoweringContext &);
void populateLayoutToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                            LoweringContext &);
void populateIndexingToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                              LoweringContext &);
void populateReductionToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                               LoweringContext &);
void populateContractionToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                                 LoweringContext &);
void populateNormalizationToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                                   LoweringContext &);
void populateRecurrentToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                               LoweringContext &);
void populateQuantToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                           LoweringContext &);
void populateShapeToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                           LoweringContext &);
/// All of the above.
void populateCuvilToLinalg(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                           LoweringContext &);

} // namespace cuvil

#endif // CUVIL_CONVERSION_CUVILTOLINALG_H
