// SPDX-License-Identifier: Apache-2.0
// Turns a TensorProto, in whichever form it stores its data, into plain bytes.
#ifndef CUVIL_FRONTEND_ONNX_PROTO_TENSORDATA_H
#define CUVIL_FRONTEND_ONNX_PROTO_TENSORDATA_H

#include "ElementType.h"
#include "File.h"
#include "Model.h"

namespace cuvil::onnx {

/// A dense tensor: row-major, little-endian, packed low bits first.
struct TensorData {
  ElementType type = ElementType::Undefined;
  std::vector<int64_t> dims;
  int64_t count = 0;
  Bytes bytes;
  /// Keeps `bytes` alive; the model file's mapping where no copy was needed.
  std::shared_ptr<const void> owner;

  /// All elements as integers; only for integer and bool types.
  std::vector<int64_t> toInts() const;
  /// All elements as doubles; for every type up to 64 bits but strings.
  std::vector<double> toDoubles() const;
};

/// Checks `tensor` and finds its bytes; nothing is copied for raw and external
/// data. `modelOwner` keeps the model's own bytes alive. Throws an ImportError
/// that names the tensor.
TensorData readTensor(const TensorProto &tensor, ModelFolder &folder,
                      const std::shared_ptr<const void> &modelOwner);

/// Expands a sparse tensor into a dense one.
TensorData readSparseTensor(const SparseTensorProto &tensor,
                            ModelFolder &folder,
                            const std::shared_ptr<const void> &modelOwner);

/// `data` with 2- and 4-bit integers widened to one byte each (uint4 becomes
/// uint8, int4 int8), and any other type unchanged.
TensorData widenSubByte(TensorData data);

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_PROTO_TENSORDATA_H
