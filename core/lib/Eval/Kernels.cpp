// SPDX-License-Identifier: Apache-2.0
// Index walks and checks shared by the reference kernels.
#include "Kernels.h"

using namespace cuvil;

std::string detail::toString(Dims dims) {
  std::string text = "[";
  for (size_t i = 0; i < dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

llvm::LogicalResult detail::requireDims(EvalContext &context, Dims have,
                                        Dims want, const char *what) {
  if (have == want)
    return llvm::success();
  return context.fail(CUVIL_INVALID_ARGUMENT,
                      std::string(what) + " has dims " + toString(have) +
                          ", expected " + toString(want));
}

llvm::FailureOr<int64_t> detail::getIndex(EvalContext &context, int64_t index,
                                          int64_t size) {
  int64_t wrapped = index < 0 ? index + size : index;
  if (wrapped >= 0 && wrapped < size)
    return wrapped;
  return context.fail(CUVIL_OUT_OF_RANGE,
                      "index " + std::to_string(index) +
                          " is out of range for an axis of size " +
                          std::to_string(size));
}

int64_t detail::wrap(cuvil_dtype dtype, int64_t value) {
  switch (dtype) {
  case CUVIL_BOOL:
    return value != 0;
  case CUVIL_I8:
    return static_cast<int8_t>(value);
  case CUVIL_I16:
    return static_cast<int16_t>(value);
  case CUVIL_I32:
    return static_cast<int32_t>(value);
  case CUVIL_U8:
    return static_cast<uint8_t>(value);
  case CUVIL_U16:
    return static_cast<uint16_t>(value);
  case CUVIL_U32:
    return static_cast<uint32_t>(value);
  default:
    return value;
  }
}

/// The innermost axis of copyStrided.
template <typename T>
static void copyRow(int64_t count, const char *from, int64_t fromStride,
                    char *to, int64_t toStride) {
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(to + i * toStride * int64_t(sizeof(T)),
                from + i * fromStride * int64_t(sizeof(T)), sizeof(T));
}

void detail::copyStrided(Dims dims, int64_t elementSize, const void *from,
                         Dims fromStrides, void *to, Dims toStrides) {
  if (countElements(dims) == 0)
    return;
  bool isScalar = dims.empty();
  int64_t count = isScalar ? 1 : dims.back();
  int64_t fromStep = isScalar ? 0 : fromStrides.back();
  int64_t toStep = isScalar ? 0 : toStrides.back();
  Dims outer = isScalar ? dims : dims.drop_back();
  llvm::SmallVector<int64_t> index(outer.size(), 0);
  do {
    int64_t fromOffset = 0, toOffset = 0;
    for (size_t i = 0; i < outer.size(); ++i) {
      fromOffset += index[i] * fromStrides[i];
      toOffset += index[i] * toStrides[i];
    }
    const char *src =
        static_cast<const char *>(from) + fromOffset * elementSize;
    char *dst = static_cast<char *>(to) + toOffset * elementSize;
    if (fromStep == 1 && toStep == 1)
      std::memcpy(dst, src, count * elementSize);
    else if (elementSize == 1)
      copyRow<uint8_t>(count, src, fromStep, dst, toStep);
    else if (elementSize == 2)
      copyRow<uint16_t>(count, src, fromStep, dst, toStep);
    else if (elementSize == 4)
      copyRow<uint32_t>(count, src, fromStep, dst, toStep);
    else
      copyRow<uint64_t>(count, src, fromStep, dst, toStep);
  } while (advance(index, outer));
}
