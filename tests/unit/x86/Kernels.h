// SPDX-License-Identifier: Apache-2.0
// Compiled contraction kernels with the packing that they need.
#ifndef CUVIL_TESTS_X86_KERNELS_H
#define CUVIL_TESTS_X86_KERNELS_H

#include "Jit.h"
#include "NanokernelConv.h"
#include "NanokernelGemm.h"

#include <memory>
#include <optional>

namespace cuvil::x86::test {

/// C = relu(bias[col] + A * B) for tests of every layout; f32 or f64.
struct GemmCase {
  int64_t batch = 1, m = 1, n = 1, k = 1;
  BLayout layout = BLayout::Packed;
  /// Packs from a transposed B, where the layout is Packed.
  bool packTransposed = false;
  bool dynamic = false;
  bool bias = false, relu = false, residual = false, loopEpilogue = false;
  bool f64 = false;
  std::optional<GemmTiling> tiling;
};

class GemmKernel {
public:
  GemmKernel(const CpuTarget &target, const GemmCase &shape);
  int64_t packedSize() const { return packed; }
  /// Packs one B (layout Packed only).
  void pack(const void *b, void *to);
  void run(const void *a, const void *b, void *c, const void *bias);
  int64_t items();
  void runItems(const void *a, const void *b, void *c, const void *bias,
                int64_t begin, int64_t end);
  Jit &code() { return *kernel; }
  const GemmTiling &tiling() const { return chosen; }

private:
  GemmCase shape;
  GemmTiling chosen;
  int64_t packed = 0, panels = 0;
  std::unique_ptr<Jit> kernel, counter, packer;
};

struct ConvCase {
  int64_t batch = 1, groups = 1, ic = 1, oc = 1, ih = 1, iw = 1;
  ConvWindow window;
  /// Padding after the last row and column.
  int64_t padBottom = 0, padRight = 0;
  bool dynamic = false;
  bool bias = false, relu = false, residual = false, loopEpilogue = false;
  std::optional<ConvTiling> tiling;

  int64_t oh() const {
    return (ih + window.padTop + padBottom -
            (window.kernelH - 1) * window.dilationH - 1) /
               window.strideH +
           1;
  }
  int64_t ow() const {
    return (iw + window.padLeft + padRight -
            (window.kernelW - 1) * window.dilationW - 1) /
               window.strideW +
           1;
  }
};

class ConvKernel {
public:
  /// `depthwise` uses the depthwise emitter (groups == ic == oc).
  ConvKernel(const CpuTarget &target, const ConvCase &shape,
             bool depthwise = false);
  void pack(const float *weights, float *to);
  void run(const float *x, const float *weights, float *y, const float *bias);
  Jit &code() { return *kernel; }
  const ConvTiling &tiling() const { return chosen; }

private:
  std::vector<int64_t> sizes() const;
  ConvCase shape;
  ConvTiling chosen;
  std::unique_ptr<Jit> kernel, counter, packer;
};

} // namespace cuvil::x86::test

#endif // CUVIL_TESTS_X86_KERNELS_H
