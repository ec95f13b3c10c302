// SPDX-License-Identifier: Apache-2.0
// Writes the prologue and the return of a kernel function.
#include "KernelFrame.h"

#include "cuvil/plugin.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace cuvil;
using namespace cuvil::x86;

static constexpr StringLiteral kSizeAttr = "cuvil.size";

KernelFrame::KernelFrame(ModuleOp module, StringRef name, Location loc)
    : loc(loc) {
  MLIRContext *context = module.getContext();
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  Type i32 = IntegerType::get(context, 32);
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  func = b.create<func::FuncOp>(
      loc, name, FunctionType::get(context, {pointer, i64, i64}, {i32}));
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  statusCell = b.create<memref::AllocaOp>(loc, MemRefType::get({1}, i32));
  Value first = b.create<arith::ConstantIndexOp>(loc, 0);
  Value ok = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(CUVIL_OK));
  prologueEnd = b.create<memref::StoreOp>(loc, ok, statusCell, first);
  Value result = b.create<memref::LoadOp>(loc, statusCell, first);
  b.create<func::ReturnOp>(loc, result);
}

OpBuilder KernelFrame::bodyBuilder() {
  Operation *result = func.front().getTerminator()->getPrevNode();
  return OpBuilder(result);
}

OpBuilder KernelFrame::prologue() { return OpBuilder(prologueEnd); }

Value KernelFrame::loadArgument(int64_t byteOffset, Type type) {
  OpBuilder b = prologue();
  Value at = b.create<LLVM::GEPOp>(
      loc, func.getArgument(0).getType(), b.getI8Type(), func.getArgument(0),
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(byteOffset)});
  return b.create<LLVM::LoadOp>(loc, type, at);
}

Value KernelFrame::buffer(unsigned index) {
  Type pointer = func.getArgument(0).getType();
  if (!buffersPointer)
    buffersPointer =
        loadArgument(offsetof(cuvil_kernel_args, buffers), pointer);
  OpBuilder b = prologue();
  Value at = b.create<LLVM::GEPOp>(
      loc, pointer, pointer, buffersPointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  return b.create<LLVM::LoadOp>(loc, pointer, at);
}

Value KernelFrame::scratch() {
  return loadArgument(offsetof(cuvil_kernel_args, scratch),
                      func.getArgument(0).getType());
}

DimExpr KernelFrame::sizeExpr(Value value) {
  Operation *op = value.getDefiningOp();
  return op ? op->getAttrOfType<DimExpr>(kSizeAttr) : DimExpr();
}

Value KernelFrame::sizeOf(Value memref, int64_t axis) {
  auto cast = memref.getDefiningOp<UnrealizedConversionCastOp>();
  if (!cast || cast.getNumOperands() != 1)
    return {};
  Value descriptor = cast.getOperand(0);
  while (auto insert = descriptor.getDefiningOp<LLVM::InsertValueOp>()) {
    if (insert.getPosition() == ArrayRef<int64_t>{3, axis})
      return insert.getValue();
    descriptor = insert.getContainer();
  }
  return {};
}

Value KernelFrame::size(DimExpr expr) {
  OpBuilder b = prologue();
  if (std::optional<int64_t> constant = expr.getConstant())
    return b.create<arith::ConstantIndexOp>(loc, *constant);
  for (Operation &op : func.front()) {
    if (&op == prologueEnd)
      break;
    if (isa<arith::IndexCastOp>(op) && op.getAttr(kSizeAttr) == expr)
      return op.getResult(0);
  }
  auto known = llvm::find(sizeExprs, expr);
  int32_t index = known - sizeExprs.begin();
  if (known == sizeExprs.end())
    sizeExprs.push_back(expr);
  Type pointer = func.getArgument(0).getType();
  Value sizes = loadArgument(offsetof(cuvil_kernel_args, sizes), pointer);
  Value at = b.create<LLVM::GEPOp>(loc, pointer, b.getI64Type(), sizes,
                                   ArrayRef<LLVM::GEPArg>{index});
  auto loaded = b.create<LLVM::LoadOp>(loc, b.getI64Type(), at);
  auto cast = b.create<arith::IndexCastOp>(loc, b.getIndexType(), loaded);
  // A cast back folds to what was loaded.
  loaded->setAttr(kSizeAttr, expr);
  cast->setAttr(kSizeAttr, expr);
  return cast;
}

Value KernelFrame::makeMemref(OpBuilder &b, Location loc, Value pointer,
                              MemRefType type, ValueRange dynamic) {
  Type i64 = b.getI64Type();
  int64_t rank = type.getRank();
  SmallVector<Type> fields{pointer.getType(), pointer.getType(), i64};
  if (rank)
    fields.append(2, LLVM::LLVMArrayType::get(i64, rank));
  Value descriptor = b.create<LLVM::UndefOp>(
      loc, LLVM::LLVMStructType::getLiteral(b.getContext(), fields));
  auto insert = [&](Value value, ArrayRef<int64_t> position) {
    descriptor =
        b.create<LLVM::InsertValueOp>(loc, descriptor, value, position);
  };
  auto constant = [&](int64_t value) -> Value {
    return b.create<LLVM::ConstantOp>(loc, i64, b.getI64IntegerAttr(value));
  };
  insert(pointer, {0});
  insert(pointer, {1});
  insert(constant(0), {2});
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < rank; ++dim) {
    if (!type.isDynamicDim(dim)) {
      sizes.push_back(constant(type.getDimSize(dim)));
      continue;
    }
    sizes.push_back(b.create<arith::IndexCastOp>(loc, i64, dynamic.front()));
    dynamic = dynamic.drop_front();
  }
  Value stride = constant(1);
  int64_t known = 1;
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    insert(sizes[dim], {3, dim});
    insert(stride, {4, dim});
    if (known >= 0 && !type.isDynamicDim(dim)) {
      known *= type.getDimSize(dim);
      stride = constant(known);
    } else {
      known = -1;
      stride = b.create<LLVM::MulOp>(loc, stride, sizes[dim]);
    }
  }
  return b.create<UnrealizedConversionCastOp>(loc, type, descriptor)
      .getResult(0);
}

Value KernelFrame::bufferMemref(unsigned index, ArrayRef<DimExpr> dims,
                                Type element) {
  Value pointer = buffer(index);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  for (DimExpr dim : dims) {
    std::optional<int64_t> constant = dim.getConstant();
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    if (!constant)
      dynamic.push_back(size(dim));
  }
  OpBuilder b = prologue();
  return makeMemref(b, loc, pointer, MemRefType::get(shape, element), dynamic);
}
