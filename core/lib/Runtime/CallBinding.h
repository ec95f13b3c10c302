// SPDX-License-Identifier: Apache-2.0
// The borders of a call: its inputs checked and its outputs given memory.
#ifndef CUVIL_LIB_RUNTIME_CALLBINDING_H
#define CUVIL_LIB_RUNTIME_CALLBINDING_H

#include "Context.h"
#include "cuvil/c_api.h"

namespace cuvil {

/// One call's arguments and results, as the caller gave them.
struct CallArguments {
  const cuvil_dl_tensor *const *inputs = nullptr;
  size_t numInputs = 0;
  cuvil_output *outputs = nullptr;
  size_t numOutputs = 0;

  /// The caller's array may have elements of an older, smaller type.
  cuvil_output &output(size_t i) const {
    return *reinterpret_cast<cuvil_output *>(
        reinterpret_cast<char *>(outputs) + i * outputs[0].struct_size);
  }
};

/// Checks counts, types, ranks and devices, and reads the symbols that
/// arguments bind into `symbols`.
Status readSymbols(const Program &program, const ProgramImage &image,
                   const CallArguments &call, int64_t *symbols);

class CallBinding {
public:
  CallBinding(const Program &program, const ProgramImage &image,
              Context &context, const CallArguments &call);
  ~CallBinding();

  /// Compares every dim with the planned one and sets the argument pointers.
  Status bindInputs();
  /// Gives memory to all results whose sizes are known.
  Status prepareFixedResults();
  /// Gives memory to one result whose dims are in the slots now.
  Status prepareResult(uint32_t number);
  /// Hands the results over. Nothing fails after the first one is handed over.
  void finish();

private:
  Status dimError(size_t input, uint32_t dim) const;
  Status bindInput(size_t input);
  void dropResult(ResultMemory &memory);
  bool overlapsOther(const void *data, int64_t size, uint32_t number) const;

  const Program &program;
  const ProgramImage &image;
  Context &context;
  const CallArguments &call;
  std::vector<ResultMemory> &results;
  std::vector<DynamicBlock *> &inputCopies;
};

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_CALLBINDING_H
