// SPDX-License-Identifier: Apache-2.0
// The one exported symbol of libcuvil-compiler.so.
#include "cuvil/Pipeline/Pipeline.h"
#include "llvm/Config/llvm-config.h"

using namespace cuvil;

extern "C" CUVIL_EXPORT const cuvil_compiler_api *cuvil_compiler_query(const cuvil_host *host);

extern "C" const cuvil_compiler_api *cuvil_compiler_query(const cuvil_host *host) {
  setHost(host);
  static const cuvil_compiler_api api = {
      sizeof(cuvil_compiler_api),
      "mlir-" LLVM_VERSION_STRING,
      &getGraphApi(),
      &getBuilderApi(),
      createIr,
      [](cuvil_ir *ir) { return ir->builder.get(); },
      finishIr,
      parseIr,
      printIr,
      getIrTensor,
      getNumIrTensors,
      getIrTensorAt,
      [](cuvil_ir *ir) { delete ir; },
      compileIr,
  };
  return &api;
}
