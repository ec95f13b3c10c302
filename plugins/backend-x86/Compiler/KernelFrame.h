// SPDX-License-Identifier: Apache-2.0
// The function of a native kernel: its arguments, sizes, buffers and status.
#ifndef CUVIL_BACKEND_X86_KERNELFRAME_H
#define CUVIL_BACKEND_X86_KERNELFRAME_H

#include "cuvil/Conversion/CuvilToLinalg.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace cuvil::x86 {

/// Builds `i32 name(const cuvil_kernel_args *, i64 begin, i64 end)` in
/// `module`. Values of the prologue dominate all that is built in the body.
class KernelFrame {
public:
  KernelFrame(mlir::ModuleOp module, llvm::StringRef name, mlir::Location loc);

  mlir::func::FuncOp function() const { return func; }
  /// Places a builder at the end of the prologue.
  mlir::OpBuilder prologue();
  /// Places a builder at the end of the body, before the return.
  mlir::OpBuilder bodyBuilder();

  /// Tile range as i64.
  mlir::Value tileBegin() { return func.getArgument(1); }
  mlir::Value tileEnd() { return func.getArgument(2); }
  /// The pointer args->buffers[index].
  mlir::Value buffer(unsigned index);
  mlir::Value scratch();
  /// An index value: a constant, or an entry of args->sizes.
  mlir::Value size(DimExpr expr);
  /// The expression of a value that `size` gave, also after rewrites; null for
  /// others.
  static DimExpr sizeExpr(mlir::Value value);
  /// The size along `axis` that makeMemref was given, as an integer; null for
  /// memrefs from elsewhere.
  static mlir::Value sizeOf(mlir::Value memref, int64_t axis);
  /// The size expressions asked for, in the order of args->sizes.
  llvm::ArrayRef<DimExpr> sizes() const { return sizeExprs; }
  /// Where a run-time error is recorded: memref<1xi32>, 0 at entry.
  mlir::Value status() const { return statusCell; }

  /// A row-major memref over `pointer`; `dynamic` are its dynamic sizes.
  static mlir::Value makeMemref(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::Value pointer, mlir::MemRefType type,
                                mlir::ValueRange dynamic);
  /// The memref of a buffer of these dims.
  mlir::Value bufferMemref(unsigned index, llvm::ArrayRef<DimExpr> dims,
                           mlir::Type element);

private:
  mlir::Value loadArgument(int64_t byteOffset, mlir::Type type);

  mlir::func::FuncOp func;
  mlir::Location loc;
  mlir::Operation *prologueEnd;
  mlir::Value statusCell;
  mlir::Value buffersPointer, sizesPointer;
  llvm::SmallVector<DimExpr> sizeExprs;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_KERNELFRAME_H
