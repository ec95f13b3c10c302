// SPDX-License-Identifier: Apache-2.0
// A compiled model as the C API hands it out.
#ifndef CUVIL_LIB_CAPI_COMPILEDMODEL_H
#define CUVIL_LIB_CAPI_COMPILEDMODEL_H

#include "cuvil/Runtime/LoadedProgram.h"
#include <deque>

namespace cuvil {

/// Text and sizes behind one cuvil_tensor_info.
struct TensorText {
  std::string name;
  cuvil_dtype dtype;
  std::vector<int64_t> sizes;
  std::vector<std::string> dims;
  std::vector<const char *> dimPointers;

  cuvil_tensor_info info() const {
    return {sizeof(cuvil_tensor_info), name.c_str(), dtype,
            int32_t(sizes.size()),     sizes.data(), dimPointers.data()};
  }
};

/// Shared with the calls under way, so that destroying the handle is safe.
struct CompiledModel {
  std::shared_ptr<LoadedProgram> program;
  std::deque<TensorText> inputs, outputs;
  std::string report;
};

/// Fills the tensor texts from the program's buffers.
void describeTensors(CompiledModel &model);

} // namespace cuvil

struct cuvil_compiled_t {
  std::shared_ptr<cuvil::CompiledModel> model;
};

#endif // CUVIL_LIB_CAPI_COMPILEDMODEL_H
