// SPDX-License-Identifier: Apache-2.0
// Targets, objects, linking and the kernel cache.
#include "Jit.h"
#include "KernelCache.h"
#include "Linker.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <dlfcn.h>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <thread>

using namespace cuvil::x86;
using namespace cuvil::x86::test;

TEST(CpuTarget, NamesGiveTheirLevels) {
  for (auto [name, width, registers] :
       {std::tuple{"sse2", 4u, 16u}, {"avx2", 8u, 16u}, {"avx512", 16u, 32u}}) {
    auto target = CpuTarget::named(name);
    ASSERT_TRUE(bool(target));
    EXPECT_EQ(target->vectorWidth, width);
    EXPECT_EQ(target->numVectorRegisters, registers);
  }
  auto unknown = CpuTarget::named("neon");
  ASSERT_FALSE(bool(unknown));
  EXPECT_NE(llvm::toString(unknown.takeError()).find("neon"),
            std::string::npos);
}

TEST(CpuTarget, EnvironmentCapsTheHost) {
  ::setenv("CUVIL_ISA", "sse2", 1);
  auto capped = CpuTarget::host();
  ASSERT_TRUE(bool(capped));
  EXPECT_EQ(capped->isa, IsaLevel::SSE2);
  EXPECT_FALSE(capped->hasFma);
  ::setenv("CUVIL_ISA", "sse5", 1);
  auto unknown = CpuTarget::host();
  EXPECT_FALSE(bool(unknown));
  llvm::consumeError(unknown.takeError());
  if (CpuTarget::hostIsa() < IsaLevel::AVX512) {
    ::setenv("CUVIL_ISA", "avx512", 1);
    auto tooHigh = CpuTarget::host();
    EXPECT_FALSE(bool(tooHigh));
    llvm::consumeError(tooHigh.takeError());
  }
  ::unsetenv("CUVIL_ISA");
  auto host = CpuTarget::host();
  ASSERT_TRUE(bool(host));
  EXPECT_EQ(host->isa, CpuTarget::hostIsa());
  EXPECT_GT(host->l1Bytes, 0);
}

static void storePower(KernelArgs &args) {
  KernelBuilder &kb = args.kb;
  mlir::Value x = kb.load(args.pointers[0]);
  kb.store(kb.builder().create<mlir::math::PowFOp>(kb.loc(), x, x),
           args.pointers[1]);
}

TEST(ObjectEmitter, LineTableNamesTheTrace) {
  Jit jit(CpuTarget::generic(IsaLevel::SSE2), 2, {}, storePower);
  auto buffer = llvm::MemoryBuffer::getMemBuffer(jit.object(), "", false);
  auto object = llvm::object::ObjectFile::createObjectFile(*buffer);
  ASSERT_TRUE(bool(object));
  auto context = llvm::DWARFContext::create(**object);
  bool found = false;
  for (const auto &unit : context->compile_units())
    if (const auto *table = context->getLineTableForUnit(unit.get()))
      for (const auto &row : table->Rows) {
        std::string file;
        table->getFileNameByIndex(
            row.File, unit->getCompilationDir(),
            llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
            file);
        found |= row.Line == 7 && file == "/trace/kernel.mlir";
      }
  EXPECT_TRUE(found);
}

TEST(Linker, BindsLibm) {
  Jit jit(CpuTarget::generic(IsaLevel::SSE2), 2, {}, storePower);
  float in = 2.5f, out = 0;
  void *pointers[] = {&in, &out};
  EXPECT_EQ(jit.function()(pointers, nullptr, 0, 0), 0);
  EXPECT_EQ(out, powf(2.5f, 2.5f));
}

TEST(Linker, ReportsBadInput) {
  auto bad = linkSharedObject({"this is not an object"});
  ASSERT_FALSE(bool(bad));
  EXPECT_NE(llvm::toString(bad.takeError()).find("linking"), std::string::npos);
  // A failure must not spoil the next link.
  Jit jit(CpuTarget::generic(IsaLevel::SSE2), 2, {}, storePower);
  EXPECT_TRUE(jit.function());
}

TEST(Linker, WorksFromSeveralThreads) {
  Jit jit(CpuTarget::generic(IsaLevel::SSE2), 2, {}, storePower);
  std::vector<std::thread> threads;
  std::vector<int> ok(4);
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      auto bytes = linkSharedObject({jit.object()});
      ok[i] = bool(bytes);
      if (!bytes)
        llvm::consumeError(bytes.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(ok, std::vector<int>(4, 1));
}

namespace {
class Cache : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("cuvil-cache", root));
    folder = (root + "/deep/kernels").str();
  }
  void TearDown() override { llvm::sys::fs::remove_directories(root); }
  KernelCache open(int64_t maxBytes = KernelCache::kDefaultMaxBytes) {
    return llvm::cantFail(KernelCache::open(folder, maxBytes));
  }
  llvm::SmallString<128> root;
  std::string folder;
};
} // namespace

TEST_F(Cache, KeepsWhatIsStored) {
  KernelCache cache = open();
  struct stat info;
  ASSERT_EQ(::stat(folder.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  std::string key = contentHash({"object", "target", "1"});
  EXPECT_EQ(key.size(), 64u);
  EXPECT_NE(key, contentHash({"objec", "ttarget", "1"}));
  EXPECT_FALSE(cache.lookup(key));
  auto path = cache.store(key, "bytes");
  ASSERT_TRUE(bool(path));
  EXPECT_EQ(cache.lookup(key), *path);
}

TEST_F(Cache, LoadsAnEntry) {
  Jit jit(CpuTarget::generic(IsaLevel::SSE2), 2, {}, storePower);
  auto bytes = linkSharedObject({jit.object()});
  ASSERT_TRUE(bool(bytes));
  auto path = open().store("k", *bytes);
  ASSERT_TRUE(bool(path));
  void *handle = dlopen(path->c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(handle) << dlerror();
  EXPECT_TRUE(dlsym(handle, "kernel"));
  dlclose(handle);
}

TEST_F(Cache, DamageIsAMiss) {
  KernelCache cache = open();
  std::string path = llvm::cantFail(cache.store("k", "some bytes"));
  {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(3);
    file.put('X');
  }
  EXPECT_FALSE(cache.lookup("k"));
  EXPECT_FALSE(llvm::sys::fs::exists(path));
  // Bytes of one entry under the name of another are damage too.
  std::string other = llvm::cantFail(cache.store("a", "other"));
  ASSERT_FALSE(llvm::sys::fs::rename(other, folder + "/b.so"));
  EXPECT_FALSE(cache.lookup("b"));
  std::ofstream(folder + "/c.so") << "short";
  EXPECT_FALSE(cache.lookup("c"));
}

TEST_F(Cache, BoundRemovesTheOldest) {
  KernelCache cache = open(/*maxBytes=*/3000);
  std::string bytes(1000, 'x');
  for (const char *key : {"a", "b"})
    llvm::cantFail(cache.store(key, bytes));
  struct timespec old[2] = {{1000, 0}, {1000, 0}};
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/a.so").c_str(), old, 0), 0);
  old[0].tv_sec = old[1].tv_sec = 500;
  ASSERT_EQ(::utimensat(AT_FDCWD, (folder + "/b.so").c_str(), old, 0), 0);
  EXPECT_TRUE(cache.lookup("b"));
  llvm::cantFail(cache.store("c", bytes));
  EXPECT_FALSE(cache.lookup("a"));
  EXPECT_TRUE(cache.lookup("b"));
  EXPECT_TRUE(cache.lookup("c"));
}

TEST_F(Cache, RefusesASharedFolder) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(folder));
  ASSERT_EQ(::chmod(folder.c_str(), 0777), 0);
  auto cache = KernelCache::open(folder);
  ASSERT_FALSE(bool(cache));
  EXPECT_NE(llvm::toString(cache.takeError()).find("0700"), std::string::npos);
}
