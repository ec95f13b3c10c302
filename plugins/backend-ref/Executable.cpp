// SPDX-License-Identifier: Apache-2.0
// A function that the reference kernels run.
#include "Executable.h"
#include "cuvil/Eval/Interpreter.h"
#include "cuvil/Graph/Graph.h"
#include <cstring>
#include <new>

using namespace cuvil;
using namespace cuvil::ref;

namespace {
struct State {
  const cuvil_host *host;
  Image image;
  LoadedImage loaded;
  std::unique_ptr<Interpreter> interpreter;
  cuvil_executable handle = {};
};
} // namespace

static cuvil_status *makeStatus(const cuvil_host *host,
                                const EvalError &error) {
  std::string where = error.where ? getLocationText(*error.where) : "";
  return host->status_create_at(error.code, error.message.c_str(),
                                where.c_str(), "");
}

static bool isCompact(const cuvil_dl_tensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  bool isEmpty = false, compact = true;
  for (int32_t i = tensor.ndim; i-- > 0;) {
    isEmpty |= tensor.shape[i] == 0;
    compact &= tensor.shape[i] == 1 || tensor.strides[i] == expected;
    expected *= tensor.shape[i];
  }
  return compact || isEmpty;
}

/// Why a tensor can't be used, or "".
static std::string checkTensor(const cuvil_dl_tensor &tensor) {
  if (tensor.device.device_type != 1)
    return "is not in host memory";
  if (getDtype(tensor.dtype) == CUVIL_DTYPE_NONE)
    return "has an unknown element type";
  return isCompact(tensor) ? "" : "is not compact and row-major";
}

static char *getData(const cuvil_dl_tensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}

static llvm::ArrayRef<int64_t> getDims(const cuvil_dl_tensor &tensor) {
  return llvm::ArrayRef(tensor.shape, tensor.ndim);
}

static cuvil_status *run(State &state, cuvil_dl_tensor *const *inputs,
                         size_t numInputs, cuvil_dl_tensor *const *outputs,
                         size_t numOutputs) {
  auto refuse = [&](const char *what, size_t i, const std::string &why) {
    return state.host->status_create(
        CUVIL_INVALID_ARGUMENT,
        (std::string(what) + " " + std::to_string(i) + " " + why).c_str());
  };
  std::vector<EvalTensor> arguments, results;
  for (size_t i = 0; i < numInputs; ++i) {
    if (std::string why = checkTensor(*inputs[i]); !why.empty())
      return refuse("input", i, why);
    arguments.emplace_back(getDtype(inputs[i]->dtype), getDims(*inputs[i]),
                           getData(*inputs[i]));
  }
  llvm::SmallVector<llvm::SmallVector<int64_t>> dims;
  for (size_t i = 0; i < numOutputs; ++i) {
    if (std::string why = checkTensor(*outputs[i]); !why.empty())
      return refuse("output", i, why);
    dims.emplace_back(getDims(*outputs[i]));
  }
  EvalError error;
  if (failed(state.interpreter->run(arguments, dims, results, error)))
    return makeStatus(state.host, error);
  if (results.size() != numOutputs)
    return refuse("output", results.size(), "is missing");
  for (size_t i = 0; i < numOutputs; ++i) {
    if (results[i].getDims() != getDims(*outputs[i]) ||
        results[i].getDtype() != getDtype(outputs[i]->dtype))
      return refuse("output", i,
                    "has another size or element type than the "
                    "result");
    if (results[i].getNumBytes())
      std::memcpy(getData(*outputs[i]), results[i].getData(),
                  results[i].getNumBytes());
  }
  return nullptr;
}

static cuvil_status *invoke(void *handle, cuvil_dl_tensor *const *inputs,
                            size_t numInputs, cuvil_dl_tensor *const *outputs,
                            size_t numOutputs, void *) {
  State &state = *static_cast<State *>(handle);
  try {
    return run(state, inputs, numInputs, outputs, numOutputs);
  } catch (const std::bad_alloc &) {
    return state.host->status_create(CUVIL_RESOURCE_EXHAUSTED,
                                     "out of memory on device 'ref'");
  } catch (const std::exception &exception) {
    return state.host->status_create(CUVIL_INTERNAL, exception.what());
  }
}

static cuvil_status *serialize(void *handle, void *sinkState,
                               void (*sink)(void *, const void *, size_t)) {
  State &state = *static_cast<State *>(handle);
  try {
    std::string bytes = writeImage(state.image);
    sink(sinkState, bytes.data(), bytes.size());
    return nullptr;
  } catch (const std::bad_alloc &) {
    return state.host->status_create(CUVIL_RESOURCE_EXHAUSTED,
                                     "out of memory on device 'ref'");
  }
}

cuvil_status *cuvil::ref::makeExecutable(const cuvil_host *host, Image image,
                                         cuvil_executable **out) {
  auto state = std::make_unique<State>();
  state->host = host;
  state->image = std::move(image);
  std::string why;
  auto loaded = loadImage(state->image, why);
  if (failed(loaded))
    return host->status_create(CUVIL_INVALID_MODEL, why.c_str());
  state->loaded = std::move(*loaded);
  EvalError error;
  state->interpreter = Interpreter::create(state->loaded.getEntry(), error);
  if (!state->interpreter)
    return makeStatus(host, error);
  state->handle.struct_size = sizeof(cuvil_executable);
  state->handle.state = state.get();
  state->handle.concurrent = 1;
  state->handle.invoke = invoke;
  state->handle.destroy = [](void *handle) {
    delete static_cast<State *>(handle);
  };
  state->handle.serialize = serialize;
  *out = &state.release()->handle;
  return nullptr;
}
