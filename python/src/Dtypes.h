// SPDX-License-Identifier: Apache-2.0
// Element types between Cuvil, DLPack and Python.
#ifndef CUVIL_PYTHON_DTYPES_H
#define CUVIL_PYTHON_DTYPES_H

#include "cuvil/plugin.h"

namespace cuvil::python {

struct DtypeRow {
  const char *name;  ///< As Cuvil writes it.
  const char *numpy; ///< As numpy (or ml_dtypes) writes it.
  uint8_t code, bits;
};
/// Indexed by cuvil_dtype.
inline constexpr DtypeRow kDtypes[] = {
    {"none", "", 0, 0},        {"bool", "bool", 6, 8},
    {"i8", "int8", 0, 8},      {"i16", "int16", 0, 16},
    {"i32", "int32", 0, 32},   {"i64", "int64", 0, 64},
    {"u8", "uint8", 1, 8},     {"u16", "uint16", 1, 16},
    {"u32", "uint32", 1, 32},  {"u64", "uint64", 1, 64},
    {"f16", "float16", 2, 16}, {"bf16", "bfloat16", 4, 16},
    {"f32", "float32", 2, 32}, {"f64", "float64", 2, 64}};
inline constexpr int kNumDtypes = sizeof(kDtypes) / sizeof(*kDtypes);
inline constexpr const char *kDtypeList =
    "bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64";

inline cuvil_dl_dtype toDlDtype(cuvil_dtype dtype) {
  return {kDtypes[dtype].code, kDtypes[dtype].bits, 1};
}
inline cuvil_dtype fromDlDtype(cuvil_dl_dtype dtype) {
  for (int i = 1; i < kNumDtypes; ++i)
    if (kDtypes[i].code == dtype.code && kDtypes[i].bits == dtype.bits &&
        dtype.lanes == 1)
      return i;
  return CUVIL_DTYPE_NONE;
}
/// The name of a dtype; unknown numbers (of a newer library) are tolerated.
inline const char *getDtypeName(cuvil_dtype dtype) {
  return dtype > 0 && dtype < kNumDtypes ? kDtypes[dtype].name : "none";
}

} // namespace cuvil::python

#endif // CUVIL_PYTHON_DTYPES_H
