// SPDX-License-Identifier: Apache-2.0
// Compiling: devices resolved, pipeline run, program loaded, report completed.
#include "Compile.h"
#include "cuvil/Plugin/Host.h"
#include "cuvil/Plugin/Registry.h"
#include "cuvil/Runtime/WorkerPool.h"
#include <nlohmann/json.hpp>
#include <sstream>

namespace cuvil {
namespace {

using nlohmann::json;

/// The execution mode must be one that the first device has.
Status checkMode(const CompileOptions &options, const BackendRef &backend) {
  std::string mode = options.get("mode");
  if (mode.empty())
    return {};
  cuvil_device_info info = {};
  info.struct_size = sizeof(info);
  backend.table->devices(backend.table->state, &info, 1);
  std::string modes = info.modes ? info.modes : "";
  std::stringstream list(modes);
  for (std::string name; std::getline(list, name, ',');)
    if (name == mode)
      return {};
  return Status(CUVIL_UNSUPPORTED,
                "device '" + backend.device + "' has no execution mode '" +
                    mode + "'; its modes: " + (modes.empty() ? "none" : modes),
                "backend");
}

json describeProgram(const LoadedProgram &loaded) {
  const Program &program = loaded.getProgram();
  json buffers = {{"arguments", program.count(CUVIL_BUFFER_ARGUMENT)},
                  {"results", program.count(CUVIL_BUFFER_RESULT)},
                  {"temporaries", program.count(CUVIL_BUFFER_TEMPORARY)},
                  {"constants", program.count(CUVIL_BUFFER_CONSTANT)},
                  {"persistent", program.count(CUVIL_BUFFER_PERSISTENT)},
                  {"arena_bytes", loaded.getArenaBytes()},
                  {"persistent_bytes", loaded.getPersistentBytes()}};
  json steps = json::array();
  for (size_t block = 1; block < program.blocks.size(); ++block)
    for (const ProgramStep &step : program.blocks[block].steps)
      if (step.kind == CUVIL_STEP_CALL)
        steps.push_back({{"kernel", program.kernels[step.kernel].symbol},
                         {"label", step.label},
                         {"location", step.location},
                         {"flops", program.describe(step.flops)},
                         {"bytes", program.describe(step.bytes)},
                         {"tiles", program.describe(step.tiles)}});
  return {{"buffers", buffers},
          {"kernels", steps},
          {"library", program.library},
          {"init_steps", program.blocks[0].steps.size()}};
}

} // namespace

StatusOr<CompileOutput> compileIr(cuvil_ir *ir, const std::string &device,
                                  const CompileOptions &options,
                                  cuvil_progress_fn progress, void *state) {
  auto compiler = openCompiler();
  if (compiler.failed())
    return compiler.takeError();
  auto backends = PluginRegistry::get().resolveDevices(device);
  if (backends.failed())
    return backends.takeError();
  if (Status s = checkMode(options, backends->front()); s.failed())
    return s;
  std::vector<cuvil_target> targets;
  for (const BackendRef &backend : *backends)
    targets.push_back({sizeof(cuvil_target), backend.device.c_str(),
                       backend.plugin->descriptor.id, backend.table});
  std::vector<const char *> keys, values;
  for (const auto &[key, value] : options.all()) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  cuvil_options table = {sizeof(cuvil_options), keys.data(), values.data(),
                         keys.size()};
  cuvil_program *program = nullptr;
  char *report = nullptr;
  Status status = Status::adopt(
      (*compiler)->compile(ir, targets.data(), targets.size(), &table,
                           progress, state, &program, &report));
  CompileOutput output;
  output.program.reset(program);
  if (report) {
    output.report = report;
    getHost().deallocate(report);
  }
  if (status.failed())
    return status;
  if (!program)
    return Status(CUVIL_INTERNAL, "the compiler library made no program");
  return output;
}

StatusOr<std::shared_ptr<CompiledModel>>
makeModel(CompileOutput compiled, const CompileOptions &options,
          const std::string &cache) {
  LoadOptions load;
  load.threads = options.threads();
  load.preallocate = options.isOn("static_batch");
  auto loaded = LoadedProgram::load(std::move(compiled.program), load);
  if (loaded.failed())
    return loaded.takeError();
  auto model = std::make_shared<CompiledModel>();
  model->program = std::move(*loaded);
  describeTensors(*model);
  json report = json::parse(compiled.report, nullptr, false);
  if (!report.is_object())
    report = json::object();
  report["program"] = describeProgram(*model->program);
  report["cache"] = cache;
  report["threads"] = load.threads ? std::min(load.threads,
                                              WorkerPool::getSize())
                                   : WorkerPool::getSize();
  model->report =
      report.dump(2, ' ', false, json::error_handler_t::replace);
  return model;
}

} // namespace cuvil

using namespace cuvil;

cuvil_status *cuvil_compile_ir(cuvil_ir *ir, const char *device,
                               const cuvil_options *given,
                               cuvil_progress_fn progress, void *state,
                               cuvil_compiled **out) {
  return guardC([&]() -> Status {
    if (!ir || !out)
      return Status(CUVIL_INVALID_ARGUMENT, "cuvil_compile_ir: null argument");
    auto options = CompileOptions::parse(given);
    if (options.failed())
      return options.takeError();
    auto compiled = compileIr(ir, device && *device ? device : "auto",
                              *options, progress, state);
    if (compiled.failed())
      return compiled.takeError();
    auto model = makeModel(std::move(*compiled), *options, "off");
    if (model.failed())
      return model.takeError();
    *out = new cuvil_compiled_t{std::move(*model)};
    return {};
  });
}
