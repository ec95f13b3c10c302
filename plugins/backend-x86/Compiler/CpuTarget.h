// SPDX-License-Identifier: Apache-2.0
// Describes the x86-64 machine that a kernel is generated for.
#ifndef CUVIL_BACKEND_X86_CPUTARGET_H
#define CUVIL_BACKEND_X86_CPUTARGET_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>

namespace cuvil::x86 {

/// Instruction set families that change the shape of generated code.
enum class IsaLevel { SSE2, AVX2, AVX512 };

/// Returns "sse2", "avx2" or "avx512".
llvm::StringRef isaName(IsaLevel isa);

/// Everything code generation may know about a CPU. Plain data: nothing that
/// generates code asks the host.
struct CpuTarget {
  IsaLevel isa = IsaLevel::SSE2;
  /// f32 lanes of the widest vector register: 4, 8 or 16.
  unsigned vectorWidth = 4;
  unsigned numVectorRegisters = 16;
  bool hasFma = false;
  bool hasBf16 = false;
  bool hasVnni = false;
  bool hasFp16 = false;
  bool hasAmx = false;
  int64_t l1Bytes = 32 << 10;
  int64_t l2Bytes = 512 << 10;
  int64_t l3Bytes = 8 << 20;
  /// LLVM processor name and feature string.
  std::string cpu = "x86-64";
  std::string features;

  /// The machine this process runs on, capped by CUVIL_ISA. Fails where
  /// CUVIL_ISA is not a known name or asks for more than the CPU has.
  static llvm::Expected<CpuTarget> host();

  /// A generic machine of the level called `name`; to compile for, not
  /// necessarily to run on.
  static llvm::Expected<CpuTarget> named(llvm::StringRef name);

  /// The generic machine of one level.
  static CpuTarget generic(IsaLevel isa);

  /// The best level that this CPU and its operating system can execute.
  static IsaLevel hostIsa();

  /// Lanes of one vector of elements of `bits` bits.
  unsigned lanes(unsigned bits) const { return vectorWidth * 32 / bits; }

  /// A text that differs wherever generated code may differ; for cache keys.
  std::string fingerprint() const;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_CPUTARGET_H
