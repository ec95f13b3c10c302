// SPDX-License-Identifier: Apache-2.0
// Capability queries and their outcome.
#include "Placement.h"

using namespace cuvil;
using llvm::SmallVector;
using mlir::Operation;

/// Ops that the program itself can run where the device does not.
static bool isHostOp(Operation *op) {
  return llvm::isa<ConstantOp, SymBindOp, AssertOp, IfOp, WhileOp>(op);
}

namespace {
/// One target's answers about one block.
struct Answers {
  llvm::DenseSet<Operation *> accepted;
  llvm::DenseMap<Operation *, std::string> reasons;
};
} // namespace

static cuvil_status *ask(mlir::Block &block, const cuvil_target &target,
                         const cuvil_options &options, Answers &answers) {
  cuvil_capability_sink sink = {};
  sink.struct_size = sizeof(sink);
  sink.state = &answers;
  sink.accept = [](void *state, cuvil_op op) {
    static_cast<Answers *>(state)->accepted.insert(reinterpret_cast<Operation *>(op));
  };
  sink.refuse = [](void *state, cuvil_op op, const char *reason) {
    auto &reasons = static_cast<Answers *>(state)->reasons;
    reasons[reinterpret_cast<Operation *>(op)] = reason ? reason : "";
  };
  return target.backend->get_capability(target.backend->state, wrapGraph(&block), &options, &sink);
}

static SmallVector<mlir::Block *> getBlocks(mlir::func::FuncOp function) {
  SmallVector<mlir::Block *> blocks{&function.getBody().front()};
  function.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    if (llvm::isa<FusionOp>(op))
      return mlir::WalkResult::skip();
    if (llvm::isa<IfOp, WhileOp>(op))
      for (mlir::Region &region : op->getRegions())
        blocks.push_back(&region.front());
    return mlir::WalkResult::advance();
  });
  return blocks;
}

mlir::FailureOr<Placement> Placement::query(mlir::func::FuncOp function,
                                            llvm::ArrayRef<cuvil_target> targets,
                                            const cuvil_options &options, bool strict) {
  Placement placement;
  SmallVector<bool> takesAll(targets.size(), true);
  std::string refused;
  for (mlir::Block *block : getBlocks(function)) {
    std::vector<Answers> answers(targets.size());
    for (auto [target, answer] : llvm::zip_equal(targets, answers)) {
      if (cuvil_status *status = ask(*block, target, options, answer)) {
        mlir::emitError(function.getLoc())
            << "device '" << target.device << "' failed to say what it can run: "
            << getHost().status_message(status);
        getHost().status_release(status);
        return mlir::failure();
      }
    }
    for (Operation &op : block->without_terminator()) {
      if (llvm::isa<ConstantOp>(op))
        continue;
      Entry entry{getLocationText(op.getLoc()), op.getName().stripDialect().str(), kHost, {}};
      for (auto [i, answer] : llvm::enumerate(answers)) {
        bool accepts = answer.accepted.contains(&op);
        takesAll[i] = takesAll[i] && accepts;
        if (accepts && entry.target == kHost)
          entry.target = i;
        if (accepts)
          continue;
        auto reason = answer.reasons.find(&op);
        entry.refusals.push_back(
            {targets[i].device,
             reason == answer.reasons.end() ? "the backend gave no answer" : reason->second});
      }
      bool bad = entry.target == kHost || (strict && entry.target != 0);
      if (bad && !isHostOp(&op)) {
        refused += "\n  " + entry.op;
        if (!entry.location.empty())
          refused += " (" + llvm::StringRef(entry.location).split('\n').first.str() + ")";
        for (Refusal &refusal : entry.refusals)
          refused += "\n    " + refusal.device + ": " + refusal.reason;
      }
      placement.chosen[&op] = entry.target;
      placement.entries.push_back(std::move(entry));
    }
  }
  if (!refused.empty()) {
    mlir::emitError(function.getLoc())
        << (strict ? "strict: the device cannot run every op" : "no device can run these ops")
        << refused;
    return mlir::failure();
  }
  // The first target that takes everything; nothing is gained by splitting.
  if (!takesAll.empty() && takesAll[0])
    placement.whole = 0;
  return placement;
}

llvm::json::Array Placement::toJson(llvm::ArrayRef<cuvil_target> targets) const {
  llvm::json::Array result;
  for (const Entry &entry : entries) {
    llvm::json::Array refusals;
    for (const Refusal &refusal : entry.refusals)
      refusals.push_back(
          llvm::json::Object{{"device", refusal.device}, {"reason", refusal.reason}});
    result.push_back(llvm::json::Object{
        {"op", entry.op},
        {"location", llvm::json::fixUTF8(entry.location)},
        {"device", entry.target == kHost ? "host" : targets[entry.target].device},
        {"refusals", std::move(refusals)}});
  }
  return result;
}
