// SPDX-License-Identifier: Apache-2.0
// Layout questions and copies of DLPack tensors on the host.
#ifndef CUVIL_RUNTIME_TENSOR_H
#define CUVIL_RUNTIME_TENSOR_H

#include "cuvil/Runtime/Constant.h"
#include <string>

namespace cuvil {

inline constexpr int32_t kDeviceCpu = 1; // DLPack's kDLCPU

/// Name of a DLPack type, also of those that Cuvil does not know.
std::string dlpackName(cuvil_dl_dtype dtype);

/// True when the tensor's elements lie in row-major order without gaps.
bool isCompact(const cuvil_dl_tensor &tensor);
/// The address of its first element.
inline void *dataOf(const cuvil_dl_tensor &tensor) {
  return static_cast<char *>(tensor.data) + tensor.byte_offset;
}
/// Copies between a strided tensor and compact memory of the same shape.
void copyToCompact(const cuvil_dl_tensor &from, int64_t elementSize, void *to);
void copyFromCompact(const void *from, int64_t elementSize,
                     const cuvil_dl_tensor &to);

} // namespace cuvil

#endif // CUVIL_RUNTIME_TENSOR_H
