// SPDX-License-Identifier: Apache-2.0
// Host tensors and the context of the reference kernels.
#ifndef CUVIL_EVAL_EVALTENSOR_H
#define CUVIL_EVAL_EVALTENSOR_H

#include "cuvil/IR/DimExpr.h"
#include "cuvil/plugin.h"
#include <memory>
#include <string>
#include <vector>

namespace cuvil {

/// The ABI's element type of an MLIR type, and back. i1 is bool, signless
/// integers are signed. CUVIL_DTYPE_NONE when there is none.
cuvil_dtype getDtype(mlir::Type element);
mlir::Type getElementType(mlir::MLIRContext *context, cuvil_dtype dtype);
/// Size of one element in bytes (bool takes one).
int64_t getByteSize(cuvil_dtype dtype);
bool isFloat(cuvil_dtype dtype);
bool isUnsigned(cuvil_dtype dtype);

/// A dense row-major tensor on the host: owned bytes, or borrowed ones kept
/// alive by `owner`. Reference kernels read and write it as f64 or as i64
/// (bit pattern for u64), converted once.
class EvalTensor {
public:
  EvalTensor() = default;
  /// Owned, zero-filled.
  EvalTensor(cuvil_dtype dtype, llvm::ArrayRef<int64_t> dims);
  /// Borrowed and read-only.
  EvalTensor(cuvil_dtype dtype, llvm::ArrayRef<int64_t> dims, const void *data,
             std::shared_ptr<const void> owner = nullptr);

  cuvil_dtype getDtype() const { return dtype; }
  llvm::ArrayRef<int64_t> getDims() const { return dims; }
  int64_t getRank() const { return dims.size(); }
  int64_t getNumElements() const;
  int64_t getNumBytes() const { return getNumElements() * getByteSize(dtype); }
  const void *getData() const { return borrowed ? borrowed : bytes.data(); }
  void *getMutableData() { return bytes.data(); }

  /// All elements, converted: exact for every float type.
  std::vector<double> toF64() const;
  /// All elements of an integer or bool tensor; u64 keeps its bits.
  std::vector<int64_t> toI64() const;
  /// Stores, rounding to nearest even for narrower floats; integers wrap.
  void setF64(llvm::ArrayRef<double> values);
  void setI64(llvm::ArrayRef<int64_t> values);

private:
  cuvil_dtype dtype = CUVIL_DTYPE_NONE;
  llvm::SmallVector<int64_t> dims;
  std::vector<char> bytes;
  const void *borrowed = nullptr;
  std::shared_ptr<const void> owner;
};

/// Row-major strides in elements.
llvm::SmallVector<int64_t> getStrides(llvm::ArrayRef<int64_t> dims);

/// What a reference kernel may ask: sizes, weights, and where to put an error.
class EvalContext {
public:
  virtual ~EvalContext() = default;
  /// The value of an expression under the current symbols.
  virtual llvm::FailureOr<int64_t> evaluate(DimExpr expr) = 0;
  /// Binds a symbol from here on.
  virtual void bind(llvm::StringRef symbol, int64_t value) = 0;
  /// The bytes of a weight.
  virtual llvm::FailureOr<EvalTensor> getWeight(int64_t id) = 0;
  /// Records why the evaluation fails (a CUVIL_* code and text); returns
  /// failure for use in a return statement.
  virtual llvm::LogicalResult fail(int32_t code, const std::string &message) = 0;

  /// Several expressions at once.
  llvm::FailureOr<llvm::SmallVector<int64_t>> evaluate(llvm::ArrayRef<DimExpr> exprs);
};

} // namespace cuvil

#endif // CUVIL_EVAL_EVALTENSOR_H
