// SPDX-License-Identifier: Apache-2.0
// How an op's operands map to the positions that its kernel expects.
#include "Operands.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

llvm::SmallVector<int> cuvil::detail::getOperandPositions(mlir::Operation *op) {
  llvm::SmallVector<int> positions;
  auto sizes = llvm::dyn_cast_or_null<mlir::DenseI32ArrayAttr>(
      op->getInherentAttr("operandSegmentSizes").value_or(nullptr));
  if (!sizes) {
    positions.resize(op->getNumOperands());
    std::iota(positions.begin(), positions.end(), 0);
    return positions;
  }
  int next = 0;
  for (int32_t size : sizes.asArrayRef()) {
    if (size == 0)
      positions.push_back(-1);
    for (int32_t i = 0; i < size; ++i)
      positions.push_back(next++);
  }
  return positions;
}
