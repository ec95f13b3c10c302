// SPDX-License-Identifier: Apache-2.0
// Host tensors in numpy's .npy files.
#ifndef CUVIL_TOOLS_CUVIL_EVAL_NPY_H
#define CUVIL_TOOLS_CUVIL_EVAL_NPY_H

#include "cuvil/Eval/EvalTensor.h"
#include "llvm/Support/Error.h"

namespace cuvil {

/// Reads a row-major, little-endian array as elements of `dtype`. numpy has no
/// bfloat16: its bits come as uint16.
llvm::Expected<EvalTensor> readNpy(const std::string &path, cuvil_dtype dtype);

llvm::Error writeNpy(const std::string &path, const EvalTensor &tensor);

} // namespace cuvil

#endif // CUVIL_TOOLS_CUVIL_EVAL_NPY_H
