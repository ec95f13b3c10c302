// SPDX-License-Identifier: Apache-2.0
// Constant attributes as host tensors and back.
#include "Constants.h"
#include "Kernels.h"
#include "cuvil/IR/CuvilDialect.h"

using namespace cuvil;

/// Dense attributes keep bool as packed bits, everything else as raw bytes.
static EvalTensor getDenseTensor(mlir::DenseElementsAttr dense) {
  cuvil_dtype dtype = getDtype(dense.getElementType());
  EvalTensor tensor(dtype, dense.getType().getShape());
  if (dtype == CUVIL_BOOL) {
    std::vector<int64_t> values;
    for (bool value : dense.getValues<bool>())
      values.push_back(value);
    tensor.setI64(values);
    return tensor;
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  char *to = static_cast<char *>(tensor.getMutableData());
  size_t size = tensor.getNumBytes();
  if (!dense.isSplat()) {
    if (size)
      std::memcpy(to, raw.data(), size);
    return tensor;
  }
  for (size_t i = 0; i < size; i += raw.size())
    std::memcpy(to + i, raw.data(), raw.size());
  return tensor;
}

llvm::FailureOr<EvalTensor> detail::getStoredWeight(mlir::MLIRContext *context,
                                                    int64_t id) {
  auto *dialect = context->getLoadedDialect<CuvilDialect>();
  Constant *weight = dialect ? dialect->getWeights().get(id) : nullptr;
  if (!weight)
    return llvm::failure();
  weight->retain();
  std::shared_ptr<const void> owner(
      weight->getData(), [weight](const void *) { weight->release(); });
  return EvalTensor(weight->getDtype(), weight->getDims(), weight->getData(),
                    std::move(owner));
}

llvm::FailureOr<EvalTensor> detail::getConstantTensor(EvalContext &context,
                                                      mlir::Attribute value) {
  if (auto weight = llvm::dyn_cast<WeightAttr>(value))
    return context.getWeight(weight.getId());
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(value);
  if (!dense || getDtype(dense.getElementType()) == CUVIL_DTYPE_NONE)
    return context.fail(CUVIL_UNSUPPORTED,
                        "a constant is neither dense nor a weight");
  return getDenseTensor(dense);
}

mlir::DenseElementsAttr detail::getDenseAttr(const EvalTensor &tensor,
                                             mlir::RankedTensorType type) {
  if (tensor.getDtype() == CUVIL_BOOL) {
    llvm::SmallVector<bool> values;
    for (int64_t value : tensor.toI64())
      values.push_back(value);
    return mlir::DenseElementsAttr::get(type, values);
  }
  return mlir::DenseElementsAttr::getFromRawBuffer(
      type, llvm::ArrayRef<char>(static_cast<const char *>(tensor.getData()),
                                 tensor.getNumBytes()));
}
