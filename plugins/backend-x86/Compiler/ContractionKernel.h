// SPDX-License-Identifier: Apache-2.0
// Regions around a matrix product or a convolution, by register tiles.
#ifndef CUVIL_BACKEND_X86_CONTRACTIONKERNEL_H
#define CUVIL_BACKEND_X86_CONTRACTIONKERNEL_H

#include "RegionKernel.h"

namespace cuvil::x86 {

/// A contraction's kernel and, where its weights are constant, the kernel that
/// packs them at load. The main kernel's buffers are the region's inputs, the
/// packed weights if there are any, and the output.
struct ContractionKernel {
  RegionKernel main;
  /// Reads the region's input `weight` and writes the packed buffer.
  std::optional<RegionKernel> pack;
  unsigned weight = 0;
  DimExpr packedSize;
};

/// Builds the kernel of a region that holds one dot or conv and a tail that
/// runs on its tiles; nullopt, without an error, for every other region.
/// `constantInputs` tells which operands never change.
std::optional<ContractionKernel>
buildContractionKernel(FusionOp region, llvm::StringRef name,
                       llvm::ArrayRef<bool> constantInputs,
                       const CpuTarget &target);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_CONTRACTIONKERNEL_H
