// SPDX-License-Identifier: Apache-2.0
// Clones linalg bodies as scalar or vector code.
#include "LoopBody.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace cuvil::x86;

/// `if (condition) store`, the form in which kernels record run-time errors.
static bool isTrap(Operation &op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || branch.getNumResults() || branch.elseBlock())
    return false;
  return llvm::all_of(branch.thenBlock()->without_terminator(),
                      [&](Operation &inner) {
                        return isa<memref::StoreOp, arith::ConstantOp>(inner);
                      });
}

bool LoopBody::dependsOnVectorLoop(Operation &op) const {
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return nest.loopOf(index.getDim()) == vectorLoop;
  bool depends = false;
  op.walk([&](Operation *inner) {
    for (Value operand : inner->getOperands())
      depends |= !isUniform(operand);
    if (auto index = dyn_cast<linalg::IndexOp>(inner))
      depends |= nest.loopOf(index.getDim()) == vectorLoop;
  });
  return depends;
}

bool LoopBody::setVectorLoop(unsigned loop) {
  vectorLoop = loop;
  varying.clear();
  for (auto [access, argument] :
       llvm::zip(nest.accesses, nest.body().getArguments())) {
    if (access.isMemref() && nest.irregularAlong(access, loop))
      return false;
    if (access.isInit ||
        (access.isMemref() && access.strideAlong(loop) != 0))
      varying.insert(argument);
  }
  for (Operation &op : nest.body().without_terminator()) {
    bool depends = dependsOnVectorLoop(op);
    bool pure = isMemoryEffectFree(&op);
    if (!depends) {
      // Reads may move ahead of the loop: nothing the kernel writes is read
      // through another name.
      if (pure || isa<memref::LoadOp>(op) || isTrap(op))
        continue;
      return false;
    }
    for (Value result : op.getResults())
      varying.insert(result);
    bool known = isa<linalg::IndexOp, memref::LoadOp>(op) || isTrap(op) ||
                 (pure && op.getNumResults() == 1 &&
                  OpTrait::hasElementwiseMappableTraits(&op));
    if (!known)
      return false;
  }
  return true;
}

unsigned LoopBody::widestBits() const {
  unsigned bits = 8;
  auto add = [&](Type type) {
    if (type.isIntOrFloat())
      bits = std::max(bits, std::min(type.getIntOrFloatBitWidth(), 32u));
    else
      bits = 32;
  };
  for (const NestAccess &access : nest.accesses)
    add(access.element);
  for (Operation &op : nest.body().without_terminator())
    for (Value result : op.getResults())
      if (!isUniform(result))
        add(result.getType());
  return bits;
}

bool LoopBody::readsInit(unsigned position) const {
  unsigned first = 0;
  while (!nest.accesses[first].isInit)
    ++first;
  return !nest.body().getArgument(first + position).use_empty();
}

Value LoopBody::splat(OpBuilder &b, Value scalar, int64_t lanes) const {
  if (isa<VectorType>(scalar.getType()))
    return scalar;
  return b.create<vector::BroadcastOp>(
      scalar.getLoc(), VectorType::get({lanes}, scalar.getType()), scalar);
}

static Value fromStorage(OpBuilder &b, Value value, Type element) {
  Location loc = value.getLoc();
  if (element.isInteger(1)) {
    Value zero = b.create<arith::ConstantOp>(loc, b.getZeroAttr(value.getType()));
    return b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, value, zero);
  }
  if (element.isIndex()) {
    Type type = element;
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      type = vector.clone(element);
    return b.create<arith::IndexCastOp>(loc, type, value);
  }
  return value;
}

Value LoopBody::load(OpBuilder &b, const NestAccess &access,
                     ArrayRef<Value> ivs, int64_t lanes) const {
  if (!access.isMemref())
    return access.scalar;
  Value address = nest.address(b, access, ivs);
  Location loc = access.pointer.getLoc();
  Type storage = storageType(access.element);
  unsigned alignment = (storage.getIntOrFloatBitWidth() + 7) / 8;
  if (!lanes || access.strideAlong(vectorLoop) == 0) {
    Value scalar = b.create<LLVM::LoadOp>(loc, storage, address, alignment);
    return fromStorage(b, scalar, access.element);
  }
  auto type = VectorType::get({lanes}, storage);
  if (access.strideAlong(vectorLoop) == 1) {
    Value vector = b.create<LLVM::LoadOp>(loc, type, address, alignment);
    return fromStorage(b, vector, access.element);
  }
  Value vector = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    OpFoldResult offset = mulSizes(b, loc, b.getIndexAttr(lane),
                                   access.strides[vectorLoop]);
    Value elements = b.create<arith::IndexCastOp>(
        loc, b.getI64Type(), getValueOrCreateConstantIndexOp(b, loc, offset));
    Value at = b.create<LLVM::GEPOp>(loc, address.getType(), storage, address,
                                     elements);
    Value scalar = b.create<LLVM::LoadOp>(loc, storage, at, alignment);
    vector = b.create<vector::InsertOp>(loc, scalar, vector, lane);
  }
  return fromStorage(b, vector, access.element);
}

void LoopBody::store(OpBuilder &b, Value value, const NestAccess &access,
                     ArrayRef<Value> ivs) const {
  Location loc = access.pointer.getLoc();
  Type storage = storageType(access.element);
  Type type = storage;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(storage);
  if (access.element.isInteger(1))
    value = b.create<arith::ExtUIOp>(loc, type, value);
  else if (access.element.isIndex())
    value = b.create<arith::IndexCastOp>(loc, type, value);
  b.create<LLVM::StoreOp>(loc, value, nest.address(b, access, ivs),
                          (storage.getIntOrFloatBitWidth() + 7) / 8);
}

IRMapping LoopBody::cloneUniform(OpBuilder &b, ArrayRef<Value> ivs) const {
  IRMapping mapping;
  if (vectorLoop < 0)
    return mapping;
  for (auto [access, argument] :
       llvm::zip(nest.accesses, nest.body().getArguments()))
    if (isUniform(argument) && !argument.use_empty())
      mapping.map(argument, load(b, access, ivs, 0));
  for (Operation &op : nest.body().without_terminator()) {
    if (dependsOnVectorLoop(op))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(op))
      mapping.map(index.getResult(), nest.dimValue(b, index.getDim(), ivs));
    else
      b.clone(op, mapping);
  }
  return mapping;
}

SmallVector<Value> LoopBody::clone(OpBuilder &b, ArrayRef<Value> ivs,
                                   int64_t lanes, const IRMapping &uniform,
                                   ArrayRef<Value> inits) const {
  IRMapping mapping = uniform;
  size_t init = 0;
  for (auto [access, argument] :
       llvm::zip(nest.accesses, nest.body().getArguments())) {
    if (access.isInit) {
      if (Value value = inits[init++])
        mapping.map(argument, value);
    } else if (!mapping.contains(argument) && !argument.use_empty()) {
      mapping.map(argument, load(b, access, ivs, lanes));
    }
  }
  for (Operation &op : nest.body().without_terminator()) {
    // Results of an op that is done already; traps have none, so they are
    // told apart by what they depend on.
    if (vectorLoop >= 0 && !dependsOnVectorLoop(op))
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      Value value = nest.dimValue(b, index.getDim(), ivs);
      if (lanes) {
        SmallVector<Attribute> steps;
        for (int64_t lane = 0; lane < lanes; ++lane)
          steps.push_back(b.getIndexAttr(lane));
        Value offsets = b.create<arith::ConstantOp>(
            op.getLoc(),
            DenseElementsAttr::get(VectorType::get({lanes}, b.getIndexType()),
                                   steps));
        value = b.create<arith::AddIOp>(op.getLoc(), splat(b, value, lanes),
                                        offsets);
      }
      mapping.map(index.getResult(), value);
    } else if (lanes) {
      cloneVarying(b, op, ivs, lanes, mapping);
    } else {
      Operation *copy = b.clone(op, mapping);
      copy->walk([&](linalg::IndexOp index) {
        OpBuilder inner(index);
        index.replaceAllUsesWith(nest.dimValue(inner, index.getDim(), ivs));
        index.erase();
      });
    }
  }
  SmallVector<Value> results;
  for (Value value : nest.body().getTerminator()->getOperands()) {
    Value result = mapping.lookupOrDefault(value);
    results.push_back(lanes ? splat(b, result, lanes) : result);
  }
  return results;
}

void LoopBody::cloneVarying(OpBuilder &b, Operation &op, ArrayRef<Value> ivs,
                            int64_t lanes, IRMapping &mapping) const {
  Location loc = op.getLoc();
  if (isa<memref::LoadOp>(op)) {
    mapping.map(op.getResult(0), cloneGather(b, op, ivs, lanes, mapping));
    return;
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    Value condition = mapping.lookupOrDefault(branch.getCondition());
    if (isa<VectorType>(condition.getType()))
      condition = b.create<vector::ReductionOp>(
          loc, vector::CombiningKind::OR, condition);
    IRMapping inner = mapping;
    inner.map(branch.getCondition(), condition);
    b.clone(op, inner);
    return;
  }
  IRMapping operands;
  for (Value operand : op.getOperands())
    operands.map(operand, splat(b, mapping.lookupOrDefault(operand), lanes));
  Operation *copy = b.clone(op, operands);
  Value result = copy->getResult(0);
  result.setType(VectorType::get({lanes}, result.getType()));
  mapping.map(op.getResult(0), result);
}

Value LoopBody::cloneGather(OpBuilder &b, Operation &op, ArrayRef<Value> ivs,
                            int64_t lanes, IRMapping &mapping) const {
  auto loadOp = cast<memref::LoadOp>(op);
  Location loc = op.getLoc();
  MemRefType source = loadOp.getMemRefType();
  auto type = VectorType::get({lanes}, source.getElementType());

  // A run along the last dim, as in a gather of whole rows.
  auto indices = loadOp.getIndices();
  if (!indices.empty() && !source.getElementType().isInteger(1) &&
      llvm::all_of(indices.drop_back(),
                   [&](Value index) { return isUniform(index); })) {
    auto last = indices.back().getDefiningOp<linalg::IndexOp>();
    SmallVector<int64_t> strides;
    int64_t offset;
    if (last && nest.loopOf(last.getDim()) == vectorLoop &&
        succeeded(getStridesAndOffset(source, strides, offset)) &&
        strides.back() == 1) {
      SmallVector<Value> at;
      for (Value index : indices.drop_back())
        at.push_back(mapping.lookupOrDefault(index));
      at.push_back(nest.dimValue(b, last.getDim(), ivs));
      return b.create<vector::LoadOp>(loc, type, loadOp.getMemRef(), at);
    }
  }

  Value vector = b.create<arith::ConstantOp>(loc, b.getZeroAttr(type));
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> at;
    for (Value index : indices) {
      Value value = mapping.lookupOrDefault(index);
      if (isa<VectorType>(value.getType()))
        value = b.create<vector::ExtractOp>(loc, value, lane);
      at.push_back(value);
    }
    Value scalar = b.create<memref::LoadOp>(loc, loadOp.getMemRef(), at);
    vector = b.create<vector::InsertOp>(loc, scalar, vector, lane);
  }
  return vector;
}
