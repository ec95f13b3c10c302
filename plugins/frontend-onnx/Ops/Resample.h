// SPDX-License-Identifier: Apache-2.0
// Resampling along single axes by gathers, for factors known in the run only.
#ifndef CUVIL_FRONTEND_ONNX_OPS_RESAMPLE_H
#define CUVIL_FRONTEND_ONNX_OPS_RESAMPLE_H

#include "Common.h"

namespace cuvil::onnx {

/// How an axis is sampled, in ONNX's words.
struct Sampling {
  std::string mode, coordinate, rounding;
  double cubicA = -0.75;
  bool excludeOutside = false, antialias = false;
  double extrapolation = 0;
};

/// One axis to resample: its new size, the factor (rank 0, f64), and for
/// tf_crop_and_resize the two ends of the region (rank 0, f64).
struct AxisTarget {
  int64_t axis;
  Dim size;
  Value scale, regionStart, regionEnd;
};

/// `x` resampled along one axis.
Value resampleAxis(Node &n, Value x, const AxisTarget &target,
                   const Sampling &sampling);

/// The four cubic weights for the distance `t` (0 to 1) behind the second.
Values cubicWeights(Builder &b, Value t, double a);

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_OPS_RESAMPLE_H
