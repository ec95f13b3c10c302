// SPDX-License-Identifier: Apache-2.0
// Builds, compiles, links and calls one kernel; for tests and measurements.
#ifndef CUVIL_TESTS_X86_JIT_H
#define CUVIL_TESTS_X86_JIT_H

#include "KernelBuilder.h"
#include "ObjectEmitter.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace cuvil::x86::test {

/// A kernel `i32 kernel(void **pointers, const i64 *sizes, i64 begin, i64
/// end)`.
using KernelFn = int32_t (*)(void *const *, const int64_t *, int64_t, int64_t);

/// What a kernel's body is written with.
struct KernelArgs {
  KernelBuilder &kb;
  std::vector<mlir::Value> pointers;
  std::vector<mlir::Value> sizes;
  mlir::Value begin, end;
};

/// The machines that tests generate code for.
std::vector<CpuTarget> testTargets();
/// Whether this CPU can run code for `target`.
bool canRun(const CpuTarget &target);

/// One compiled kernel; aborts the test program with a message on failure.
class Jit {
public:
  /// `sizes[i]` >= 0 makes size i a constant in the code; -1 an argument.
  Jit(const CpuTarget &target, int numPointers, std::vector<int64_t> sizes,
      const std::function<void(KernelArgs &)> &body, bool f64 = false);
  ~Jit();
  Jit(const Jit &) = delete;

  /// The assembly text of the kernel.
  std::string assembly();
  /// The relocatable object.
  const std::string &object() const { return objectBytes; }
  /// Seconds spent from MLIR to object and in linking.
  double compileSeconds() const { return seconds; }
  /// Loads the kernel on first use.
  KernelFn function();

private:
  mlir::OwningOpRef<mlir::ModuleOp> build();

  CpuTarget target;
  int numPointers;
  std::vector<int64_t> sizes;
  std::function<void(KernelArgs &)> body;
  bool f64;
  std::string objectBytes;
  double seconds = 0;
  void *handle = nullptr;
  KernelFn fn = nullptr;
};

/// The number of vector stores to or loads from the stack in the innermost
/// loops of an assembly text that hold vector arithmetic.
int countSpillsInInnerLoops(const std::string &assembly);

} // namespace cuvil::x86::test

#endif // CUVIL_TESTS_X86_JIT_H
