// SPDX-License-Identifier: Apache-2.0
// From the text of a region to calls of its kernel.
#include "RegionRunner.h"

#include "Linker.h"
#include "ObjectEmitter.h"

#include "cuvil/IR/CuvilDialect.h"
#include "mlir/Parser/Parser.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace cuvil;
using namespace cuvil::x86;
using namespace cuvil::x86::test;

[[noreturn]] static void die(const std::string &message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::abort();
}

std::vector<CpuTarget> test::runnableTargets() {
  std::vector<CpuTarget> targets;
  for (IsaLevel isa : {IsaLevel::SSE2, IsaLevel::AVX2, IsaLevel::AVX512})
    if (isa <= CpuTarget::hostIsa())
      targets.push_back(CpuTarget::generic(isa));
  return targets;
}

/// "%a: t, %b: u" without the types, or without the names.
static std::string namesOf(const std::string &arguments, bool types) {
  std::string result;
  size_t at = 0;
  while ((at = arguments.find('%', at)) != std::string::npos) {
    size_t colon = arguments.find(':', at);
    size_t next = arguments.find(", %", colon);
    size_t end = next == std::string::npos ? arguments.size() : next;
    result += (result.empty() ? "" : ", ");
    result += types ? arguments.substr(colon + 1, end - colon - 1)
                    : "%arg_" + arguments.substr(at + 1, colon - at - 1);
    at = end;
  }
  return result;
}

RegionRunner::RegionRunner(const std::string &arguments,
                           const std::string &results, const std::string &body,
                           const CpuTarget &target) {
  mlir::DialectRegistry registry;
  registry.insert<CuvilDialect>();
  registerCodegenDialects(registry);
  registerRegionDialects(registry);
  context.appendDialectRegistry(registry);
  context.loadAllAvailableDialects();

  std::string outer = arguments;
  for (size_t at = 0; (at = outer.find('%', at)) != std::string::npos; ++at)
    outer.insert(at + 1, "arg_");
  std::string text = "func.func @f(" + outer + ") {\n%out:1 = cuvil.fusion "
                     "\"Test\" (" + namesOf(arguments, false) + ") : (" +
                     namesOf(arguments, true) + ") -> " + results +
                     " {\n^bb0(" + arguments + "):\n" + body +
                     "\n}\nreturn\n}\n";
  size_t count = 1;
  if (results.front() == '(')
    for (size_t at = 0; (at = results.find(", tensor", at)) != std::string::npos;
         ++at)
      ++count;
  text.replace(text.find("%out:1"), 6, "%out:" + std::to_string(count));
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    die("cannot parse:\n" + text);
  FusionOp region;
  module->walk([&](FusionOp op) { region = op; });

  auto start = std::chrono::steady_clock::now();
  auto built = buildRegionKernel(region, "kernel", target);
  if (mlir::failed(built))
    die("cannot build the kernel of:\n" + text);
  kernel = std::move(*built);
  if (std::getenv("CUVIL_TEST_DUMP"))
    kernel.module->dump();
  auto middle = std::chrono::steady_clock::now();
  if (mlir::failed(lowerToLLVMDialect(*kernel.module, target)))
    die("cannot lower the kernel of:\n" + text);
  auto lowered = std::chrono::steady_clock::now();
  auto object = emitModule(*kernel.module, target);
  if (!object)
    die(llvm::toString(object.takeError()));
  auto emitted = std::chrono::steady_clock::now();
  auto library = linkSharedObject({*object});
  if (!library)
    die(llvm::toString(library.takeError()));
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                          start)
                .count();
  if (std::getenv("CUVIL_TEST_TIME")) {
    auto ms = [](auto from, auto to) {
      return std::chrono::duration<double, std::milli>(to - from).count();
    };
    std::fprintf(stderr, "build %.1f lower %.1f emit %.1f ms\n",
                 ms(start, middle), ms(middle, lowered), ms(lowered, emitted));
  }

  int file = memfd_create("kernel", MFD_CLOEXEC);
  if (file < 0 || write(file, library->data(), library->size()) !=
                      static_cast<ssize_t>(library->size()))
    die("cannot write the library");
  // The file stays open: the loader knows a library by its path, and a closed
  // descriptor's number would come back.
  std::string path = "/proc/self/fd/" + std::to_string(file);
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    die(dlerror());
  function = reinterpret_cast<cuvil_kernel_fn>(dlsym(handle, "kernel"));
  if (!function)
    die("the library has no kernel");
  for (mlir::Value output : region.getOutputs()) {
    outputDims.push_back(getDims(output));
    mlir::Type element =
        mlir::cast<mlir::RankedTensorType>(output.getType()).getElementType();
    outputBytes.push_back((element.getIntOrFloatBitWidth() + 7) / 8);
  }
}

RegionRunner::~RegionRunner() {
  if (handle)
    dlclose(handle);
}

std::vector<Bytes> RegionRunner::run(const std::vector<Bytes> &inputs,
                                     const Symbols &symbols) {
  auto evaluate = [&](DimExpr expr) {
    auto value = expr.evaluate([&](llvm::StringRef name) -> std::optional<int64_t> {
      auto found = symbols.find(name.str());
      if (found == symbols.end())
        return std::nullopt;
      return found->second;
    });
    if (!value)
      die("cannot evaluate " + expr.str());
    return *value;
  };
  std::vector<Bytes> outputs;
  for (size_t i = 0; i < outputDims.size(); ++i) {
    int64_t bytes = outputBytes[i];
    for (DimExpr dim : outputDims[i])
      bytes *= evaluate(dim);
    outputs.emplace_back(bytes, char(0xcd));
  }
  std::vector<int64_t> sizes;
  for (DimExpr size : kernel.sizes)
    sizes.push_back(evaluate(size));
  int64_t scratchBytes = kernel.scratch ? evaluate(kernel.scratch) : 0;
  tileCount = evaluate(kernel.tiles);

  auto call = [&](std::vector<Bytes> &written,
                  const std::vector<std::pair<int64_t, int64_t>> &parts) {
    std::vector<void *> buffers;
    for (const Bytes &input : inputs)
      buffers.push_back(const_cast<char *>(input.data()));
    for (Bytes &output : written)
      buffers.push_back(output.data());
    int32_t first = 0;
    for (auto [begin, end] : parts) {
      // A scratch of its own, with a guard behind it.
      constexpr int64_t kGuard = 64;
      void *scratch = std::aligned_alloc(64, (scratchBytes + 127) / 64 * 64);
      std::memset(scratch, 0xee, scratchBytes + kGuard);
      cuvil_kernel_args args{sizeof(args), buffers.data(), sizes.data(),
                             scratch, 0};
      int32_t result = function(&args, begin, end);
      for (int64_t i = 0; i < kGuard; ++i)
        if (static_cast<unsigned char *>(scratch)[scratchBytes + i] != 0xee)
          die("the kernel wrote beyond its scratch");
      std::free(scratch);
      if (!first)
        first = result;
    }
    return first;
  };
  code = tileCount > 0 ? call(outputs, {{0, tileCount}}) : 0;
  if (tileCount > 1) {
    std::vector<Bytes> again;
    for (const Bytes &output : outputs)
      again.emplace_back(output.size(), char(0xab));
    int64_t cut = tileCount / 3;
    std::vector<std::pair<int64_t, int64_t>> parts;
    if (cut + 1 < tileCount)
      parts.push_back({cut + 1, tileCount});
    parts.push_back({cut, cut + 1});
    if (cut > 0)
      parts.push_back({0, cut});
    call(again, parts);
    if (again != outputs)
      die("results depend on how tiles are spread over calls");
  }
  return outputs;
}
