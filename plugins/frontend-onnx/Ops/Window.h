// SPDX-License-Identifier: Apache-2.0
// The sliding-window attributes that convolutions and pools share.
#ifndef CUVIL_FRONTEND_ONNX_OPS_WINDOW_H
#define CUVIL_FRONTEND_ONNX_OPS_WINDOW_H

#include "Common.h"

namespace cuvil::onnx {

/// Strides, dilations and padding, one entry per spatial axis.
struct Window {
  Ints strides, dilations;
  std::string autoPad;
  Dims low, high;
};

/// Reads strides, dilations, pads and auto_pad for spatial sizes `in` and a
/// kernel of sizes `kernel`.
Window readWindow(Node &n, const Dims &in, const Dims &kernel);

/// dilation * (kernel - 1) + 1.
Dim extent(Dim kernel, int64_t dilation);

/// The spatial dims of a tensor whose first two are batch and channels; throws
/// for ranks that no window op takes.
Dims spatialDims(Node &n, Value x);

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_OPS_WINDOW_H
