// SPDX-License-Identifier: Apache-2.0
// Ref-counted constants and the element type tables.
#include "cuvil/Runtime/Constant.h"
#include <cstdlib>
#include <cstring>
#include <new>

using namespace cuvil;

namespace {
struct DtypeInfo {
  const char *name;
  uint8_t code, bits;
};
} // namespace

// DLPack codes: int 0, uint 1, float 2, bfloat 4, bool 6.
static constexpr DtypeInfo kDtypes[] = {
    {"none", 0, 0}, {"bool", 6, 8}, {"i8", 0, 8},   {"i16", 0, 16}, {"i32", 0, 32},
    {"i64", 0, 64}, {"u8", 1, 8},   {"u16", 1, 16}, {"u32", 1, 32}, {"u64", 1, 64},
    {"f16", 2, 16}, {"bf16", 4, 16}, {"f32", 2, 32}, {"f64", 2, 64}};

static const DtypeInfo &getInfo(cuvil_dtype dtype) {
  constexpr int32_t count = sizeof(kDtypes) / sizeof(kDtypes[0]);
  return kDtypes[dtype > 0 && dtype < count ? dtype : 0];
}

cuvil_dl_dtype cuvil::getDlDtype(cuvil_dtype dtype) {
  const DtypeInfo &info = getInfo(dtype);
  return {info.code, info.bits, 1};
}

cuvil_dtype cuvil::getDtype(cuvil_dl_dtype dtype) {
  if (dtype.lanes != 1)
    return CUVIL_DTYPE_NONE;
  for (cuvil_dtype d = CUVIL_BOOL; d <= CUVIL_F64; ++d)
    if (kDtypes[d].code == dtype.code && kDtypes[d].bits == dtype.bits)
      return d;
  return CUVIL_DTYPE_NONE;
}

size_t cuvil::getElementSize(cuvil_dtype dtype) {
  return getInfo(dtype).bits / 8;
}

const char *cuvil::getDtypeName(cuvil_dtype dtype) {
  return getInfo(dtype).name;
}

static size_t getByteSize(cuvil_dtype dtype, const std::vector<int64_t> &dims) {
  size_t count = 1;
  for (int64_t dim : dims)
    count *= static_cast<size_t>(dim);
  return count * getElementSize(dtype);
}

Constant *Constant::create(const cuvil_constant &desc) {
  auto *constant = new Constant;
  const cuvil_dl_tensor &tensor = desc.tensor;
  constant->dtype = cuvil::getDtype(tensor.dtype);
  constant->dims.assign(tensor.shape, tensor.shape + tensor.ndim);
  constant->data = static_cast<const char *>(tensor.data) + tensor.byte_offset;
  constant->size = getByteSize(constant->dtype, constant->dims);
  constant->owner = desc.owner;
  constant->releaseOwner = desc.release;
  constant->name = desc.name ? desc.name : "";
  constant->file = desc.file ? desc.file : "";
  constant->fileOffset = desc.file_offset;
  return constant;
}

Constant *Constant::copy(cuvil_dtype dtype, const std::vector<int64_t> &dims,
                         const void *data, size_t size) {
  auto *constant = new Constant;
  constant->dtype = dtype;
  constant->dims = dims;
  constant->size = size;
  void *bytes = std::aligned_alloc(64, (size + 63) / 64 * 64 + 64);
  if (!bytes) {
    delete constant;
    throw std::bad_alloc();
  }
  if (size)
    std::memcpy(bytes, data, size);
  constant->data = bytes;
  constant->owner = bytes;
  constant->releaseOwner = [](void *owner) { std::free(owner); };
  return constant;
}

void Constant::release() {
  if (references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    delete this;
}

Constant::~Constant() {
  if (releaseOwner)
    releaseOwner(owner);
}

cuvil_dl_tensor Constant::getTensor() const {
  cuvil_dl_tensor tensor = {};
  tensor.data = const_cast<void *>(data);
  tensor.device = {1, 0};
  tensor.ndim = static_cast<int32_t>(dims.size());
  tensor.dtype = getDlDtype(dtype);
  tensor.shape = const_cast<int64_t *>(dims.data());
  return tensor;
}
