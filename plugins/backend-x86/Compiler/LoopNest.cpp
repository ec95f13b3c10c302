// SPDX-License-Identifier: Apache-2.0
// Reads loops and linear addresses off a linalg op on memrefs.
#include "LoopNest.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cuvil::x86;

OpFoldResult cuvil::x86::addSizes(OpBuilder &b, Location loc, OpFoldResult x,
                                  OpFoldResult y) {
  std::optional<int64_t> left = getConstantIntValue(x);
  std::optional<int64_t> right = getConstantIntValue(y);
  if (left && right)
    return b.getIndexAttr(*left + *right);
  if (left == 0)
    return y;
  if (right == 0)
    return x;
  return b.create<arith::AddIOp>(loc, getValueOrCreateConstantIndexOp(b, loc, x),
                                 getValueOrCreateConstantIndexOp(b, loc, y))
      .getResult();
}

OpFoldResult cuvil::x86::mulSizes(OpBuilder &b, Location loc, OpFoldResult x,
                                  OpFoldResult y) {
  std::optional<int64_t> left = getConstantIntValue(x);
  std::optional<int64_t> right = getConstantIntValue(y);
  if (left && right)
    return b.getIndexAttr(*left * *right);
  if (left == 0 || right == 0)
    return b.getIndexAttr(0);
  if (left == 1)
    return y;
  if (right == 1)
    return x;
  return b.create<arith::MulIOp>(loc, getValueOrCreateConstantIndexOp(b, loc, x),
                                 getValueOrCreateConstantIndexOp(b, loc, y))
      .getResult();
}

Type cuvil::x86::storageType(Type element) {
  if (element.isInteger(1))
    return IntegerType::get(element.getContext(), 8);
  if (element.isIndex())
    return IntegerType::get(element.getContext(), 64);
  return element;
}

bool LoopNest::irregularAlong(const NestAccess &access, unsigned loop) const {
  for (const auto &[expr, stride] : access.rest)
    for (auto [dim, dimLoop] : llvm::enumerate(loopOfDim))
      if (dimLoop == static_cast<int>(loop) && expr.isFunctionOfDim(dim))
        return true;
  return false;
}

std::optional<int64_t> NestAccess::strideAlong(unsigned loop) const {
  return getConstantIntValue(strides[loop]);
}

/// Splits `expr` into coefficients of dims and a constant.
static bool linearize(AffineExpr expr, int64_t scale,
                      SmallVectorImpl<int64_t> &coefficients,
                      int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    coefficients[dim.getPosition()] += scale;
    return true;
  }
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    constant += scale * value.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return false;
  if (expr.getKind() == AffineExprKind::Add)
    return linearize(binary.getLHS(), scale, coefficients, constant) &&
           linearize(binary.getRHS(), scale, coefficients, constant);
  auto factor = dyn_cast<AffineConstantExpr>(binary.getRHS());
  return expr.getKind() == AffineExprKind::Mul && factor &&
         linearize(binary.getLHS(), scale * factor.getValue(), coefficients,
                   constant);
}

LoopNest::LoopNest(OpBuilder &b, linalg::GenericOp op)
    : op(op), block(op.getBody()), loc(op.getLoc()) {
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  pinned.assign(iterators.size(), false);
  op.getBody()->walk(
      [&](linalg::IndexOp index) { pinned[index.getDim()] = true; });

  SmallVector<Range> ranges = 
      cast<linalg::LinalgOp>(op.getOperation()).createLoopRanges(b, loc);
  for (auto [range, iterator] : llvm::zip(ranges, iterators)) {
    if (getConstantIntValue(range.size) == 1) {
      loopOfDim.push_back(-1);
      continue;
    }
    loopOfDim.push_back(loops.size());
    loops.push_back(
        {range.size, iterator == utils::IteratorType::reduction});
  }
  for (OpOperand &operand : op->getOpOperands())
    addAccess(b, operand);
  mergeLoops();
}

void LoopNest::addAccess(OpBuilder &b, OpOperand &operand) {
  NestAccess access;
  access.isInit = op.isDpsInit(&operand);
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  if (!type) {
    access.scalar = operand.get();
    access.element = operand.get().getType();
    accesses.push_back(access);
    return;
  }
  access.element = type.getElementType();

  auto metadata = b.create<memref::ExtractStridedMetadataOp>(loc, operand.get());
  SmallVector<OpFoldResult> memrefStrides = metadata.getConstifiedMixedStrides();
  OpFoldResult offset = metadata.getConstifiedMixedOffset();
  access.strides.assign(loops.size(), b.getIndexAttr(0));
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (auto [expr, stride] : llvm::zip(map.getResults(), memrefStrides)) {
    SmallVector<int64_t> coefficients(map.getNumDims(), 0);
    int64_t constant = 0;
    if (!linearize(expr, 1, coefficients, constant)) {
      access.rest.push_back({expr, stride});
      for (unsigned dim = 0; dim < map.getNumDims(); ++dim)
        if (expr.isFunctionOfDim(dim))
          pinned[dim] = true;
      continue;
    }
    offset = addSizes(b, loc, offset,
                      mulSizes(b, loc, b.getIndexAttr(constant), stride));
    for (auto [dim, coefficient] : llvm::enumerate(coefficients))
      if (coefficient && loopOfDim[dim] >= 0) {
        OpFoldResult &sum = access.strides[loopOfDim[dim]];
        sum = addSizes(
            b, loc, sum,
            mulSizes(b, loc, b.getIndexAttr(coefficient), stride));
      }
  }

  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  Value base = b.create<memref::ExtractAlignedPointerAsIndexOp>(
      loc, operand.get());
  base = b.create<arith::IndexCastOp>(loc, b.getI64Type(), base);
  access.pointer = b.create<LLVM::IntToPtrOp>(loc, pointerType, base);
  if (getConstantIntValue(offset) != 0) {
    Value elements = b.create<arith::IndexCastOp>(
        loc, b.getI64Type(), getValueOrCreateConstantIndexOp(b, loc, offset));
    access.pointer =
        b.create<LLVM::GEPOp>(loc, pointerType, storageType(access.element),
                              access.pointer, elements);
  }
  accesses.push_back(access);
}

void LoopNest::mergeLoops() {
  SmallVector<bool> fixed(loops.size(), false);
  for (auto [dim, loop] : llvm::enumerate(loopOfDim))
    if (loop >= 0 && pinned[dim])
      fixed[loop] = true;
  // From the inside out, so that a merged loop can be merged again.
  for (int outer = static_cast<int>(loops.size()) - 2; outer >= 0; --outer) {
    int inner = outer + 1;
    std::optional<int64_t> outerSize = getConstantIntValue(loops[outer].size);
    std::optional<int64_t> innerSize = getConstantIntValue(loops[inner].size);
    bool merge = outerSize && innerSize && !fixed[outer] && !fixed[inner] &&
                 loops[outer].reduction == loops[inner].reduction;
    for (const NestAccess &access : accesses) {
      if (!merge || !access.isMemref())
        continue;
      std::optional<int64_t> outerStride = access.strideAlong(outer);
      std::optional<int64_t> innerStride = access.strideAlong(inner);
      merge = outerStride && innerStride &&
              *outerStride == *innerSize * *innerStride;
    }
    if (!merge)
      continue;
    Builder b(op.getContext());
    loops[inner].size = b.getIndexAttr(*outerSize * *innerSize);
    loops.erase(loops.begin() + outer);
    fixed.erase(fixed.begin() + outer);
    for (NestAccess &access : accesses)
      if (access.isMemref())
        access.strides.erase(access.strides.begin() + outer);
    for (int &loop : loopOfDim)
      if (loop > outer)
        --loop;
  }
}

bool LoopNest::hasReduction() const {
  return llvm::any_of(loops, [](const NestLoop &loop) { return loop.reduction; });
}

Value LoopNest::dimValue(OpBuilder &b, unsigned dim,
                         ArrayRef<Value> ivs) const {
  if (loopOfDim[dim] < 0)
    return b.create<arith::ConstantIndexOp>(loc, 0);
  return ivs[loopOfDim[dim]];
}

Value LoopNest::address(OpBuilder &b, const NestAccess &access,
                        ArrayRef<Value> ivs) const {
  OpFoldResult offset = b.getIndexAttr(0);
  for (auto [iv, stride] : llvm::zip(ivs, access.strides))
    offset = addSizes(b, loc, offset, mulSizes(b, loc, iv, stride));
  if (!access.rest.empty()) {
    SmallVector<Value> dims;
    for (unsigned dim = 0; dim < loopOfDim.size(); ++dim)
      dims.push_back(dimValue(b, dim, ivs));
    for (auto [expr, stride] : access.rest) {
      Value index = b.create<affine::AffineApplyOp>(
          loc, AffineMap::get(dims.size(), 0, expr), dims);
      offset = addSizes(b, loc, offset, mulSizes(b, loc, index, stride));
    }
  }
  if (getConstantIntValue(offset) == 0)
    return access.pointer;
  Value elements = b.create<arith::IndexCastOp>(
      loc, b.getI64Type(), getValueOrCreateConstantIndexOp(b, loc, offset));
  return b.create<LLVM::GEPOp>(loc, access.pointer.getType(),
                               storageType(access.element), access.pointer,
                               elements);
}
