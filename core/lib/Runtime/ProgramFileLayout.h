// SPDX-License-Identifier: Apache-2.0
// The layout of saved programs. Head: magic, format, sizes of the two sections
// that follow, digest of all that follows. Meta: the program's tables and the
// report. Blobs: inline constants, each at a multiple of 64 bytes of the file.
#ifndef CUVIL_LIB_RUNTIME_PROGRAMFILELAYOUT_H
#define CUVIL_LIB_RUNTIME_PROGRAMFILELAYOUT_H

#include <cstddef>
#include <cstdint>

namespace cuvil {

inline constexpr char kMagic[8] = {'C', 'U', 'V', 'P', 'R', 'O', 'G', '1'};
inline constexpr uint32_t kFormat = 1;
inline constexpr size_t kHeadBytes = 128; // magic 8, format 4, 0 4, sizes 16,
inline constexpr size_t kDigestOffset = 32; // digest 64, zeros
inline constexpr size_t kDigestChars = 64;
/// Programs inside programs.
inline constexpr int kMaxNesting = 8;

/// Where a constant's bytes are.
enum ConstantPlace : uint8_t { kNone, kInline, kModel, kFile };

inline size_t align64(size_t size) { return (size + 63) / 64 * 64; }

} // namespace cuvil

#endif // CUVIL_LIB_RUNTIME_PROGRAMFILELAYOUT_H
