// SPDX-License-Identifier: Apache-2.0
// Bounds the sizes of temporary buffers and gives them fixed offsets.
#include "KernelScratch.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cuvil;
using namespace cuvil::x86;

/// Buffers of at most this size go on the stack, as long as all of them
/// together take no more than the limit.
static constexpr int64_t kStackBuffer = 16 << 10;
static constexpr int64_t kStackLimit = 64 << 10;
static constexpr int64_t kAlignment = 64;

/// The value of an affine expression over bounded operands. All of `operands`
/// that occur must be bounded, and only sums and products are monotonic.
static DimExpr evaluate(AffineExpr expr, ArrayRef<DimExpr> operands,
                        unsigned numDims, MLIRContext *context) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return DimExpr::constant(context, constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  DimExpr left = evaluate(binary.getLHS(), operands, numDims, context);
  DimExpr right = evaluate(binary.getRHS(), operands, numDims, context);
  if (!left || !right)
    return {};
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    // A negative factor would turn an upper bound into a lower one.
    if (right.getLowerBound().value_or(-1) < 0)
      return {};
    return left * right;
  case AffineExprKind::FloorDiv:
    return left.floorDiv(right);
  case AffineExprKind::CeilDiv:
    return left.ceilDiv(right);
  default:
    return {};
  }
}

DimExpr cuvil::x86::upperBound(Value value) {
  MLIRContext *context = value.getContext();
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return DimExpr::constant(context, *constant);
  if (DimExpr size = KernelFrame::sizeExpr(value))
    return size;
  Operation *op = value.getDefiningOp();
  if (!op)
    return {};
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return upperBound(cast.getIn());
  if (auto dim = dyn_cast<memref::DimOp>(op)) {
    std::optional<int64_t> axis = dim.getConstantIndex();
    Value size = axis ? KernelFrame::sizeOf(dim.getSource(), *axis) : Value();
    return size ? upperBound(size) : DimExpr();
  }
  SmallVector<DimExpr> operands;
  for (Value operand : op->getOperands())
    operands.push_back(operand.getType().isIndex() ? upperBound(operand)
                                                   : DimExpr());
  if (auto min = dyn_cast<affine::AffineMinOp>(op)) {
    AffineMap map = min.getMap();
    for (AffineExpr expr : map.getResults())
      if (DimExpr bound = evaluate(expr, operands, map.getNumDims(), context))
        return bound;
    return {};
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    AffineMap map = apply.getMap();
    return evaluate(map.getResult(0), operands, map.getNumDims(), context);
  }
  if (isa<arith::MinSIOp, arith::MinUIOp>(op))
    return operands[0] ? operands[0] : operands[1];
  bool bothKnown = operands.size() == 2 && operands[0] && operands[1];
  if (bothKnown && isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return operands[0].max(operands[1]);
  if (bothKnown && isa<arith::AddIOp>(op))
    return operands[0] + operands[1];
  if (bothKnown && isa<arith::MulIOp>(op))
    return operands[0] * operands[1];
  return {};
}

FailureOr<DimExpr> cuvil::x86::placeBuffers(KernelFrame &frame) {
  func::FuncOp function = frame.function();
  MLIRContext *context = function.getContext();
  SmallVector<memref::AllocOp> allocs;
  function.walk([&](memref::AllocOp alloc) { allocs.push_back(alloc); });

  DimExpr offset = DimExpr::constant(context, 0);
  int64_t stack = 0;
  Value scratch;
  for (memref::AllocOp alloc : allocs) {
    MemRefType type = alloc.getType();
    Type element = type.getElementType();
    int64_t elementBytes =
        element.isIndex() ? 8 : (element.getIntOrFloatBitWidth() + 7) / 8;
    OpBuilder b(alloc);
    if (type.hasStaticShape() &&
        type.getNumElements() * elementBytes <= kStackBuffer &&
        stack + type.getNumElements() * elementBytes <= kStackLimit) {
      stack += type.getNumElements() * elementBytes;
      b.setInsertionPointToStart(&function.front());
      Value cell = b.create<memref::AllocaOp>(alloc.getLoc(), type,
                                              b.getI64IntegerAttr(kAlignment));
      alloc.replaceAllUsesWith(cell);
      alloc.erase();
      continue;
    }
    if (!type.getLayout().isIdentity())
      return alloc.emitError("has a layout that a kernel can't place");
    DimExpr bytes = DimExpr::constant(context, elementBytes);
    auto dynamic = alloc.getDynamicSizes().begin();
    for (int64_t size : type.getShape()) {
      DimExpr bound = ShapedType::isDynamic(size)
                          ? upperBound(*dynamic++)
                          : DimExpr::constant(context, size);
      if (!bound)
        return alloc.emitError("has a size that nothing bounds");
      bytes = bytes * bound;
    }
    if (!scratch)
      scratch = frame.scratch();
    Value start = b.create<arith::IndexCastOp>(alloc.getLoc(), b.getI64Type(),
                                               frame.size(offset));
    Value pointer = b.create<LLVM::GEPOp>(alloc.getLoc(), scratch.getType(),
                                          b.getI8Type(), scratch, start);
    Value memref = KernelFrame::makeMemref(b, alloc.getLoc(), pointer, type,
                                           alloc.getDynamicSizes());
    alloc.replaceAllUsesWith(memref);
    alloc.erase();
    DimExpr unit = DimExpr::constant(context, kAlignment);
    offset = offset + bytes.ceilDiv(unit) * unit;
  }
  return offset.isConstant(0) ? DimExpr() : offset;
}
