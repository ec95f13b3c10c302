// SPDX-License-Identifier: Apache-2.0
// Compiles an MLIR module to x86-64 machine code with a line table.
#ifndef CUVIL_BACKEND_X86_OBJECTEMITTER_H
#define CUVIL_BACKEND_X86_OBJECTEMITTER_H

#include "CpuTarget.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/Location.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <string>

namespace cuvil::x86 {

/// A line of a file, as debuggers and profilers show it.
struct SourceLine {
  std::string file;
  unsigned line = 0;
};

struct EmitOptions {
  enum class Output { Object, Assembly, LLVMIR };
  Output output = Output::Object;
  bool loopVectorize = true;
  bool slpVectorize = true;
  /// Gives each operation's line in the IR trace; line 0 means "none". Without
  /// it a location that holds a file and a line is used as it is.
  std::function<SourceLine(mlir::Location)> lineOf;
};

/// Registers every dialect and translation that the functions below use. Call
/// it on a registry before its context is shared between threads.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Lowers func, scf, cf, arith, math, vector and memref to the LLVM dialect.
/// `math` on f32 becomes vector code (see VectorMath.h), the rest calls libm.
mlir::LogicalResult lowerToLLVMDialect(mlir::ModuleOp module,
                                       const CpuTarget &target);

/// Translates a module of the LLVM dialect, optimises it for `target` and
/// returns a relocatable ELF object (or assembly, or LLVM IR, as text). Changes
/// the module's locations. Modules may be emitted from several threads at once,
/// even if they share a context. Floating point is strict: nothing is
/// reassociated and no product is contracted.
llvm::Expected<std::string> emitModule(mlir::ModuleOp module,
                                       const CpuTarget &target,
                                       const EmitOptions &options = {});

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_OBJECTEMITTER_H
