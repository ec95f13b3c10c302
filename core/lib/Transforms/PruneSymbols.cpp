// SPDX-License-Identifier: Apache-2.0
// Drops bindings of symbols that nothing mentions.
#include "cuvil/IR/CuvilOps.h"
#include "cuvil/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

namespace cuvil {
#define GEN_PASS_DEF_CUVILPRUNESYMBOLS
#include "cuvil/Transforms/Passes.h.inc"
} // namespace cuvil

using namespace cuvil;

namespace {

/// Every symbol that a type or an attribute mentions.
llvm::StringSet<> getMentioned(mlir::func::FuncOp function) {
  llvm::StringSet<> mentioned;
  auto add = [&](llvm::ArrayRef<DimExpr> dims) {
    for (DimExpr dim : dims)
      dim.walkSymbols([&](llvm::StringRef name) { mentioned.insert(name); });
  };
  auto addValue = [&](mlir::Value value) {
    if (llvm::isa<mlir::RankedTensorType>(value.getType()))
      add(getDims(value));
  };
  for (mlir::Value argument : function.getArguments())
    addValue(argument);
  function.walk([&](mlir::Operation *op) {
    llvm::for_each(op->getResults(), addValue);
    for (mlir::Region &region : op->getRegions())
      for (mlir::Block &block : region)
        llvm::for_each(block.getArguments(), addValue);
    for (mlir::NamedAttribute attr : op->getAttrs())
      if (auto dims = llvm::dyn_cast<DimsAttr>(attr.getValue()))
        add(dims.getDims());
  });
  return mentioned;
}

class PruneSymbolsPass : public impl::CuvilPruneSymbolsBase<PruneSymbolsPass> {
public:
  void runOnOperation() override {
    llvm::StringSet<> mentioned = getMentioned(getOperation());
    getOperation().walk([&](SymBindOp op) {
      bool used = llvm::any_of(op.getSymbols(), [&](mlir::Attribute name) {
        return mentioned.contains(llvm::cast<mlir::StringAttr>(name).getValue());
      });
      if (!used)
        op->erase();
    });
  }
};

} // namespace
