// SPDX-License-Identifier: Apache-2.0
// Names of DLPack types, compactness, strided copies.
#include "cuvil/Runtime/Tensor.h"
#include <array>
#include <cstring>

namespace cuvil {
namespace {

/// Walks a strided tensor row by row; `move` gets the strided address, the
/// compact address, the element count of the row and its stride in bytes.
template <typename Move>
void walkRows(const cuvil_dl_tensor &tensor, int64_t size, char *compact,
              Move move) {
  int32_t rank = tensor.ndim;
  char *base = static_cast<char *>(dataOf(tensor));
  if (rank == 0) {
    move(base, compact, int64_t(1), size);
    return;
  }
  for (int32_t i = 0; i < rank; ++i)
    if (tensor.shape[i] == 0)
      return;
  int64_t row = tensor.shape[rank - 1];
  int64_t rowStride = tensor.strides[rank - 1] * size;
  std::array<int64_t, 64> index = {};
  while (true) {
    int64_t offset = 0;
    for (int32_t i = 0; i < rank - 1; ++i)
      offset += index[i] * tensor.strides[i];
    move(base + offset * size, compact, row, rowStride);
    compact += row * size;
    int32_t i = rank - 2;
    for (; i >= 0; --i) {
      if (++index[i] < tensor.shape[i])
        break;
      index[i] = 0;
    }
    if (i < 0)
      return;
  }
}

} // namespace

std::string dlpackName(cuvil_dl_dtype dtype) {
  if (cuvil_dtype known = getDtype(dtype))
    return getDtypeName(known);
  return "DLPack type (code " + std::to_string(dtype.code) + ", bits " +
         std::to_string(dtype.bits) + ", lanes " + std::to_string(dtype.lanes) +
         ")";
}

bool isCompact(const cuvil_dl_tensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t expected = 1;
  bool compact = true;
  for (int32_t i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] == 0)
      return true;
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      compact = false;
    // The shape was checked against the expected one before.
    expected *= tensor.shape[i];
  }
  return compact;
}

void copyToCompact(const cuvil_dl_tensor &from, int64_t size, void *to) {
  walkRows(from, size, static_cast<char *>(to),
           [size](char *strided, char *compact, int64_t n, int64_t step) {
             if (step == size) {
               std::memcpy(compact, strided, n * size);
               return;
             }
             for (int64_t i = 0; i < n; ++i)
               std::memcpy(compact + i * size, strided + i * step, size);
           });
}

void copyFromCompact(const void *from, int64_t size,
                     const cuvil_dl_tensor &to) {
  walkRows(to, size, const_cast<char *>(static_cast<const char *>(from)),
           [size](char *strided, char *compact, int64_t n, int64_t step) {
             if (step == size) {
               std::memcpy(strided, compact, n * size);
               return;
             }
             for (int64_t i = 0; i < n; ++i)
               std::memcpy(strided + i * step, compact + i * size, size);
           });
}

} // namespace cuvil
