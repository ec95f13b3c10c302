// SPDX-License-Identifier: Apache-2.0
// Writes buffers and steps through the ABI's program builder.
#ifndef CUVIL_LIB_PIPELINE_PROGRAMWRITER_H
#define CUVIL_LIB_PIPELINE_PROGRAMWRITER_H

#include "cuvil/Pipeline/ProgramPlanner.h"
#include "cuvil/Runtime/Constant.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include <map>
#include <set>

namespace cuvil {

/// One program under construction; symbols are numbered by first use.
class ProgramWriter {
public:
  /// Declares the symbols that the function's arguments bind.
  explicit ProgramWriter(mlir::func::FuncOp function);
  ~ProgramWriter();

  uint32_t addBuffer(int32_t kind, cuvil_dtype dtype, llvm::ArrayRef<DimExpr> dims, int64_t index,
                     const std::string &name = "");
  uint32_t addConstant(Constant *constant);
  uint32_t addBlock();
  bool isResult(uint32_t buffer) const { return results.contains(buffer); }
  /// Whether dims or attributes of a region mention symbols.
  bool usesSymbols(FusionOp op) const;

  mlir::LogicalResult addCall(uint32_t block, const PlannedCall &call,
                              llvm::ArrayRef<uint32_t> buffers, FusionOp op);
  /// COPY or ALIAS.
  mlir::LogicalResult addMove(uint32_t block, int32_t kind, uint32_t from, uint32_t to,
                              mlir::Location loc);
  mlir::LogicalResult addMove(uint32_t block, int32_t kind, uint32_t from, uint32_t to,
                              mlir::Operation *op) {
    return addMove(block, kind, from, to, op->getLoc());
  }
  mlir::LogicalResult addAssign(uint32_t block,
                                llvm::ArrayRef<std::pair<llvm::StringRef, DimExpr>> assignments,
                                mlir::Location loc);
  mlir::LogicalResult addBind(uint32_t block, uint32_t buffer, SymBindOp op);
  mlir::LogicalResult addAssert(uint32_t block, AssertOp op);
  /// Once per block and relation.
  mlir::LogicalResult addCheck(uint32_t block, const DimCheck &check, mlir::Operation *op);
  mlir::LogicalResult addControl(uint32_t block, int32_t kind, uint32_t condition,
                                 const uint32_t (&blocks)[2], mlir::Operation *op);
  mlir::LogicalResult addInvoke(uint32_t block, cuvil_executable *executable,
                                llvm::ArrayRef<uint32_t> buffers, unsigned numWrites,
                                mlir::Operation *op);
  /// Gives the finished program away.
  cuvil_program *take();

private:
  /// Postfix code that lives as long as the writer.
  cuvil_expr getExpr(DimExpr expr);
  uint32_t getSymbol(llvm::StringRef name);
  mlir::LogicalResult addStep(uint32_t block, cuvil_step_desc &step, mlir::Location loc);

  const cuvil_program_api &api;
  cuvil_program *program;
  llvm::MapVector<llvm::StringRef, uint32_t> symbols;
  /// Node-based, so that handed-out code stays where it is.
  std::map<const void *, llvm::SmallVector<int64_t>> code;
  llvm::StringMap<uint32_t> kernels;
  llvm::DenseSet<uint32_t> results;
  std::set<std::tuple<uint32_t, int, const void *, const void *>> checked;
};

} // namespace cuvil

#endif // CUVIL_LIB_PIPELINE_PROGRAMWRITER_H
