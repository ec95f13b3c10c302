// SPDX-License-Identifier: Apache-2.0
// Detects the host CPU and builds generic targets by name.
#include "CpuTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Host.h"

#include <cstdlib>
#include <optional>

using namespace cuvil::x86;

llvm::StringRef cuvil::x86::isaName(IsaLevel isa) {
  switch (isa) {
  case IsaLevel::SSE2:
    return "sse2";
  case IsaLevel::AVX2:
    return "avx2";
  case IsaLevel::AVX512:
    return "avx512";
  }
  return "sse2";
}

static std::optional<IsaLevel> parseIsa(llvm::StringRef name) {
  for (IsaLevel isa : {IsaLevel::SSE2, IsaLevel::AVX2, IsaLevel::AVX512})
    if (name == isaName(isa))
      return isa;
  return std::nullopt;
}

static llvm::Error unknownIsa(llvm::StringRef where, llvm::StringRef name) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      llvm::formatv("{0}: unknown instruction set '{1}'; expected one of "
                    "sse2, avx2, avx512",
                    where, name)
          .str());
}

/// Reads a small sysfs file; empty where it does not exist.
static std::string readLine(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().trim().str() : std::string();
}

/// Sizes of the data caches as the kernel reports them. A virtual machine may
/// report a whole socket's last level, so that one is bounded.
static void readCaches(CpuTarget &target) {
  for (int index = 0; index < 8; ++index) {
    std::string dir = "/sys/devices/system/cpu/cpu0/cache/index" +
                      std::to_string(index) + "/";
    std::string type = readLine(dir + "type");
    if (type != "Data" && type != "Unified")
      continue;
    std::string text = readLine(dir + "size");
    llvm::StringRef size = text;
    int64_t unit = 1;
    if (size.consume_back("K"))
      unit = 1 << 10;
    else if (size.consume_back("M"))
      unit = 1 << 20;
    int64_t bytes = 0;
    if (size.getAsInteger(10, bytes) || bytes <= 0)
      continue;
    bytes *= unit;
    std::string level = readLine(dir + "level");
    if (level == "1")
      target.l1Bytes = bytes;
    else if (level == "2")
      target.l2Bytes = bytes;
    else if (level == "3")
      target.l3Bytes = std::min<int64_t>(bytes, 64 << 20);
  }
}

static bool hasAll(const llvm::StringMap<bool> &features,
                   std::initializer_list<const char *> names) {
  return llvm::all_of(names,
                      [&](const char *name) { return features.lookup(name); });
}

static IsaLevel levelOf(const llvm::StringMap<bool> &features) {
  if (!hasAll(features, {"avx", "avx2", "bmi", "bmi2", "f16c", "fma", "lzcnt",
                         "movbe", "popcnt", "sse4.2"}))
    return IsaLevel::SSE2;
  if (!hasAll(features,
              {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}))
    return IsaLevel::AVX2;
  return IsaLevel::AVX512;
}

IsaLevel CpuTarget::hostIsa() {
  return levelOf(llvm::sys::getHostCPUFeatures());
}

CpuTarget CpuTarget::generic(IsaLevel isa) {
  CpuTarget target;
  target.isa = isa;
  switch (isa) {
  case IsaLevel::SSE2:
    break;
  case IsaLevel::AVX2:
    target.vectorWidth = 8;
    target.hasFma = true;
    target.cpu = "x86-64-v3";
    break;
  case IsaLevel::AVX512:
    target.vectorWidth = 16;
    target.numVectorRegisters = 32;
    target.hasFma = true;
    target.l2Bytes = 1 << 20;
    target.cpu = "x86-64-v4";
    break;
  }
  return target;
}

llvm::Expected<CpuTarget> CpuTarget::named(llvm::StringRef name) {
  std::optional<IsaLevel> isa = parseIsa(name);
  if (!isa)
    return unknownIsa("CPU target", name);
  return generic(*isa);
}

llvm::Expected<CpuTarget> CpuTarget::host() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  IsaLevel best = levelOf(features);
  IsaLevel isa = best;
  if (const char *cap = std::getenv("CUVIL_ISA"); cap && *cap) {
    std::optional<IsaLevel> wanted = parseIsa(cap);
    if (!wanted)
      return unknownIsa("CUVIL_ISA", cap);
    if (*wanted > best)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          llvm::formatv("CUVIL_ISA={0}: this CPU ({1}) supports at most {2}; "
                        "unset CUVIL_ISA or lower it",
                        cap, llvm::sys::getHostCPUName(), isaName(best))
              .str());
    isa = *wanted;
  }

  CpuTarget target = generic(isa);
  readCaches(target);
  // A capped target keeps the generic processor name: the host's name would
  // bring back the features that the cap removes.
  if (isa != best || isa == IsaLevel::SSE2)
    return target;

  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::SmallVector<std::string> list;
  for (const auto &feature : features)
    list.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(list);
  target.features = llvm::join(list, ",");
  target.hasBf16 = features.lookup("avx512bf16");
  target.hasVnni = isa == IsaLevel::AVX512 ? features.lookup("avx512vnni")
                                           : features.lookup("avxvnni");
  target.hasFp16 = features.lookup("avx512fp16");
  target.hasAmx = hasAll(features, {"amx-tile", "amx-bf16", "amx-int8"});
  return target;
}

std::string CpuTarget::fingerprint() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << isaName(isa) << ';' << cpu << ';' << features << ';' << l1Bytes << ','
     << l2Bytes << ',' << l3Bytes;
  return text;
}
