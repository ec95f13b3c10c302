// SPDX-License-Identifier: Apache-2.0
// State of the C graph builder.
#ifndef CUVIL_LIB_GRAPH_BUILDER_H
#define CUVIL_LIB_GRAPH_BUILDER_H

#include "cuvil/Graph/Graph.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

/// Builds one function, op by op, and the regions of control flow inside it.
struct cuvil_builder_t {
  explicit cuvil_builder_t(cuvil_ir_t &ir, const cuvil_options *options);

  cuvil_ir_t &ir;
  mlir::MLIRContext *context;
  mlir::OpBuilder builder;
  mlir::Location loc;
  cuvil::DimContext dims;
  mlir::func::FuncOp function;
  llvm::SmallVector<mlir::Value> outputs;
  llvm::SmallVector<std::string> outputNames;
  llvm::StringMap<std::string> options;
  llvm::StringSet<> symbols;
  unsigned nextSymbol = 0;

  /// An open control-flow op. It is built as a placeholder without results
  /// and replaced when its result types are known.
  struct Frame {
    mlir::Operation *op;
    unsigned region = 0;
    mlir::OpBuilder::InsertPoint resume;
    llvm::SmallVector<mlir::Value> carried;
    llvm::SmallVector<uint64_t> varying;
    /// Symbols made inside; they may not escape.
    llvm::StringSet<> symbols;
  };
  llvm::SmallVector<Frame> frames;
  llvm::SmallVector<uint64_t> correctedVarying;

  /// What foldValue found out; null = not a constant.
  llvm::DenseMap<mlir::Value, mlir::Value> folded;

  /// The constant that `value` is or folds to, null when there is none.
  mlir::Value foldValue(mlir::Value value);
  cuvil::DimExpr makeFresh(llvm::StringRef stem);
  /// An op of inferred result types; null after an error diagnostic.
  mlir::Operation *create(llvm::StringRef name, llvm::ArrayRef<mlir::Value> operands,
                          llvm::ArrayRef<mlir::NamedAttribute> attrs, unsigned numResults);
};

namespace cuvil {
/// Control flow of the builder (BuilderControl.cpp).
cuvil_status *beginIf(cuvil_builder *, cuvil_value condition);
cuvil_status *beginWhile(cuvil_builder *, const cuvil_value *carried, const uint64_t *varying,
                         size_t n, cuvil_value *args);
cuvil_status *nextRegion(cuvil_builder *, const cuvil_value *yields, size_t n, cuvil_value *args,
                         size_t numArgs);
cuvil_status *endRegionOp(cuvil_builder *, const cuvil_value *yields, size_t n,
                          cuvil_value *results, size_t numResults);
void whileVarying(cuvil_builder *, uint64_t *varying, size_t n);

inline mlir::Value unwrapValue(cuvil_value value) {
  return mlir::Value::getFromOpaquePointer(value);
}
inline cuvil_value wrapValue(mlir::Value value) {
  return reinterpret_cast<cuvil_value>(value.getAsOpaquePointer());
}
inline DimExpr unwrapDim(cuvil_dim dim) {
  return llvm::cast<DimExpr>(mlir::Attribute::getFromOpaquePointer(dim));
}
inline cuvil_dim wrapDim(DimExpr dim) {
  return reinterpret_cast<cuvil_dim>(dim.getAsOpaquePointer());
}
inline mlir::RankedTensorType getTensor(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}
/// A status at the builder's place.
cuvil_status *makeError(cuvil_builder *, int32_t code, const llvm::Twine &message,
                        llvm::StringRef hint = "");
} // namespace cuvil

#endif // CUVIL_LIB_GRAPH_BUILDER_H
