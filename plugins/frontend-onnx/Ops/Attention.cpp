// SPDX-License-Identifier: Apache-2.0
// Attention and rotary embedding as products, masks and a softmax.
#include "Common.h"

namespace cuvil::onnx {
namespace {} // namespace

OpTable attentionOps() { return {}; }

} // namespace cuvil::onnx
