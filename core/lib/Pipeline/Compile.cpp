// SPDX-License-Identifier: Apache-2.0
// One compilation: stages, placement, backends, the outer program.
#include "Placement.h"
#include "cuvil/Pipeline/Pipeline.h"
#include "cuvil/Pipeline/ProgramPlanner.h"
#include "llvm/Support/FileSystem.h"
#include <chrono>

using namespace cuvil;
using llvm::SmallVector;
using mlir::func::FuncOp;

namespace {

/// The outer program of several partitions has no kernels of its own.
class NoKernels : public KernelProvider {
  mlir::FailureOr<RegionPlan> plan(FusionOp region, llvm::ArrayRef<bool>) override {
    return region.emitOpError("was not given to any device");
  }
};

class Compilation {
public:
  Compilation(cuvil_ir *ir, llvm::ArrayRef<cuvil_target> targets, const cuvil_options &given,
              cuvil_progress_fn progress, void *progressState)
      : ir(ir), targets(targets), given(given), progress(progress),
        progressState(progressState), module(ir->module->clone()), collector(ir->context.get()) {}

  cuvil_status *run(cuvil_program **program, char **report);

private:
  cuvil_status *readOptions();
  cuvil_status *runStage(llvm::StringRef stage);
  cuvil_status *place();
  cuvil_status *compileBackend(cuvil_program **program);
  cuvil_status *compileParts(cuvil_program **program);
  void dump(llvm::StringRef stage);
  char *makeReport();

  cuvil_status *error(int32_t code, llvm::StringRef fallback) {
    return collector.takeStatus(code, fallback);
  }

  FuncOp getMain() { return module->lookupSymbol<FuncOp>("main"); }

  cuvil_ir *ir;
  SmallVector<cuvil_target> targets;
  const cuvil_options &given;
  cuvil_progress_fn progress;
  void *progressState;
  /// A copy: the imported module stays as it is and can be compiled again.
  mlir::OwningOpRef<mlir::ModuleOp> module;
  DiagnosticCollector collector;
  PipelineOptions options;
  std::optional<Placement> placement;
  SmallVector<Partition> partitions;
  std::vector<std::pair<std::string, double>> times;
};

} // namespace

cuvil_status *Compilation::readOptions() {
  for (size_t i = 0; i < given.count; ++i) {
    llvm::StringRef key = given.keys[i], value = given.values[i];
    if (key == "fusion")
      options.fusion = value != "0";
    else if (key == "strict")
      options.strict = value == "1";
    else if (key == "precision" && value != "fp32")
      return getHost().status_create_at(
          CUVIL_UNSUPPORTED, ("precision '" + value + "' is not available").str().c_str(), "",
          "available: fp32");
  }
  return nullptr;
}

void Compilation::dump(llvm::StringRef stage) {
  const char *folder = std::getenv("CUVIL_DUMP_DIR");
  if (!folder || !*folder)
    return;
  llvm::sys::fs::create_directories(folder);
  auto number = llvm::find(getStageNames(), stage) - getStageNames().begin();
  std::string path = (llvm::Twine(folder) + "/" + (number < 10 ? "0" : "") +
                      llvm::Twine(number) + "-" + stage + ".mlir")
                         .str();
  std::error_code code;
  llvm::raw_fd_ostream os(path, code);
  if (code) {
    getHost().log(CUVIL_LOG_WARN, ("cannot write " + path + ": " + code.message()).c_str());
    return;
  }
  module->print(os, mlir::OpPrintingFlags().enableDebugInfo(true).elideLargeElementsAttrs(64));
}

cuvil_status *Compilation::runStage(llvm::StringRef stage) {
  mlir::PassManager manager(ir->context.get());
  buildStage(stage, manager, options);
  if (!manager.empty() && mlir::failed(manager.run(*module)))
    return error(CUVIL_INTERNAL, ("stage '" + stage + "' failed").str());
  return nullptr;
}

cuvil_status *Compilation::place() {
  FuncOp main = getMain();
  auto result = Placement::query(main, targets, given, options.strict);
  if (mlir::failed(result))
    return error(CUVIL_UNSUPPORTED, "no device can run the model");
  placement = std::move(*result);
  if (placement->getWhole())
    return nullptr;
  auto outlined = outlinePartitions(main, *placement, targets);
  if (mlir::failed(outlined))
    return error(CUVIL_INTERNAL, "the partition failed");
  partitions = std::move(*outlined);
  return nullptr;
}

/// Compiles functions on one target; exactly one member of each result is set.
static std::vector<cuvil_compile_result> compileOn(const cuvil_target &target,
                                                   llvm::ArrayRef<FuncOp> functions,
                                                   const cuvil_options &options) {
  SmallVector<const cuvil_graph *> graphs;
  for (FuncOp function : functions)
    graphs.push_back(wrapGraph(&function->getRegion(0).front()));
  std::vector<cuvil_compile_result> results(functions.size());
  for (cuvil_compile_result &result : results)
    result.struct_size = sizeof(result);
  target.backend->compile(target.backend->state, graphs.data(), graphs.size(), &options,
                          results.data());
  for (cuvil_compile_result &result : results)
    if (!result.status && !result.program && !result.executable)
      result.status = getHost().status_create(
          CUVIL_PLUGIN_FAILURE,
          (llvm::Twine("device '") + target.device + "' compiled to nothing").str().c_str());
  return results;
}

cuvil_status *Compilation::compileParts(cuvil_program **program) {
  llvm::StringMap<cuvil_executable *> executables;
  cuvil_status *failure = nullptr;
  for (auto [i, target] : llvm::enumerate(targets)) {
    SmallVector<FuncOp> functions;
    for (Partition &part : partitions)
      if (part.target == int(i))
        functions.push_back(part.function);
    if (functions.empty())
      continue;
    auto results = compileOn(target, functions, given);
    for (auto [function, result] : llvm::zip_equal(functions, results)) {
      if (result.program && !failure)
        failure = getHost().program->to_executable(result.program, &result.executable);
      else if (result.status && !failure)
        failure = result.status;
      else if (result.status)
        getHost().status_release(result.status);
      if (result.executable)
        executables[function.getName()] = result.executable;
    }
  }
  NoKernels none;
  mlir::FailureOr<cuvil_program *> outer = mlir::failure();
  if (!failure) {
    outer = planProgram(getMain(), none, [&](llvm::StringRef callee) {
      auto found = executables.find(callee);
      if (found == executables.end())
        return static_cast<cuvil_executable *>(nullptr);
      cuvil_executable *executable = found->second;
      executables.erase(found);
      return executable;
    });
    if (mlir::failed(outer))
      failure = error(CUVIL_INTERNAL, "the program could not be planned");
  }
  for (auto &entry : executables)
    entry.second->destroy(entry.second->state);
  if (!failure)
    *program = *outer;
  return failure;
}

cuvil_status *Compilation::compileBackend(cuvil_program **program) {
  if (!placement->getWhole())
    return compileParts(program);
  FuncOp main = getMain();
  const cuvil_target &target = targets[*placement->getWhole()];
  cuvil_compile_result result = compileOn(target, main, given).front();
  // What a compiler plugin says it says through diagnostics.
  if (result.status && collector.hasErrors()) {
    int32_t code = getHost().status_code(result.status);
    getHost().status_release(result.status);
    return error(code, "");
  }
  if (result.status)
    return result.status;
  if (result.program) {
    *program = result.program;
    return nullptr;
  }
  // An opaque executable becomes the one step of a program around it.
  partitions.push_back({main, *placement->getWhole()});
  mlir::OpBuilder builder(ir->context.get());
  builder.setInsertionPointToEnd(module->getBody());
  auto outer = builder.create<FuncOp>(main.getLoc(), "outer", main.getFunctionType());
  // Callers know the tensors by name.
  outer.setAllArgAttrs(main.getAllArgAttrs());
  outer.setAllResultAttrs(main.getAllResultAttrs());
  mlir::Block *body = outer.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  auto invoke = builder.create<InvokeOp>(main.getLoc(), main.getResultTypes(), main.getName(),
                                         target.device, body->getArguments());
  builder.create<mlir::func::ReturnOp>(main.getLoc(), invoke.getResults());
  NoKernels none;
  bool used = false;
  auto planned = planProgram(outer, none, [&](llvm::StringRef) {
    used = true;
    return result.executable;
  });
  if (mlir::succeeded(planned)) {
    *program = *planned;
    return nullptr;
  }
  if (!used)
    result.executable->destroy(result.executable->state);
  return error(CUVIL_INTERNAL, "the program could not be planned");
}

char *Compilation::makeReport() {
  llvm::json::Array stages, devices;
  for (auto &[stage, seconds] : times)
    stages.push_back(llvm::json::Object{{"stage", stage}, {"seconds", seconds}});
  for (const cuvil_target &target : targets)
    devices.push_back(llvm::json::Object{{"device", target.device}, {"plugin", target.plugin}});
  llvm::json::Object report{{"devices", std::move(devices)},
                            {"ops", placement->toJson(targets)},
                            {"partitions", int64_t(std::max<size_t>(partitions.size(), 1))},
                            {"stages", std::move(stages)}};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << llvm::json::Value(std::move(report));
  auto *copy = static_cast<char *>(getHost().allocate(text.size() + 1, 1));
  if (copy)
    std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

cuvil_status *Compilation::run(cuvil_program **program, char **report) {
  if (cuvil_status *status = readOptions())
    return status;
  double last = 0;
  for (llvm::StringRef stage : getStageNames()) {
    if (progress && progress(progressState, stage.str().c_str(), last))
      return getHost().status_create(CUVIL_CANCELLED, "the compilation was cancelled");
    auto start = std::chrono::steady_clock::now();
    cuvil_status *status = stage == "partition" ? place()
                           : stage == "backend" ? compileBackend(program)
                                                : runStage(stage);
    if (status)
      return status;
    dump(stage);
    last = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    times.emplace_back(stage.str(), last);
  }
  if (report)
    *report = makeReport();
  return nullptr;
}

cuvil_status *cuvil::compileIr(cuvil_ir *ir, const cuvil_target *targets, size_t numTargets,
                               const cuvil_options *options, cuvil_progress_fn progress,
                               void *progressState, cuvil_program **program, char **report) {
  cuvil_options none = {};
  none.struct_size = sizeof(none);
  // One compilation at a time in a context.
  std::lock_guard<std::mutex> lock(ir->mutex);
  if (ir->builder)
    return getHost().status_create_at(CUVIL_FAILED_PRECONDITION, "the graph is not finished", "",
                                      "end building before compiling");
  // Backends emit kernels in parallel; building and importing stay cheap
  // without locks.
  ir->context->enableMultithreading();
  cuvil_status *status =
      Compilation(ir, llvm::ArrayRef(targets, numTargets), options ? *options : none, progress,
                  progressState)
          .run(program, report);
  ir->context->disableMultithreading();
  return status;
}
