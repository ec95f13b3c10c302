// SPDX-License-Identifier: Apache-2.0
// Evaluates pure ops on small constants with the reference kernels.
#include "cuvil/Eval/EvalTensor.h"
#include "cuvil/Eval/Fold.h"
#include "cuvil/IR/CuvilOps.h"
#include "cuvil/Transforms/Passes.h"

namespace cuvil {
#define GEN_PASS_DEF_CUVILFOLDCONSTANTS
#include "cuvil/Transforms/Passes.h.inc"
} // namespace cuvil

using namespace cuvil;

namespace {

class FoldConstantsPass : public impl::CuvilFoldConstantsBase<FoldConstantsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    // Program order: what an op folds to is seen by its users.
    getOperation().walk([&](mlir::Operation *op) {
      if (llvm::isa<ConstantOp>(op) || !llvm::isa<CuvilOpInterface>(op) ||
          op->getNumResults() != 1 || !mlir::isPure(op) || !isSmall(op->getResult(0)))
        return;
      for (mlir::Value operand : op->getOperands())
        if (!operand.getDefiningOp<ConstantOp>())
          return;
      auto value = foldConstant(op);
      if (mlir::failed(value))
        return;
      mlir::OpBuilder builder(op);
      op->replaceAllUsesWith(builder.create<ConstantOp>(op->getLoc(), op->getResult(0).getType(),
                                                        llvm::cast<mlir::TypedAttr>(*value)));
    });
  }

private:
  bool isSmall(mlir::Value value) const {
    auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    return type.hasStaticShape() &&
           type.getNumElements() * getByteSize(getDtype(type.getElementType())) <= maxBytes;
  }
};

} // namespace
