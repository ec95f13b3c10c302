// SPDX-License-Identifier: Apache-2.0
// Emits contiguous, deinterleaving and gathering row reads.
#include "StridedRows.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace cuvil::x86;

static Value constantVector(KernelBuilder &kb, int64_t step) {
  SmallVector<int32_t> lanes(kb.lanes());
  for (int64_t lane = 0; lane < kb.lanes(); ++lane)
    lanes[lane] = lane * step;
  return kb.builder().create<arith::ConstantOp>(
      kb.loc(), kb.builder().getI32VectorAttr(lanes));
}

StridedReader::StridedReader(KernelBuilder &kb, Value first, Value width,
                             int64_t stride)
    : kb(&kb), first(first), stride(stride) {
  OpBuilder &b = kb.builder();
  auto splat = [&](Value value) {
    return kb.splat(
        b.createOrFold<arith::TruncIOp>(kb.loc(), b.getI32Type(), value));
  };
  // Strides 1 and 2 read one and two adjacent vectors, others gather.
  int64_t vectors = stride == 2 ? 2 : 1;
  int64_t laneStep = stride <= 2 ? 1 : stride;
  Value iota = constantVector(kb, laneStep);
  Value zero = splat(kb.index(0)), limit = splat(width);
  for (int64_t v = 0; v < vectors; ++v) {
    Value position = b.create<arith::AddIOp>(
        kb.loc(), iota, splat(kb.add(first, v * kb.lanes())));
    Value low = b.create<arith::CmpIOp>(kb.loc(), arith::CmpIPredicate::sge,
                                        position, zero);
    Value high = b.create<arith::CmpIOp>(kb.loc(), arith::CmpIPredicate::slt,
                                         position, limit);
    masks.push_back(kb.maskAnd(low, high));
  }
}

StridedReader StridedReader::onlyIf(Value valid) const {
  StridedReader result = *this;
  if (KernelBuilder::isConstant(valid, 1))
    return result;
  for (Value &mask : result.masks)
    mask = kb->maskAnd(mask, kb->splat(valid));
  return result;
}

StridedReader StridedReader::unmasked() const {
  StridedReader result = *this;
  for (Value &mask : result.masks)
    mask = Value();
  return result;
}

Value StridedReader::load(Value row) const {
  OpBuilder &b = kb->builder();
  Value start = kb->at(row, first);
  if (stride == 1)
    return kb->loadVector(start, masks[0]);
  if (stride == 2) {
    SmallVector<int64_t> even;
    for (int64_t lane = 0; lane < kb->lanes(); ++lane)
      even.push_back(2 * lane);
    Value low = kb->loadVector(start, masks[0]);
    Value high = kb->loadVector(kb->at(start, kb->lanes()), masks[1]);
    return b.create<vector::ShuffleOp>(kb->loc(), low, high, even);
  }
  Value mask = masks[0];
  if (!mask)
    mask = b.create<arith::ConstantOp>(
        kb->loc(), DenseElementsAttr::get(
                       VectorType::get({kb->lanes()}, b.getI1Type()), true));
  Value pointers = b.create<LLVM::GEPOp>(
      kb->loc(),
      LLVM::getFixedVectorType(LLVM::LLVMPointerType::get(b.getContext()),
                               kb->lanes()),
      kb->element(), start,
      ArrayRef<LLVM::GEPArg>{constantVector(*kb, stride)});
  return b.create<LLVM::masked_gather>(
      kb->loc(), kb->vectorType(), pointers, mask, ValueRange{kb->zeroVector()},
      b.getI32IntegerAttr(kb->element().getIntOrFloatBitWidth() / 8));
}
