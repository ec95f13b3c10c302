// SPDX-License-Identifier: Apache-2.0
// Compiles kernels in the process and reads their assembly.
#include "Jit.h"

#include "KernelCache.h"
#include "Linker.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

using namespace mlir;
using namespace cuvil::x86;
using namespace cuvil::x86::test;

std::vector<CpuTarget> cuvil::x86::test::testTargets() {
  std::vector<CpuTarget> targets;
  for (IsaLevel isa : {IsaLevel::SSE2, IsaLevel::AVX2, IsaLevel::AVX512})
    targets.push_back(CpuTarget::generic(isa));
  return targets;
}

bool cuvil::x86::test::canRun(const CpuTarget &target) {
  return target.isa <= CpuTarget::hostIsa();
}

static MLIRContext &sharedContext() {
  static MLIRContext *context = [] {
    DialectRegistry registry;
    registerCodegenDialects(registry);
    auto *context = new MLIRContext(registry, MLIRContext::Threading::DISABLED);
    context->loadAllAvailableDialects();
    return context;
  }();
  return *context;
}

[[noreturn]] static void die(const std::string &message) {
  llvm::errs() << message << '\n';
  std::abort();
}

Jit::Jit(const CpuTarget &target, int numPointers, std::vector<int64_t> sizes,
         const std::function<void(KernelArgs &)> &body, bool f64)
    : target(target), numPointers(numPointers), sizes(std::move(sizes)),
      body(body), f64(f64) {
  auto start = std::chrono::steady_clock::now();
  OwningOpRef<ModuleOp> module = build();
  auto object = emitModule(*module, target);
  if (!object)
    die(llvm::toString(object.takeError()));
  objectBytes = std::move(*object);
  seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
}

Jit::~Jit() {
  if (handle)
    dlclose(handle);
}

OwningOpRef<ModuleOp> Jit::build() {
  MLIRContext &context = sharedContext();
  OpBuilder b(&context);
  Location loc = FileLineColLoc::get(&context, "/trace/kernel.mlir", 7, 1);
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  b.setInsertionPointToEnd(module->getBody());
  Type pointer = LLVM::LLVMPointerType::get(&context);
  Type i64 = b.getI64Type();
  auto func = b.create<func::FuncOp>(
      loc, "kernel",
      b.getFunctionType({pointer, pointer, i64, i64}, {b.getI32Type()}));
  Block *entry = func.addEntryBlock();
  b.setInsertionPointToStart(entry);
  KernelBuilder kb(b, loc, target,
                   f64 ? Type(b.getF64Type()) : Type(b.getF32Type()));
  KernelArgs args{kb, {}, {}, entry->getArgument(2), entry->getArgument(3)};
  for (int i = 0; i < numPointers; ++i)
    args.pointers.push_back(b.create<LLVM::LoadOp>(
        loc, pointer, kb.at(entry->getArgument(0), i, pointer)));
  for (auto [i, size] : llvm::enumerate(sizes))
    args.sizes.push_back(
        size >= 0
            ? kb.index(size)
            : Value(b.create<LLVM::LoadOp>(
                  loc, i64, kb.at(entry->getArgument(1), int64_t(i), i64))));
  body(args);
  Value zero = b.create<arith::ConstantOp>(loc, b.getI32IntegerAttr(0));
  b.create<func::ReturnOp>(loc, zero);
  if (failed(verify(*module)))
    die("the kernel does not verify");
  if (failed(lowerToLLVMDialect(*module, target)))
    die("the kernel does not lower");
  return module;
}

std::string Jit::assembly() {
  OwningOpRef<ModuleOp> module = build();
  EmitOptions options;
  options.output = EmitOptions::Output::Assembly;
  auto text = emitModule(*module, target, options);
  if (!text)
    die(llvm::toString(text.takeError()));
  return *text;
}

KernelFn Jit::function() {
  if (fn)
    return fn;
  auto start = std::chrono::steady_clock::now();
  auto library = linkSharedObject({objectBytes});
  if (!library)
    die(llvm::toString(library.takeError()));
  seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  llvm::SmallString<128> path;
  if (llvm::sys::fs::createTemporaryFile("cuvil-x86-test", "so", path))
    die("no temporary file");
  std::ofstream(path.c_str(), std::ios::binary) << *library;
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    die(dlerror());
  llvm::sys::fs::remove(path);
  fn = reinterpret_cast<KernelFn>(dlsym(handle, "kernel"));
  if (!fn)
    die(dlerror());
  return fn;
}

int cuvil::x86::test::countSpillsInInnerLoops(const std::string &assembly) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(assembly).split(lines, '\n');
  llvm::StringMap<size_t> labels;
  int spills = 0;
  size_t lastEnd = 0;
  for (auto [index, raw] : llvm::enumerate(lines)) {
    llvm::StringRef line = raw.split('#').first.trim();
    if (line.ends_with(":")) {
      labels[line.drop_back()] = index;
      continue;
    }
    if (!line.starts_with("j"))
      continue;
    auto label = labels.find(line.split('\t').second.trim());
    // A jump backwards over no other loop closes an innermost loop.
    if (label == labels.end() || label->second < lastEnd)
      continue;
    lastEnd = index;
    int arithmetic = 0, stack = 0;
    for (size_t i = label->second; i < index; ++i) {
      llvm::StringRef text = lines[i].split('#').first;
      if (text.contains("fmadd") || text.contains("mulps") ||
          text.contains("mulpd"))
        ++arithmetic;
      bool isVector = text.contains("%xmm") || text.contains("%ymm") ||
                      text.contains("%zmm");
      if (isVector && (text.contains("(%rsp)") || text.contains("(%rbp)")) &&
          !text.contains("broadcast") && !text.contains("{1to"))
        ++stack;
    }
    if (arithmetic >= 4)
      spills += stack;
  }
  return spills;
}
