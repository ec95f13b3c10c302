// SPDX-License-Identifier: Apache-2.0
// The pipeline, top to bottom: the only place that orders passes.
#include "cuvil/Pipeline/Pipeline.h"
#include "cuvil/Transforms/Passes.h"
#include "mlir/Transforms/Passes.h"

using namespace cuvil;
using mlir::func::FuncOp;

llvm::ArrayRef<llvm::StringRef> cuvil::getStageNames() {
  static constexpr llvm::StringRef kStages[] = {
      "import",       "canonicalize", "precision",     "quantize", "before-fusion",
      "fusion",       "after-fusion", "partition",     "device-fusion", "grouping",
      "backend"};
  return kStages;
}

void cuvil::buildStage(llvm::StringRef stage, mlir::OpPassManager &manager,
                       const PipelineOptions &options) {
  if (stage == "canonicalize") {
    // Shape arithmetic turned into expressions leaves its ops dead; what is
    // left of small constants is folded before anything matches patterns.
    manager.addPass(mlir::createCanonicalizerPass());
    if (options.fusion)
      manager.addNestedPass<FuncOp>(createCuvilFoldConstants());
    manager.addNestedPass<FuncOp>(createCuvilPruneSymbols());
    // Pruned bindings set their operands free.
    manager.addPass(mlir::createCanonicalizerPass());
    manager.addPass(mlir::createCSEPass());
  } else if (stage == "after-fusion") {
    if (options.fusion) {
      manager.addNestedPass<FuncOp>(createCuvilDecomposeBatchNorm());
      manager.addNestedPass<FuncOp>(createCuvilFoldConstants());
      manager.addPass(mlir::createCSEPass());
    }
  } else if (stage == "grouping") {
    // Last: backends never see a bare op.
    CuvilGroupOptions group;
    group.fusion = options.fusion;
    manager.addNestedPass<FuncOp>(createCuvilGroup(group));
  }
}
