// SPDX-License-Identifier: Apache-2.0
// Which device runs which op, and why.
#ifndef CUVIL_LIB_PIPELINE_PLACEMENT_H
#define CUVIL_LIB_PIPELINE_PLACEMENT_H

#include "cuvil/Graph/Graph.h"
#include "cuvil/IR/CuvilOps.h"
#include "llvm/Support/JSON.h"

namespace cuvil {

/// The answer of the capability queries.
class Placement {
public:
  /// Index of a target; kHost = run by the program itself (constants,
  /// bindings, checks, control flow).
  static constexpr int kHost = -1;

  struct Refusal {
    std::string device, reason;
  };
  struct Entry {
    std::string location, op;
    int target = kHost;
    std::vector<Refusal> refusals;
  };

  /// Asks every target about every op of the function, nested ones included.
  /// Emits one error that lists all ops that no target takes, or (strict) that
  /// the first does not take.
  static mlir::FailureOr<Placement> query(mlir::func::FuncOp function,
                                          llvm::ArrayRef<cuvil_target> targets,
                                          const cuvil_options &options, bool strict);

  int getTarget(mlir::Operation *op) const {
    auto found = chosen.find(op);
    return found == chosen.end() ? kHost : found->second;
  }
  /// The one target that takes the whole function, control flow included.
  std::optional<int> getWhole() const { return whole; }
  llvm::json::Array toJson(llvm::ArrayRef<cuvil_target> targets) const;

private:
  llvm::DenseMap<mlir::Operation *, int> chosen;
  std::vector<Entry> entries;
  std::optional<int> whole;
};

/// A function made of ops that one target runs.
struct Partition {
  mlir::func::FuncOp function;
  int target;
};

/// Moves the ops of each target into functions of their own, called by
/// cuvil.invoke, as few as convexity allows. What stays is for the host.
mlir::FailureOr<llvm::SmallVector<Partition>> outlinePartitions(mlir::func::FuncOp function,
                                                                const Placement &placement,
                                                                llvm::ArrayRef<cuvil_target> targets);

} // namespace cuvil

#endif // CUVIL_LIB_PIPELINE_PLACEMENT_H
