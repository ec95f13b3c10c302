// SPDX-License-Identifier: Apache-2.0
// Writes the body of a linalg op for one point, or for several as vectors.
#ifndef CUVIL_BACKEND_X86_LOOPBODY_H
#define CUVIL_BACKEND_X86_LOOPBODY_H

#include "LoopNest.h"

#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseSet.h"

namespace cuvil::x86 {

/// Clones the body of a nest. With a vector loop set, a point is a run of
/// `lanes` neighbours along it, starting at the loop's value; what does not
/// depend on that loop is computed once, as a scalar.
class LoopBody {
public:
  explicit LoopBody(const LoopNest &nest) : nest(nest) {}

  /// Tries to make `loop` the vector loop.
  bool setVectorLoop(unsigned loop);
  void clearVectorLoop() { vectorLoop = -1; }
  /// The size in bits of the widest element computed or moved, at least 8 and
  /// at most 32: wider ones take several registers.
  unsigned widestBits() const;
  /// Whether the body reads its init argument at `position`.
  bool readsInit(unsigned position) const;

  /// Loads and computes what does not depend on the vector loop.
  mlir::IRMapping cloneUniform(mlir::OpBuilder &b,
                               llvm::ArrayRef<mlir::Value> ivs) const;
  /// Writes the rest; `uniform` comes from cloneUniform, `inits` are the values
  /// of the init arguments (null where not read). Returns what is yielded.
  /// `lanes` 0 writes scalar code.
  llvm::SmallVector<mlir::Value>
  clone(mlir::OpBuilder &b, llvm::ArrayRef<mlir::Value> ivs, int64_t lanes,
        const mlir::IRMapping &uniform,
        llvm::ArrayRef<mlir::Value> inits) const;

  mlir::Value load(mlir::OpBuilder &b, const NestAccess &access,
                   llvm::ArrayRef<mlir::Value> ivs, int64_t lanes) const;
  void store(mlir::OpBuilder &b, mlir::Value value, const NestAccess &access,
             llvm::ArrayRef<mlir::Value> ivs) const;

private:
  bool isUniform(mlir::Value value) const { return !varying.contains(value); }
  bool dependsOnVectorLoop(mlir::Operation &op) const;
  mlir::Value splat(mlir::OpBuilder &b, mlir::Value scalar,
                    int64_t lanes) const;
  void cloneVarying(mlir::OpBuilder &b, mlir::Operation &op,
                    llvm::ArrayRef<mlir::Value> ivs, int64_t lanes,
                    mlir::IRMapping &mapping) const;
  mlir::Value cloneGather(mlir::OpBuilder &b, mlir::Operation &op,
                          llvm::ArrayRef<mlir::Value> ivs, int64_t lanes,
                          mlir::IRMapping &mapping) const;

  const LoopNest &nest;
  int vectorLoop = -1;
  llvm::DenseSet<mlir::Value> varying;
};

} // namespace cuvil::x86

#endif // CUVIL_BACKEND_X86_LOOPBODY_H
