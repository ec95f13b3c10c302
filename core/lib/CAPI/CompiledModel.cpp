// SPDX-License-Identifier: Apache-2.0
// Questions to a compiled model.
#include "CompiledModel.h"
#include "cuvil/Runtime/StructCopy.h"

namespace cuvil {
namespace {

TensorText describeBuffer(const Program &program,
                          const ProgramBuffer &buffer) {
  TensorText text;
  text.name = buffer.name;
  text.dtype = buffer.dtype;
  for (const SizeExpr &dim : buffer.dims) {
    int64_t size = -1;
    if (!dim.anySymbol([](int64_t) { return true; }) &&
        dim.evaluate(nullptr, size) != SizeExpr::Error::None)
      size = -1;
    text.sizes.push_back(size);
    text.dims.push_back(program.describe(dim));
  }
  return text;
}

Status infoAt(const std::deque<TensorText> &list, size_t i, const char *what,
              cuvil_tensor_info *out) {
  if (i >= list.size())
    return Status(CUVIL_INVALID_ARGUMENT,
                  std::string("there is no ") + what + " " +
                      std::to_string(i) + "; the model has " +
                      std::to_string(list.size()));
  if (out->struct_size < sizeof(size_t))
    return Status(CUVIL_INVALID_ARGUMENT,
                  "cuvil_tensor_info.struct_size is not set");
  storeTruncated(list[i].info(), out);
  return {};
}

} // namespace

void describeTensors(CompiledModel &model) {
  const LoadedProgram &program = *model.program;
  auto fill = [&](std::deque<TensorText> &list, const ProgramBuffer &buffer) {
    list.push_back(describeBuffer(program.getProgram(), buffer));
    for (const std::string &dim : list.back().dims)
      list.back().dimPointers.push_back(dim.c_str());
  };
  for (size_t i = 0; i < program.getNumInputs(); ++i)
    fill(model.inputs, program.getInput(i));
  for (size_t i = 0; i < program.getNumOutputs(); ++i)
    fill(model.outputs, program.getOutput(i));
}

} // namespace cuvil

using namespace cuvil;

void cuvil_compiled_destroy(cuvil_compiled *compiled) { delete compiled; }

size_t cuvil_num_inputs(const cuvil_compiled *compiled) {
  return compiled->model->inputs.size();
}
size_t cuvil_num_outputs(const cuvil_compiled *compiled) {
  return compiled->model->outputs.size();
}
cuvil_status *cuvil_input_info(const cuvil_compiled *compiled, size_t i,
                               cuvil_tensor_info *out) {
  return guardC(
      [&] { return infoAt(compiled->model->inputs, i, "input", out); });
}
cuvil_status *cuvil_output_info(const cuvil_compiled *compiled, size_t i,
                                cuvil_tensor_info *out) {
  return guardC(
      [&] { return infoAt(compiled->model->outputs, i, "output", out); });
}
const char *cuvil_report(const cuvil_compiled *compiled) {
  return compiled->model->report.c_str();
}
