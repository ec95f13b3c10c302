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
