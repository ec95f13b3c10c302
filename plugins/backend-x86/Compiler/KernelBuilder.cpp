// SPDX-License-Identifier: Apache-2.0
// Implements the kernel writing helpers on MLIR's builtin dialects.
#include "KernelBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <numeric>

using namespace mlir;
using namespace cuvil::x86;

KernelBuilder::KernelBuilder(OpBuilder &builder, Location loc,
                             const CpuTarget &target, Type element)
    : b(builder), location(loc), cpu(target), elementType(element),
      laneCount(target.lanes(element.getIntOrFloatBitWidth())) {}

VectorType KernelBuilder::vectorType() const {
  return VectorType::get({laneCount}, elementType);
}

Value KernelBuilder::index(int64_t value) {
  return b.create<arith::ConstantOp>(location, b.getI64IntegerAttr(value));
}

std::optional<int64_t> KernelBuilder::constant(Value value) {
  APInt found;
  if (value && matchPattern(value, m_ConstantInt(&found)))
    return found.getSExtValue();
  return std::nullopt;
}

bool KernelBuilder::isConstant(Value value, int64_t wanted) {
  return constant(value) == wanted;
}

Value KernelBuilder::add(Value x, Value y) {
  return b.createOrFold<arith::AddIOp>(location, x, y);
}
Value KernelBuilder::sub(Value x, Value y) {
  return b.createOrFold<arith::SubIOp>(location, x, y);
}
Value KernelBuilder::mul(Value x, Value y) {
  return b.createOrFold<arith::MulIOp>(location, x, y);
}
Value KernelBuilder::div(Value x, Value y) {
  return b.createOrFold<arith::DivUIOp>(location, x, y);
}
Value KernelBuilder::rem(Value x, Value y) {
  if (isConstant(y, 1))
    return index(0);
  return b.createOrFold<arith::RemUIOp>(location, x, y);
}
Value KernelBuilder::ceilDiv(Value x, int64_t y) {
  return div(add(x, y - 1), index(y));
}
Value KernelBuilder::min(Value x, Value y) {
  return b.createOrFold<arith::MinSIOp>(location, x, y);
}
Value KernelBuilder::max(Value x, Value y) {
  return b.createOrFold<arith::MaxSIOp>(location, x, y);
}
Value KernelBuilder::less(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(location, arith::CmpIPredicate::slt, x,
                                       y);
}
Value KernelBuilder::equal(Value x, Value y) {
  return b.createOrFold<arith::CmpIOp>(location, arith::CmpIPredicate::eq, x,
                                       y);
}
Value KernelBuilder::select(Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(location, condition, x, y);
}

Value KernelBuilder::zeroVector() {
  return b.create<arith::ConstantOp>(location, b.getZeroAttr(vectorType()));
}
Value KernelBuilder::splat(Value scalar) {
  auto type = VectorType::get({laneCount}, scalar.getType());
  return b.create<vector::BroadcastOp>(location, type, scalar);
}

Value KernelBuilder::mulAdd(Value x, Value y, Value acc) {
  if (cpu.hasFma)
    return b.create<LLVM::FMAOp>(location, acc.getType(), x, y, acc);
  Value product = b.create<arith::MulFOp>(location, x, y);
  return b.create<arith::AddFOp>(location, product, acc);
}

Value KernelBuilder::maskBelow(Value count, int64_t width) {
  if (width == 0)
    width = laneCount;
  SmallVector<int32_t> lanes(width);
  std::iota(lanes.begin(), lanes.end(), 0);
  Value iota = b.create<arith::ConstantOp>(location, b.getI32VectorAttr(lanes));
  // Clamping first keeps the comparison in 32 bits.
  Value bounded = max(min(count, index(width)), index(0));
  Value narrow =
      b.createOrFold<arith::TruncIOp>(location, b.getI32Type(), bounded);
  Value limit = b.create<vector::BroadcastOp>(location, iota.getType(), narrow);
  return b.create<arith::CmpIOp>(location, arith::CmpIPredicate::slt, iota,
                                 limit);
}

Value KernelBuilder::maskAnd(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return b.create<arith::AndIOp>(location, x, y);
}

Value KernelBuilder::at(Value pointer, Value offset, Type type) {
  if (std::optional<int64_t> known = constant(offset))
    return at(pointer, *known, type);
  return b.create<LLVM::GEPOp>(location, pointer.getType(),
                               type ? type : elementType, pointer,
                               ArrayRef<LLVM::GEPArg>{offset},
                               /*inbounds=*/true);
}

Value KernelBuilder::at(Value pointer, int64_t offset, Type type) {
  if (offset == 0)
    return pointer;
  LLVM::GEPArg arg(0);
  if (llvm::isInt<29>(offset))
    arg = LLVM::GEPArg(int32_t(offset));
  else
    arg = LLVM::GEPArg(index(offset));
  return b.create<LLVM::GEPOp>(location, pointer.getType(),
                               type ? type : elementType, pointer,
                               ArrayRef<LLVM::GEPArg>{arg}, /*inbounds=*/true);
}

static unsigned elementBytes(Type type) {
  return (getElementTypeOrSelf(type).getIntOrFloatBitWidth() + 7) / 8;
}

Value KernelBuilder::load(Value pointer) {
  return b.create<LLVM::LoadOp>(location, elementType, pointer);
}

Value KernelBuilder::loadVector(Value pointer, Value mask, Type type) {
  if (!type)
    type = vectorType();
  if (!mask)
    return b.create<LLVM::LoadOp>(location, type, pointer, elementBytes(type));
  Value zero = b.create<arith::ConstantOp>(location, b.getZeroAttr(type));
  return b.create<LLVM::MaskedLoadOp>(location, type, pointer, mask,
                                      ValueRange{zero},
                                      b.getI32IntegerAttr(elementBytes(type)));
}

void KernelBuilder::store(Value value, Value pointer, Value mask) {
  unsigned alignment = elementBytes(value.getType());
  if (mask)
    b.create<LLVM::MaskedStoreOp>(location, value, pointer, mask,
                                  b.getI32IntegerAttr(alignment));
  else
    b.create<LLVM::StoreOp>(location, value, pointer, alignment);
}

void KernelBuilder::prefetch(Value pointer) {
  b.create<LLVM::Prefetch>(location, pointer, b.getI32IntegerAttr(0),
                           b.getI32IntegerAttr(3), b.getI32IntegerAttr(1));
}

Value KernelBuilder::stack(int64_t elements) {
  OpBuilder::InsertionGuard guard(b);
  Operation *parent = b.getInsertionBlock()->getParentOp();
  while (!isa<FunctionOpInterface>(parent))
    parent = parent->getParentOp();
  b.setInsertionPointToStart(
      &cast<FunctionOpInterface>(parent).getFunctionBody().front());
  return b.create<LLVM::AllocaOp>(
      location, LLVM::LLVMPointerType::get(b.getContext()), elementType,
      index(elements), /*alignment=*/64);
}

void KernelBuilder::loop(Value from, Value to, int64_t step,
                         const LoopBody &body) {
  loop(from, to, step, ValueRange{}, [&](Value iv, ValueRange) {
    body(iv);
    return SmallVector<Value>();
  });
}

SmallVector<Value> KernelBuilder::loop(Value from, Value to, int64_t step,
                                       ValueRange carried,
                                       const CarriedBody &body) {
  std::optional<int64_t> first = constant(from), last = constant(to);
  if (first && last) {
    if (*first >= *last)
      return SmallVector<Value>(carried);
    if (*first + step >= *last)
      return body(from, carried);
  }
  auto forOp = b.create<scf::ForOp>(location, from, to, index(step), carried);
  OpBuilder::InsertionGuard guard(b);
  Block *block = forOp.getBody();
  if (carried.empty())
    block->getTerminator()->erase();
  b.setInsertionPointToEnd(block);
  SmallVector<Value> results =
      body(forOp.getInductionVar(), forOp.getRegionIterArgs());
  b.create<scf::YieldOp>(location, results);
  return SmallVector<Value>(forOp.getResults());
}

void KernelBuilder::ifThen(Value condition, const std::function<void()> &then,
                           const std::function<void()> &otherwise) {
  if (isConstant(condition, 0)) {
    if (otherwise)
      otherwise();
    return;
  }
  if (constant(condition)) {
    then();
    return;
  }
  auto ifOp = b.create<scf::IfOp>(location, condition, bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  then();
  if (otherwise) {
    b.setInsertionPointToStart(ifOp.elseBlock());
    otherwise();
  }
}

SmallVector<Value>
KernelBuilder::ifElse(Value condition,
                      const std::function<SmallVector<Value>()> &then,
                      const std::function<SmallVector<Value>()> &otherwise) {
  if (constant(condition))
    return isConstant(condition, 0) ? otherwise() : then();
  auto branch = [&](const std::function<SmallVector<Value>()> &body) {
    return [&](OpBuilder &, Location) {
      b.create<scf::YieldOp>(location, body());
    };
  };
  // Inside this call `b` itself is the builder of the branches.
  auto ifOp =
      b.create<scf::IfOp>(location, condition, branch(then), branch(otherwise));
  return SmallVector<Value>(ifOp.getResults());
}
