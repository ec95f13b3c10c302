// SPDX-License-Identifier: Apache-2.0
// The plain type converter and the sum of all families.
#include "cuvil/Conversion/CuvilToLinalg.h"
#include "Support.h"

using namespace mlir;

namespace cuvil {

PlainTensorConverter::PlainTensorConverter() {
  addConversion([](Type type) { return lowering::getStorageType(type); });
  addConversion(
      [](RankedTensorType type) { return lowering::getPlainType(type); });
  // Uses by ops that keep their types see a cast.
  auto cast = [](OpBuilder &b, Type type, ValueRange inputs,
                 Location loc) -> Value {
    return b.create<UnrealizedConversionCastOp>(loc, type, inputs).getResult(0);
  };
  addSourceMaterialization(cast);
  addTargetMaterialization(cast);
  addArgumentMaterialization(cast);
}

void populateCuvilToLinalg(RewritePatternSet &patterns,
                           const TypeConverter &converter,
                           LoweringContext &lowering) {
  for (auto *populate : {populateElementwiseToLinalg, populateLayoutToLinalg,
                         populateReductionToLinalg, populateContractionToLinalg,
                         populateNormalizationToLinalg, populateQuantToLinalg,
                         populateShapeToLinalg, populateIndexingToLinalg,
                         populateRecurrentToLinalg})
    populate(patterns, converter, lowering);
}

} // namespace cuvil
