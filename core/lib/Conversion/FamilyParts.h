// SPDX-License-Identifier: Apache-2.0
// Parts of op families that have a file of their own.
#ifndef CUVIL_LIB_CONVERSION_FAMILYPARTS_H
#define CUVIL_LIB_CONVERSION_FAMILYPARTS_H

#include "cuvil/Conversion/CuvilToLinalg.h"

namespace cuvil::lowering {

void populateTopK(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                  LoweringContext &);
void populatePool(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                  LoweringContext &);
void populateResize(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                    LoweringContext &);
void populateScatter(mlir::RewritePatternSet &, const mlir::TypeConverter &,
                     LoweringContext &);

} // namespace cuvil::lowering

#endif // CUVIL_LIB_CONVERSION_FAMILYPARTS_H
