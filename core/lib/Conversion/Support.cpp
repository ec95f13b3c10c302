// SPDX-License-Identifier: Apache-2.0
// Scalars, sizes and tensors for the lowering patterns.
#include "Support.h"
#include "cuvil/IR/CuvilDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil::lowering {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Type getStorageType(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return IntegerType::get(element.getContext(), integer.getWidth());
  return element;
}

Type getComputeType(Type element) {
  if (element.isF16() || element.isBF16())
    return Float32Type::get(element.getContext());
  return element;
}

bool isUnsigned(Type element) {
  return element.isUnsignedInteger() || element.isInteger(1);
}

RankedTensorType getTensor(Value tensor) {
  return cast<RankedTensorType>(tensor.getType());
}

Type getElement(Value tensor) { return getTensor(tensor).getElementType(); }

RankedTensorType getPlainType(RankedTensorType type) {
  return RankedTensorType::get(type.getShape(),
                               getStorageType(type.getElementType()));
}

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

Value constantIndex(Builder &b, int64_t value) {
  return b.create<arith::ConstantIndexOp>(value);
}

Value constantOf(Builder &b, Type type, double value) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return b.create<arith::ConstantOp>(b.getFloatAttr(floatType, value));
  return constantInt(b, type, static_cast<int64_t>(value));
}

Value constantInt(Builder &b, Type type, int64_t value) {
  if (type.isIndex())
    return constantIndex(b, value);
  APInt bits = APInt(64, value, /*isSigned=*/true)
                   .sextOrTrunc(type.getIntOrFloatBitWidth());
  return b.create<arith::ConstantOp>(b.getIntegerAttr(type, bits));
}

static Value extremeOf(Builder &b, Type element, bool high) {
  Type type = getStorageType(element);
  if (auto floatType = dyn_cast<FloatType>(type)) {
    APFloat value = APFloat::getInf(floatType.getFloatSemantics(), !high);
    return b.create<arith::ConstantOp>(b.getFloatAttr(floatType, value));
  }
  unsigned width = type.getIntOrFloatBitWidth();
  APInt value = isUnsigned(element)
                    ? (high ? APInt::getMaxValue(width) : APInt(width, 0))
                    : (high ? APInt::getSignedMaxValue(width)
                            : APInt::getSignedMinValue(width));
  return b.create<arith::ConstantOp>(b.getIntegerAttr(type, value));
}

Value lowestOf(Builder &b, Type element) {
  return extremeOf(b, element, /*high=*/false);
}

Value highestOf(Builder &b, Type element) {
  return extremeOf(b, element, /*high=*/true);
}

Value widen(Builder &b, Value value) {
  Type compute = getComputeType(value.getType());
  if (compute == value.getType())
    return value;
  return b.create<arith::ExtFOp>(compute, value);
}

Value narrow(Builder &b, Value value, Type storage) {
  if (value.getType() == storage)
    return value;
  return b.create<arith::TruncFOp>(storage, value);
}

Value toIndex(Builder &b, Value value) {
  return b.createOrFold<arith::IndexCastOp>(b.getIndexType(), value);
}

Value clampIndex(Builder &b, Value index, Value size) {
  Value last = b.createOrFold<arith::SubIOp>(size, constantIndex(b, 1));
  Value low = b.createOrFold<arith::MaxSIOp>(index, constantIndex(b, 0));
  return b.createOrFold<arith::MinSIOp>(low, last);
}

Value wrapIndex(Builder &b, Value index, Value size) {
  Value rest = b.create<arith::RemSIOp>(index, size);
  Value negative = b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, rest,
                                           constantIndex(b, 0));
  Value shifted = b.create<arith::AddIOp>(rest, size);
  return b.create<arith::SelectOp>(negative, shifted, rest);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Value materialize(Builder &b, LoweringContext &lowering, DimExpr expr) {
  return lowering.dims.materialize(b, b.getLoc(), expr);
}

OpFoldResult materializeFold(Builder &b, LoweringContext &lowering,
                             DimExpr expr) {
  if (std::optional<int64_t> value = expr.getConstant())
    return b.getIndexAttr(*value);
  return materialize(b, lowering, expr);
}

SmallVector<Value> materializeAll(Builder &b, LoweringContext &lowering,
                                  ArrayRef<DimExpr> exprs) {
  return llvm::map_to_vector(
      exprs, [&](DimExpr expr) { return materialize(b, lowering, expr); });
}

SmallVector<OpFoldResult> materializeFold(Builder &b, LoweringContext &lowering,
                                          ArrayRef<DimExpr> exprs) {
  return llvm::map_to_vector(
      exprs, [&](DimExpr expr) { return materializeFold(b, lowering, expr); });
}

Value materializeProduct(Builder &b, LoweringContext &lowering,
                         ArrayRef<DimExpr> dims) {
  return materialize(b, lowering, product(b.getContext(), dims));
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

RankedTensorType getPlainType(ArrayRef<DimExpr> dims, Type storage) {
  auto shape = llvm::map_to_vector(dims, [](DimExpr dim) {
    return dim.getConstant().value_or(ShapedType::kDynamic);
  });
  return RankedTensorType::get(shape, storage);
}

Value createEmpty(Builder &b, LoweringContext &lowering, ArrayRef<DimExpr> dims,
                  Type storage) {
  return b.create<tensor::EmptyOp>(materializeFold(b, lowering, dims), storage);
}

Value createFilled(Builder &b, LoweringContext &lowering,
                   ArrayRef<DimExpr> dims, Value scalar) {
  Value empty = createEmpty(b, lowering, dims, scalar.getType());
  return b.create<linalg::FillOp>(scalar, empty).getResult(0);
}

Value castTo(Builder &b, Value tensor, Type type) {
  if (tensor.getType() == type)
    return tensor;
  return b.create<tensor::CastOp>(type, tensor);
}

SmallVector<Value> createGeneric(Builder &b, ValueRange inputs,
                                 ValueRange outputs, ArrayRef<AffineMap> maps,
                                 ArrayRef<IteratorType> iterators, Body body) {
  auto op = b.create<linalg::GenericOp>(
      TypeRange(outputs), inputs, outputs, maps, iterators,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        Builder inner(loc, nested);
        SmallVector<Value> results = body(inner, args);
        inner.create<linalg::YieldOp>(results);
      });
  return SmallVector<Value>(op.getResults());
}

Value createParallel(Builder &b, LoweringContext &lowering,
                     ArrayRef<DimExpr> dims, Type storage, ValueRange inputs,
                     ArrayRef<AffineMap> inputMaps,
                     function_ref<Value(Builder &, ValueRange)> body) {
  unsigned rank = dims.size();
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(identityMap(b, rank));
  SmallVector<IteratorType> iterators(rank, IteratorType::parallel);
  Value init = createEmpty(b, lowering, dims, storage);
  return createGeneric(b, inputs, init, maps, iterators,
                       [&](Builder &inner, ValueRange args) {
                         return SmallVector<Value>{body(inner, args)};
                       })
      .front();
}

SmallVector<DimExpr> dropAxes(ArrayRef<DimExpr> dims, ArrayRef<int64_t> axes) {
  SmallVector<DimExpr> kept;
  for (auto [axis, dim] : llvm::enumerate(dims))
    if (!llvm::is_contained(axes, static_cast<int64_t>(axis)))
      kept.push_back(dim);
  return kept;
}

AffineMap dropAxesMap(Builder &b, unsigned rank, ArrayRef<int64_t> axes) {
  SmallVector<unsigned> kept;
  for (unsigned i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, static_cast<int64_t>(i)))
      kept.push_back(i);
  return selectDims(b, rank, kept);
}

Value reduceAxes(Builder &b, LoweringContext &lowering, ArrayRef<DimExpr> dims,
                 ArrayRef<int64_t> axes, Value neutral, ValueRange inputs,
                 ArrayRef<AffineMap> inputMaps,
                 function_ref<Value(Builder &, Value, ValueRange)> combine) {
  SmallVector<IteratorType> iterators(dims.size(), IteratorType::parallel);
  for (int64_t axis : axes)
    iterators[axis] = IteratorType::reduction;
  SmallVector<AffineMap> maps(inputMaps);
  maps.push_back(dropAxesMap(b, dims.size(), axes));
  Value init = createFilled(b, lowering, dropAxes(dims, axes), neutral);
  return createGeneric(b, inputs, init, maps, iterators,
                       [&](Builder &inner, ValueRange args) {
                         return SmallVector<Value>{
                             combine(inner, args.back(), args.drop_back())};
                       })
      .front();
}

AffineMap selectDims(Builder &b, unsigned rank, ArrayRef<unsigned> dims) {
  return AffineMap::getMultiDimMapWithTargets(rank, dims, b.getContext());
}

AffineMap identityMap(Builder &b, unsigned rank) {
  return b.getMultiDimIdentityMap(rank);
}

SmallVector<Value> getLoopIndices(Builder &b, unsigned rank) {
  SmallVector<Value> indices;
  for (unsigned i = 0; i < rank; ++i)
    indices.push_back(b.create<linalg::IndexOp>(i));
  return indices;
}

Value extractScalar(Builder &b, Value tensor) {
  return b.create<tensor::ExtractOp>(tensor, ValueRange{});
}

SmallVector<Value> createLoops(
    Builder &b, ValueRange sizes, ValueRange inits,
    function_ref<SmallVector<Value>(Builder &, ValueRange, ValueRange)> body) {
  if (sizes.empty())
    return body(b, {}, inits);
  Value zero = constantIndex(b, 0), one = constantIndex(b, 1);
  SmallVector<Value> lows(sizes.size(), zero), steps(sizes.size(), one);
  scf::LoopNest nest = scf::buildLoopNest(
      b, b.getLoc(), lows, sizes, steps, inits,
      [&](OpBuilder &nested, Location loc, ValueRange indices,
          ValueRange carried) -> scf::ValueVector {
        Builder inner(loc, nested);
        SmallVector<Value> next = body(inner, indices, carried);
        return scf::ValueVector(next.begin(), next.end());
      });
  return SmallVector<Value>(nest.results);
}

} // namespace cuvil::lowering
