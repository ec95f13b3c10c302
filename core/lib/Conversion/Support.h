// SPDX-License-Identifier: Apache-2.0
// What the lowering patterns of all families share.
#ifndef CUVIL_LIB_CONVERSION_SUPPORT_H
#define CUVIL_LIB_CONVERSION_SUPPORT_H

#include "cuvil/Conversion/CuvilToLinalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace cuvil::lowering {

using Builder = mlir::ImplicitLocOpBuilder;
using mlir::utils::IteratorType;

/// The base of every lowering pattern: an OpConversionPattern that knows where
/// sizes come from and where run-time errors go.
template <typename OpT> class Pattern : public mlir::OpConversionPattern<OpT> {
public:
  Pattern(const mlir::TypeConverter &converter, mlir::MLIRContext *context,
          LoweringContext &lowering)
      : mlir::OpConversionPattern<OpT>(converter, context), lowering(lowering) {
  }

protected:
  LoweringContext &lowering;
};

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// The signless form of an element type.
mlir::Type getStorageType(mlir::Type element);
/// The type that float math is done in: f32 for f16 and bf16.
mlir::Type getComputeType(mlir::Type element);
/// True for unsigned integers and bool.
bool isUnsigned(mlir::Type element);
/// The original (signedness-carrying) element type of a tensor value.
mlir::Type getElement(mlir::Value tensor);
/// The original tensor type of a value.
mlir::RankedTensorType getTensor(mlir::Value tensor);
/// The plain type that a tensor type is lowered to.
mlir::RankedTensorType getPlainType(mlir::RankedTensorType type);

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

mlir::Value constantIndex(Builder &b, int64_t value);
/// A constant of a float or signless integer type; `value` is rounded or
/// wrapped to it.
mlir::Value constantOf(Builder &b, mlir::Type type, double value);
mlir::Value constantInt(Builder &b, mlir::Type type, int64_t value);
/// The number nothing is smaller (greater) than: infinities for floats.
mlir::Value lowestOf(Builder &b, mlir::Type element);
mlir::Value highestOf(Builder &b, mlir::Type element);
/// A float from a narrow storage type to its compute type; others unchanged.
mlir::Value widen(Builder &b, mlir::Value value);
/// A value of a compute type to `storage`; unchanged when it has that type.
mlir::Value narrow(Builder &b, mlir::Value value, mlir::Type storage);
/// An integer value of element type `from` as an index.
mlir::Value toIndex(Builder &b, mlir::Value value);
/// min(max(index, 0), size - 1), as signed index arithmetic.
mlir::Value clampIndex(Builder &b, mlir::Value index, mlir::Value size);
/// a mod size with a result in [0, size).
mlir::Value wrapIndex(Builder &b, mlir::Value index, mlir::Value size);

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

mlir::Value materialize(Builder &b, LoweringContext &lowering, DimExpr expr);
/// Static where the expression is a constant.
mlir::OpFoldResult materializeFold(Builder &b, LoweringContext &lowering,
                                   DimExpr expr);
llvm::SmallVector<mlir::Value> materializeAll(Builder &b,
                                              LoweringContext &lowering,
                                              llvm::ArrayRef<DimExpr> exprs);
llvm::SmallVector<mlir::OpFoldResult>
materializeFold(Builder &b, LoweringContext &lowering,
                llvm::ArrayRef<DimExpr> exprs);
/// The number of elements under `dims`, as an index.
mlir::Value materializeProduct(Builder &b, LoweringContext &lowering,
                               llvm::ArrayRef<DimExpr> dims);

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

/// A plain tensor type of these dims.
mlir::RankedTensorType getPlainType(llvm::ArrayRef<DimExpr> dims,
                                    mlir::Type storage);
/// An uninitialised tensor.
mlir::Value createEmpty(Builder &b, LoweringContext &lowering,
                        llvm::ArrayRef<DimExpr> dims, mlir::Type storage);
/// A tensor of one repeated scalar.
mlir::Value createFilled(Builder &b, LoweringContext &lowering,
                         llvm::ArrayRef<DimExpr> dims, mlir::Value scalar);
/// tensor.cast when the types differ.
mlir::Value castTo(Builder &b, mlir::Value tensor, mlir::Type type);
/// The same elements in row-major order under other dims, by way of
/// collapse_shape and expand_shape.
mlir::Value reshapeTo(Builder &b, LoweringContext &lowering, mlir::Value tensor,
                      llvm::ArrayRef<DimExpr> from, llvm::ArrayRef<DimExpr> to);

/// x with `low` and `high` elements of `scalar` around each axis (negative
/// counts remove) and, where `dilations` is given, dilation - 1 of them between
/// neighbours. `to` are the dims of the result.
mlir::Value padWith(Builder &b, LoweringContext &lowering, mlir::Value x,
                    llvm::ArrayRef<DimExpr> from, llvm::ArrayRef<DimExpr> to,
                    llvm::ArrayRef<DimExpr> low, llvm::ArrayRef<DimExpr> high,
                    llvm::ArrayRef<int64_t> dilations, mlir::Value scalar);

using Body = llvm::function_ref<llvm::SmallVector<mlir::Value>(
    Builder &, mlir::ValueRange)>;

/// linalg.generic; `maps` lists the inputs', then the outputs' maps.
llvm::SmallVector<mlir::Value>
createGeneric(Builder &b, mlir::ValueRange inputs, mlir::ValueRange outputs,
              llvm::ArrayRef<mlir::AffineMap> maps,
              llvm::ArrayRef<IteratorType> iterators, Body body);
/// One parallel loop per dim of the single, new result.
mlir::Value createParallel(
    Builder &b, LoweringContext &lowering, llvm::ArrayRef<DimExpr> dims,
    mlir::Type storage, mlir::ValueRange inputs,
    llvm::ArrayRef<mlir::AffineMap> inputMaps,
    llvm::function_ref<mlir::Value(Builder &, mlir::ValueRange)> body);
/// Folds `axes` of loops over `dims`, starting from `neutral`, whose type the
/// result has; the other axes stay in order.
mlir::Value
reduceAxes(Builder &b, LoweringContext &lowering, llvm::ArrayRef<DimExpr> dims,
           llvm::ArrayRef<int64_t> axes, mlir::Value neutral,
           mlir::ValueRange inputs, llvm::ArrayRef<mlir::AffineMap> inputMaps,
           llvm::function_ref<mlir::Value(Builder &, mlir::Value acc,
                                          mlir::ValueRange xs)>
               combine);
/// The map that selects the loops that are not in `axes`.
mlir::AffineMap dropAxesMap(Builder &b, unsigned rank,
                            llvm::ArrayRef<int64_t> axes);
/// The entries of `dims` whose position is not in `axes`.
llvm::SmallVector<DimExpr> dropAxes(llvm::ArrayRef<DimExpr> dims,
                                    llvm::ArrayRef<int64_t> axes);
/// The map that selects `dims` out of `rank` loops.
mlir::AffineMap selectDims(Builder &b, unsigned rank,
                           llvm::ArrayRef<unsigned> dims);
mlir::AffineMap identityMap(Builder &b, unsigned rank);
/// linalg.index of every loop.
llvm::SmallVector<mlir::Value> getLoopIndices(Builder &b, unsigned rank);
/// Element 0 of a rank-0 tensor.
mlir::Value extractScalar(Builder &b, mlir::Value tensor);

/// Nested scf.for loops from 0 to `sizes` with step 1, carrying `inits`.
llvm::SmallVector<mlir::Value>
createLoops(Builder &b, mlir::ValueRange sizes, mlir::ValueRange inits,
            llvm::function_ref<llvm::SmallVector<mlir::Value>(
                Builder &, mlir::ValueRange indices, mlir::ValueRange carried)>
                body);

} // namespace cuvil::lowering

#endif // CUVIL_LIB_CONVERSION_SUPPORT_H
