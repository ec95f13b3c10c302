// SPDX-License-Identifier: Apache-2.0
// The plugin's border: device "cpu" for x86-64.
#include "CpuTarget.h"
#include "KernelProvider.h"
#include "ObjectEmitter.h"

#include "cuvil/Graph/Graph.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <mutex>
#include <unistd.h>

using namespace cuvil;
using namespace cuvil::x86;

namespace {

const cuvil_host *host = nullptr;

const char *findOption(const cuvil_options *options, llvm::StringRef key) {
  if (options)
    for (size_t i = 0; i < options->count; ++i)
      if (key == options->keys[i])
        return options->values[i];
  return nullptr;
}

/// The machine to compile for: option "isa", else this one.
llvm::Expected<CpuTarget> chooseTarget(const cuvil_options *options) {
  if (const char *isa = findOption(options, "isa"))
    return CpuTarget::named(isa);
  return CpuTarget::host();
}

size_t devices(void *, cuvil_device_info *out, size_t capacity) {
  if (capacity == 0)
    return 1;
  static const std::string arch =
      ("x86-64 " + isaName(CpuTarget::hostIsa())).str();
  out->name = "cpu";
  out->index = 0;
  out->score = 10;
  out->arch = arch.c_str();
  out->description = "native code for this processor";
  out->memory_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                      static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
  out->dtypes = 0;
  for (int32_t dtype = CUVIL_BOOL; dtype <= CUVIL_F64; ++dtype)
    out->dtypes |= uint64_t(1) << dtype;
  out->modes = "";
  return 1;
}

cuvil_status *getCapability(void *, const cuvil_graph *graph,
                            const cuvil_options *options,
                            const cuvil_capability_sink *sink) {
  llvm::Expected<CpuTarget> target = chooseTarget(options);
  if (!target)
    return host->status_create(CUVIL_INVALID_ARGUMENT,
                               llvm::toString(target.takeError()).c_str());
  for (size_t i = 0; i < host->graph->num_ops(graph); ++i)
    sink->accept(sink->state, host->graph->op(graph, i));
  return nullptr;
}

void fail(cuvil_compile_result &result, llvm::Error error) {
  result.status = host->status_create(
      CUVIL_INTERNAL, llvm::toString(std::move(error)).c_str());
}

void compileOne(const cuvil_graph *graph, const CpuTarget &target,
                cuvil_compile_result &result) {
  auto function = llvm::cast<mlir::func::FuncOp>(
      unwrapGraph(graph)->getParentOp());
  mlir::MLIRContext *context = function.getContext();
  mlir::DialectRegistry registry;
  registerCodegenDialects(registry);
  registerRegionDialects(registry);
  context->appendDialectRegistry(registry);
  context->loadAllAvailableDialects();

  DiagnosticCollector diagnostics(context);
  X86KernelProvider provider(target);
  mlir::FailureOr<cuvil_program *> program = planProgram(function, provider);
  if (mlir::failed(program)) {
    result.status = diagnostics.takeStatus(
        CUVIL_UNSUPPORTED, "the model can't be compiled for the CPU");
    return;
  }
  llvm::Expected<std::string> library = provider.finish();
  cuvil_status *status = nullptr;
  if (!library)
    fail(result, library.takeError());
  else if (!library->empty())
    status = host->program->set_library(*program, library->c_str());
  if (status)
    result.status = status;
  if (result.status)
    host->program->destroy(*program);
  else
    result.program = *program;
}

void compile(void *, const cuvil_graph *const *graphs, size_t n,
             const cuvil_options *options, cuvil_compile_result *results) {
  for (size_t i = 0; i < n; ++i) {
    llvm::Expected<CpuTarget> target = chooseTarget(options);
    if (target)
      compileOne(graphs[i], *target, results[i]);
    else
      fail(results[i], target.takeError());
  }
}

const char *compatibility(void *, const cuvil_options *options) {
  static std::mutex mutex;
  static llvm::StringMap<char> texts;
  llvm::Expected<CpuTarget> target = chooseTarget(options);
  std::string text = "x86-regions-1 ";
  if (target)
    text += target->fingerprint();
  else
    text += llvm::toString(target.takeError());
  std::lock_guard lock(mutex);
  return texts.try_emplace(text).first->getKeyData();
}

int32_t validate(void *, const char *text) {
  llvm::StringRef given(text);
  if (!given.consume_front("x86-regions-"))
    return CUVIL_VALIDATE_NOT_OURS;
  return text == llvm::StringRef(compatibility(nullptr, nullptr))
             ? CUVIL_VALIDATE_OPTIMAL
             : CUVIL_VALIDATE_RECOMPILE;
}

cuvil_status *initialize(const cuvil_host *table,
                         const cuvil_registrar *registrar) {
  host = table;
  cuvil_backend backend = {};
  backend.struct_size = sizeof(backend);
  backend.device = "cpu";
  backend.devices = devices;
  backend.get_capability = getCapability;
  backend.compile = compile;
  backend.compatibility = compatibility;
  backend.validate = validate;
  return registrar->add_backend(registrar->state, &backend);
}

} // namespace

CUVIL_PLUGIN("cuvil.backend-x86", CUVIL_X86_VERSION, "Apache-2.0",
             CUVIL_BACKEND, initialize, nullptr)
