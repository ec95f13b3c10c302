// SPDX-License-Identifier: Apache-2.0
// Folds the producers of a value that a frontend needs to know.
#include "Builder.h"
#include "cuvil/Eval/Fold.h"

using namespace cuvil;
using mlir::Value;

// Values up to this size are folded when a frontend asks for them.
static constexpr int64_t kFoldElements = 8192;

static bool isSmall(Value value) {
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getNumElements() <= kFoldElements;
}

/// The op when it may be folded at all, else null.
static mlir::Operation *getFoldable(Value value) {
  mlir::Operation *op = value.getDefiningOp();
  bool ok = op && llvm::isa<CuvilOpInterface>(op) && mlir::isPure(op) &&
            op->getNumResults() == 1 && op->getNumRegions() == 0 &&
            llvm::all_of(op->getOperands(), isSmall) && isSmall(value);
  return ok ? op : nullptr;
}

Value cuvil_builder_t::foldValue(Value value) {
  // An explicit stack: chains come from files and may be long.
  llvm::SmallVector<Value> stack{value};
  while (!stack.empty()) {
    Value top = stack.back();
    if (top.getDefiningOp<ConstantOp>() || folded.count(top)) {
      stack.pop_back();
      continue;
    }
    mlir::Operation *op = getFoldable(top);
    if (!op) {
      folded[top] = Value();
      stack.pop_back();
      continue;
    }
    bool ready = true, constant = true;
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      if (operand.get().getDefiningOp<ConstantOp>())
        continue;
      auto known = folded.find(operand.get());
      if (known == folded.end()) {
        stack.push_back(operand.get());
        ready = false;
      } else if (known->second) {
        operand.set(known->second);
      } else {
        constant = false;
      }
    }
    if (!constant) {
      folded[top] = Value();
      stack.pop_back();
      continue;
    }
    if (!ready)
      continue;
    stack.pop_back();
    auto result = foldConstant(op);
    if (mlir::failed(result)) {
      folded[top] = Value();
      continue;
    }
    mlir::OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfter(op);
    folded[top] = builder.create<ConstantOp>(op->getLoc(), top.getType(),
                                             llvm::cast<mlir::TypedAttr>(*result));
  }
  if (value.getDefiningOp<ConstantOp>())
    return value;
  return folded.lookup(value);
}
