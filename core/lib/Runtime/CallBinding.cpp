// SPDX-License-Identifier: Apache-2.0
// Argument checks with names, zero copy where the layout allows it, and
// results written where the caller wants them.
#include "CallBinding.h"
#include "cuvil/Runtime/Tensor.h"
#include <cstdlib>
#include <cstring>

namespace cuvil {
namespace {

/// What empty tensors without memory point to.
alignas(64) char emptyBytes[64];

std::string inputName(const Program &program, const ProgramImage &image,
                      size_t i) {
  return "input " + program.describeBuffer(image.arguments[i]);
}

bool isAligned(const void *data, int64_t size) {
  return reinterpret_cast<uintptr_t>(data) % size == 0;
}

std::string list(const int64_t *values, size_t n) {
  std::string text = "[";
  for (size_t i = 0; i < n; ++i)
    text += (i ? ", " : "") + std::to_string(values[i]);
  return text + "]";
}

} // namespace

Status readSymbols(const Program &program, const ProgramImage &image,
                   const CallArguments &call, int64_t *symbols) {
  if (call.numInputs != image.arguments.size())
    return Status(CUVIL_INVALID_ARGUMENT,
                  "expected " + std::to_string(image.arguments.size()) +
                      " inputs, got " + std::to_string(call.numInputs));
  if (call.numOutputs != image.results.size())
    return Status(CUVIL_INVALID_ARGUMENT,
                  "expected room for " + std::to_string(image.results.size()) +
                      " outputs, got " + std::to_string(call.numOutputs));
  if (call.numOutputs && call.outputs[0].struct_size < sizeof(cuvil_output))
    return Status(CUVIL_INVALID_ARGUMENT,
                  "cuvil_output.struct_size is not set");
  for (size_t i = 0; i < call.numInputs; ++i) {
    const cuvil_dl_tensor *input = call.inputs[i];
    const ProgramBuffer &expected = program.buffers[image.arguments[i]];
    auto fail = [&](const std::string &what) {
      std::string name = inputName(program, image, i);
      return Status(CUVIL_INVALID_ARGUMENT, name + what, name);
    };
    if (!input)
      return fail(" is missing");
    if (input->device.device_type != kDeviceCpu)
      return fail(": expected memory of the CPU, got DLPack device type " +
                  std::to_string(input->device.device_type));
    if (getDtype(input->dtype) != expected.dtype)
      return fail(std::string(": expected element type ") +
                  getDtypeName(expected.dtype) + ", got " +
                  dlpackName(input->dtype));
    if (input->ndim < 0 || size_t(input->ndim) != expected.dims.size())
      return fail(": expected rank " + std::to_string(expected.dims.size()) +
                  ", got " + std::to_string(input->ndim) +
                  (input->ndim > 0 && input->ndim < 16
                       ? " with sizes " + list(input->shape, input->ndim)
                       : ""));
    for (int32_t d = 0; d < input->ndim; ++d)
      if (input->shape[d] < 0)
        return fail(" dim " + std::to_string(d) + " is negative");
  }
  for (size_t i = 0; i < program.symbols.size(); ++i)
    if (const ProgramSymbol &symbol = program.symbols[i]; symbol.arg >= 0)
      symbols[i] = call.inputs[symbol.arg]->shape[symbol.dim];
  return {};
}

CallBinding::CallBinding(const Program &program, const ProgramImage &image,
                         Context &context, const CallArguments &call)
    : program(program), image(image), context(context), call(call),
      results(context.results), inputCopies(context.inputCopies) {
  results.assign(image.results.size(), {});
  inputCopies.clear();
}

CallBinding::~CallBinding() {
  for (ResultMemory &memory : results)
    dropResult(memory);
  for (DynamicBlock *block : inputCopies)
    context.releaseBlock(block);
}

Status CallBinding::dimError(size_t input, uint32_t dim) const {
  uint32_t id = image.arguments[input];
  const SizeExpr &expr = program.buffers[id].dims[dim];
  std::string name = inputName(program, image, input);
  std::string at = name + " dim " + std::to_string(dim);
  std::string got = std::to_string(call.inputs[input]->shape[dim]);
  int64_t expected;
  if (expr.evaluate(context.symbols.data(), expected) !=
      SizeExpr::Error::None)
    return Status(CUVIL_INVALID_ARGUMENT,
                  at + ": '" + program.describe(expr) +
                      "' cannot be computed for these inputs",
                  name);
  const auto &code = expr.getCode();
  if (code.size() == 2 && code[0] == CUVIL_DIM_SYM) {
    const ProgramSymbol &symbol = program.symbols[code[1]];
    return Status(CUVIL_INVALID_ARGUMENT,
                  at + " is " + got + " but symbol '" + symbol.name +
                      "' was bound to " + std::to_string(expected) + " by " +
                      inputName(program, image, symbol.arg) + " dim " +
                      std::to_string(symbol.dim),
                  name);
  }
  std::string formula = code.size() == 2 ? "" : program.describe(expr) + " = ";
  return Status(CUVIL_INVALID_ARGUMENT,
                at + ": expected " + formula + std::to_string(expected) +
                    ", got " + got,
                name);
}

Status CallBinding::bindInput(size_t i) {
  const cuvil_dl_tensor &input = *call.inputs[i];
  uint32_t id = image.arguments[i];
  const BufferImage &buffer = image.buffers[id];
  for (uint32_t d = 0; d < buffer.rank; ++d)
    if (input.shape[d] != context.values[buffer.firstDim + d])
      return dimError(i, d);
  int64_t bytes = context.values[buffer.byteSlot()];
  if (bytes == 0) {
    context.pointers[id] = emptyBytes;
    return {};
  }
  if (!input.data) {
    std::string name = inputName(program, image, i);
    return Status(CUVIL_INVALID_ARGUMENT, name + " has no data", name);
  }
  void *data = dataOf(input);
  int64_t size = getElementSize(program.buffers[id].dtype);
  bool compact = isCompact(input);
  if (compact && isAligned(data, size)) {
    context.pointers[id] = data;
    return {};
  }
  DynamicBlock *block = context.acquireBlock(bytes);
  if (!block)
    return Status(CUVIL_RESOURCE_EXHAUSTED,
                  "no memory to copy " + inputName(program, image, i));
  inputCopies.push_back(block);
  context.pointers[id] = block->memory.data();
  if (compact)
    std::memcpy(block->memory.data(), data, bytes);
  else
    copyToCompact(input, size, block->memory.data());
  return {};
}

Status CallBinding::bindInputs() {
  for (size_t i = 0; i < call.numInputs; ++i)
    if (Status s = bindInput(i); s.failed())
      return s;
  return {};
}

Status CallBinding::prepareFixedResults() {
  for (uint32_t i = 0; i < image.results.size(); ++i)
    if (image.buffers[image.results[i]].fixedSize)
      if (Status s = prepareResult(i); s.failed())
        return s;
  return {};
}

void CallBinding::dropResult(ResultMemory &memory) {
  std::free(memory.owned);
  if (memory.copied)
    context.releaseBlock(memory.copied);
  memory = {};
}

bool CallBinding::overlapsOther(const void *data, int64_t size,
                                uint32_t number) const {
  auto begin = reinterpret_cast<uintptr_t>(data);
  auto overlaps = [&](const cuvil_dl_tensor &tensor, int64_t bytes) {
    auto other = reinterpret_cast<uintptr_t>(dataOf(tensor));
    return tensor.data && begin < other + bytes && other < begin + size;
  };
  // Strided inputs were copied before the first step.
  for (size_t i = 0; i < call.numInputs; ++i)
    if (overlaps(*call.inputs[i],
                 context.values[image.buffers[image.arguments[i]].byteSlot()]))
      return true;
  for (uint32_t i = 0; i < number; ++i)
    if (overlaps(call.output(i).tensor,
                 context.values[image.buffers[image.results[i]].byteSlot()]))
      return true;
  return false;
}

Status CallBinding::prepareResult(uint32_t number) {
  uint32_t id = image.results[number];
  const BufferImage &buffer = image.buffers[id];
  const ProgramBuffer &desc = program.buffers[id];
  ResultMemory &memory = results[number];
  dropResult(memory);
  const int64_t *dims = &context.values[buffer.firstDim];
  int64_t bytes = context.values[buffer.byteSlot()];
  const cuvil_dl_tensor &out = call.output(number).tensor;
  std::string name = "output " + program.describeBuffer(id);
  if (!out.data) {
    size_t header = (buffer.rank * sizeof(int64_t) + 63) / 64 * 64;
    memory.owned =
        std::aligned_alloc(64, header + (bytes + 63) / 64 * 64 + 64);
    if (!memory.owned)
      return Status(CUVIL_RESOURCE_EXHAUSTED,
                    "no memory for " + name + " of " + std::to_string(bytes) +
                        " bytes");
    std::memcpy(memory.owned, dims, buffer.rank * sizeof(int64_t));
    memory.data = static_cast<char *>(memory.owned) + header;
    context.pointers[id] = memory.data;
    return {};
  }
  bool sameShape = out.ndim >= 0 && size_t(out.ndim) == buffer.rank;
  for (uint32_t d = 0; sameShape && d < buffer.rank; ++d)
    sameShape = out.shape[d] == dims[d];
  if (out.device.device_type != kDeviceCpu ||
      getDtype(out.dtype) != desc.dtype || !sameShape)
    return Status(CUVIL_INVALID_ARGUMENT,
                  name + ": expected " + getDtypeName(desc.dtype) +
                      list(dims, buffer.rank) + " on the CPU, got " +
                      dlpackName(out.dtype) +
                      (out.ndim >= 0 && out.ndim < 16
                           ? list(out.shape, out.ndim)
                           : ""),
                  name);
  void *data = dataOf(out);
  if (bytes == 0)
    data = emptyBytes;
  else if (!isCompact(out) || !isAligned(data, getElementSize(desc.dtype)) ||
           overlapsOther(data, bytes, number)) {
    memory.copied = context.acquireBlock(bytes);
    if (!memory.copied)
      return Status(CUVIL_RESOURCE_EXHAUSTED, "no memory for " + name);
    data = memory.copied->memory.data();
  }
  memory.data = data;
  context.pointers[id] = data;
  return {};
}

void CallBinding::finish() {
  for (uint32_t i = 0; i < results.size(); ++i) {
    uint32_t id = image.results[i];
    const ProgramBuffer &desc = program.buffers[id];
    cuvil_output &output = call.output(i);
    ResultMemory &memory = results[i];
    if (memory.copied) {
      if (isCompact(output.tensor))
        std::memcpy(dataOf(output.tensor), memory.data,
                    context.values[image.buffers[id].byteSlot()]);
      else
        copyFromCompact(memory.data, getElementSize(desc.dtype),
                        output.tensor);
      continue;
    }
    if (!memory.owned)
      continue;
    output.tensor.data = memory.data;
    output.tensor.device = {kDeviceCpu, 0};
    output.tensor.ndim = desc.dims.size();
    output.tensor.dtype = getDlDtype(desc.dtype);
    output.tensor.shape = static_cast<int64_t *>(memory.owned);
    output.tensor.strides = nullptr;
    output.tensor.byte_offset = 0;
    output.owner = std::exchange(memory.owned, nullptr);
    output.release = [](void *owner) { std::free(owner); };
  }
}

} // namespace cuvil
