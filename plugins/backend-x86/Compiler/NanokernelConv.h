// SPDX-License-Identifier: Apache-2.0
// Convolution kernels on NCHW data, vectorised along output pixels.
#ifndef CUVIL_BACKEND_X86_NANOKERNELCONV_H
#define CUVIL_BACKEND_X86_NANOKERNELCONV_H

#include "Nanokernel.h"

namespace cuvil::x86 {

/// A 2-D window; a 1-D convolution has height 1.
struct ConvWindow {
  int64_t kernelH = 1, kernelW = 1;
  int64_t strideH = 1, strideW = 1;
  int64_t dilationH = 1, dilationW = 1;
  /// Padding before the first row and column. What lies after the last ones
  /// follows from the output's size.
  int64_t padTop = 0, padLeft = 0;

  int64_t taps() const { return kernelH * kernelW; }
};

/// Blocking of one convolution. `tile.mr` and `channelChunk` also fix the order
/// of packed weights.
struct ConvTiling {
  RegisterTile tile;
  /// Input channels gathered into the panel at a time.
  int64_t channelChunk = 1;
  /// Output channels of one work item; a multiple of tile.mr, or all.
  int64_t outputBlock = 1;
  /// Copies a 1x1 window's input to a panel instead of reading it in place.
  bool packPointwise = false;
};

struct ConvSpec {
  mlir::Value batch;
  int64_t groups = 1;
  int64_t inputsPerGroup = 1, outputsPerGroup = 1;
  mlir::Value inputH, inputW, outputH, outputW;
  ConvWindow window;
  mlir::Value x, weights, y;
  /// Element type of y; null for the accumulator's type.
  mlir::Type outElement;
  /// Points are (batch, output channel of all, pixel = oh * OW + ow).
  InitFn init;
  EpilogueFn epilogue;
  bool loopEpilogue = false;
  ConvTiling tiling;
};

/// What is known of the sizes when the tiling is chosen.
struct ConvShape {
  std::optional<int64_t> batch, pixels;
  int64_t groups = 1, inputsPerGroup = 1, outputsPerGroup = 1;
  ConvWindow window;
};

ConvTiling chooseConvTiling(const CpuTarget &target, mlir::Type element,
                            const ConvShape &shape, int64_t parallelism = 8);

/// The number of work items: batch * groups * pixel panels * output blocks.
mlir::Value emitConvTileCount(KernelBuilder &kb, const ConvSpec &spec);

/// Emits the work items [tileBegin, tileEnd). `spec.weights` are packed.
void emitConv2d(KernelBuilder &kb, const ConvSpec &spec, mlir::Value tileBegin,
                mlir::Value tileEnd);

/// Emits the packing of weights from [OC][IC / groups][KH][KW] to
/// [group][OC / mr][channel chunk][KH][KW][channel][mr] (the last group of rows
/// is narrower, so the size stays the same). Items are groups.
void emitPackConvWeights(KernelBuilder &kb, const ConvSpec &spec,
                         mlir::Value source, mlir::Value packed,
                         mlir::Value groupBegin, mlir::Value groupEnd);

/// A convolution with one input and one output channel per group.
struct DepthwiseSpec {
  mlir::Value batch, channels;
  mlir::Value inputH, inputW, outputH, outputW;
  ConvWindow window;
  /// Weights are [channel][KH][KW].
  mlir::Value x, weights, y;
  mlir::Type outElement;
  /// Points are (batch, channel, pixel).
  InitFn init;
  EpilogueFn epilogue;
  /// Output rows and columns of one work item; columns a multiple of W.
  int64_t rowBlock = 16, colBlock = 64;
};

/// Picks rowBlock and colBlock.
void chooseDepthwiseTiling(const CpuTarget &target, DepthwiseSpec &spec,
                           mlir::Type element);

/// The number of work items: batch * channels * row blocks * column blocks.
mlir::Value emitDepthwiseTileCount(KernelBuilder &kb,
                                   const DepthwiseSpec &spec);

void emitDepthwise(KernelBuilder &kb, const DepthwiseSpec &spec,
                   mlir::Value tileBegin, mlir::Value tileEnd);

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_NANOKERNELCONV_H
