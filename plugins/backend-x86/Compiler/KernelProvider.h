// SPDX-License-Identifier: Apache-2.0
// Plans regions as native kernels and gathers these in one library.
#ifndef CUVIL_BACKEND_X86_KERNELPROVIDER_H
#define CUVIL_BACKEND_X86_KERNELPROVIDER_H

#include "ContractionKernel.h"

#include "cuvil/Pipeline/ProgramPlanner.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace cuvil::x86 {

/// Serves one program. Equal regions share a kernel.
class X86KernelProvider : public KernelProvider {
public:
  explicit X86KernelProvider(const CpuTarget &target) : target(target) {}

  mlir::FailureOr<RegionPlan>
  plan(FusionOp region, llvm::ArrayRef<bool> constantInputs) override;

  /// Compiles what was planned and returns the path of the library; empty where
  /// there is no kernel.
  llvm::Expected<std::string> finish();

private:
  struct Kernel {
    std::string name;
    RegionKernel code;
    /// The packing of constant weights, for contractions that want it.
    std::optional<RegionKernel> pack;
    unsigned weight = 0;
    DimExpr packedSize;
  };

  mlir::FailureOr<Kernel> build(FusionOp region,
                                llvm::ArrayRef<bool> constantInputs);
  llvm::Error emitAll(std::vector<std::string> &objects);

  CpuTarget target;
  std::vector<Kernel> kernels;
  /// Position in `kernels` by text of the region.
  llvm::StringMap<size_t> known;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_KERNELPROVIDER_H
