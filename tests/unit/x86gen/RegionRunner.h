// SPDX-License-Identifier: Apache-2.0
// Compiles a fusion region from text and runs its kernel on host arrays.
#ifndef CUVIL_TESTS_X86GEN_REGIONRUNNER_H
#define CUVIL_TESTS_X86GEN_REGIONRUNNER_H

#include "RegionKernel.h"

#include "cuvil/plugin.h"
#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace cuvil::x86::test {

/// The machines that this one can run code for.
std::vector<CpuTarget> runnableTargets();

using Symbols = std::map<std::string, int64_t>;
using Bytes = std::vector<char>;

template <typename T> Bytes bytesOf(const std::vector<T> &values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
template <typename T> std::vector<T> valuesOf(const Bytes &bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

/// A compiled region. Aborts the test program with a message where a step
/// fails.
class RegionRunner {
public:
  /// `body` is the region's text, from its types on:
  /// "(%a: tensor<4xf32>) -> tensor<4xf32> { ... cuvil.yield ... }".
  RegionRunner(const std::string &arguments, const std::string &results,
               const std::string &body, const CpuTarget &target);
  ~RegionRunner();
  RegionRunner(const RegionRunner &) = delete;

  /// Runs all tiles, then again in uneven parts in another order, and checks
  /// that both give the same bits.
  std::vector<Bytes> run(const std::vector<Bytes> &inputs,
                         const Symbols &symbols = {});
  /// The code that the last run returned.
  int32_t status() const { return code; }
  int64_t tiles() const { return tileCount; }
  double compileSeconds() const { return seconds; }

private:
  mlir::MLIRContext context;
  std::vector<cuvil_dtype> dtypes;
  std::vector<llvm::SmallVector<DimExpr>> outputDims;
  std::vector<int64_t> outputBytes;
  RegionKernel kernel;
  void *handle = nullptr;
  cuvil_kernel_fn function = nullptr;
  int32_t code = 0;
  int64_t tileCount = 0;
  double seconds = 0;
};

} // namespace cuvil::x86::test

#endif // CUVIL_TESTS_X86GEN_REGIONRUNNER_H
