// SPDX-License-Identifier: Apache-2.0
// Running, submitting and profiling compiled models.
#include "AsyncQueue.h"
#include "CompiledModel.h"
#include <cstring>
#include <nlohmann/json.hpp>

using namespace cuvil;

namespace {

/// Releases the outputs that the runtime made for a run nobody looks at.
class ScratchOutputs {
public:
  explicit ScratchOutputs(size_t n) : outputs(n) {
    for (cuvil_output &output : outputs)
      output.struct_size = sizeof(cuvil_output);
  }
  ~ScratchOutputs() { release(); }
  void release() {
    for (cuvil_output &output : outputs)
      if (output.release)
        output.release(output.owner);
    for (cuvil_output &output : outputs)
      output = {sizeof(cuvil_output), {}, nullptr, nullptr};
  }
  cuvil_output *data() { return outputs.data(); }
  size_t size() const { return outputs.size(); }

private:
  std::vector<cuvil_output> outputs;
};

const char *stepKindName(int32_t kind) {
  static const char *const names[] = {"none",  "call",  "copy",   "alias",
                                      "bind",  "check", "if",     "while",
                                      "invoke", "host", "assign"};
  return kind >= 0 && kind < int32_t(std::size(names)) ? names[kind] : "?";
}

nlohmann::json describeTimes(const Program &program,
                             const std::vector<StepTime> &times) {
  auto steps = nlohmann::json::array();
  for (const StepTime &time : times) {
    if (!time.calls)
      continue;
    const ProgramStep &step = *time.step;
    nlohmann::json entry = {{"kind", stepKindName(step.kind)},
                            {"label", step.label},
                            {"location", step.location},
                            {"calls", time.calls},
                            {"seconds", time.seconds},
                            {"flops", time.flops},
                            {"bytes", time.bytes}};
    if (step.kind == CUVIL_STEP_CALL)
      entry["kernel"] = program.kernels[step.kernel].symbol;
    steps.push_back(std::move(entry));
  }
  return steps;
}

} // namespace

cuvil_status *cuvil_run(cuvil_compiled *compiled,
                        const cuvil_dl_tensor *const *inputs, size_t numInputs,
                        cuvil_output *outputs, size_t numOutputs) {
  return guardC([&] {
    return compiled->model->program->run(inputs, numInputs, outputs,
                                         numOutputs);
  });
}

cuvil_status *cuvil_submit(cuvil_compiled *compiled,
                           const cuvil_dl_tensor *const *inputs,
                           size_t numInputs, cuvil_output *outputs,
                           size_t numOutputs, cuvil_complete_fn onComplete,
                           void *state) {
  return guardC([&]() -> Status {
    if (!onComplete)
      return Status(CUVIL_INVALID_ARGUMENT, "cuvil_submit: no on_complete");
    // The model lives as long as the call, whatever happens to the handle.
    return submitTask([=, model = compiled->model] {
      onComplete(state, guardC([&] {
                   return model->program->run(inputs, numInputs, outputs,
                                              numOutputs);
                 }));
    });
  });
}

cuvil_status *cuvil_profile(cuvil_compiled *compiled,
                            const cuvil_dl_tensor *const *inputs,
                            size_t numInputs, char **json) {
  return guardC([&]() -> Status {
    LoadedProgram &program = *compiled->model->program;
    ScratchOutputs outputs(program.getNumOutputs());
    // The first run pays for pages and plans.
    if (Status s = program.run(inputs, numInputs, outputs.data(),
                               outputs.size());
        s.failed())
      return s;
    outputs.release();
    std::vector<StepTime> times;
    RunOptions options;
    options.times = &times;
    if (Status s = program.run(inputs, numInputs, outputs.data(),
                               outputs.size(), options);
        s.failed())
      return s;
    double total = 0;
    for (const StepTime &time : times)
      total += time.seconds;
    nlohmann::json all = {
        {"seconds", total},
        {"steps", describeTimes(program.getProgram(), times)}};
    std::string text =
        all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
    *json = strdup(text.c_str());
    return *json ? Status()
                 : Status(CUVIL_RESOURCE_EXHAUSTED, "out of memory");
  });
}
