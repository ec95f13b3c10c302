// SPDX-License-Identifier: Apache-2.0
// Puts every op into a fusion region: the default grouping.
#include "cuvil/IR/CuvilOps.h"
#include "cuvil/Transforms/Passes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

namespace cuvil {
#define GEN_PASS_DEF_CUVILGROUP
#include "cuvil/Transforms/Passes.h.inc"
} // namespace cuvil

using namespace cuvil;
using llvm::SmallVector;
using mlir::Operation;
using mlir::Value;

// Constants up to this many elements go into the regions that use them.
static constexpr int64_t kInlineElements = 16;
// Growth stops here, so that no kernel becomes too big to compile quickly.
static constexpr size_t kMaxRegionOps = 48;

namespace {

/// A region while it grows.
struct Group {
  llvm::SetVector<Operation *> ops;
  Operation *anchor = nullptr;
};

class GroupPass : public impl::CuvilGroupBase<GroupPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    SmallVector<mlir::Block *> blocks;
    getOperation().walk([&](mlir::Block *block) {
      if (!llvm::isa<FusionOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (mlir::Block *block : blocks)
      groupBlock(*block);
  }

private:
  void groupBlock(mlir::Block &block);
  void grow(Group &group, Operation *root);
  bool canTake(const Group &group, Operation *producer, Value through) const;
  void outline(const Group &group, Operation *root);

  llvm::DenseSet<Operation *> taken;
};

} // namespace

/// Ops that a region can hold.
static bool isGroupable(Operation *op) {
  return llvm::isa<CuvilOpInterface>(op) && !llvm::isa<ConstantOp, SymBindOp, AssertOp>(op);
}

static bool isAnchor(Operation *op) {
  return op->hasTrait<Reducing>() || op->hasTrait<Contracting>();
}

static bool isInlineConstant(Operation *op) {
  auto constant = llvm::dyn_cast_or_null<ConstantOp>(op);
  return constant && llvm::isa<mlir::DenseElementsAttr>(constant.getValue()) &&
         llvm::cast<mlir::RankedTensorType>(constant.getType()).getNumElements() <=
             kInlineElements;
}

static bool sameDims(Value a, Value b) { return getDims(a) == getDims(b); }

/// Whether `producer`, which defines operand `through` of an op in the group,
/// may join it.
bool GroupPass::canTake(const Group &group, Operation *producer, Value through) const {
  if (!producer || !isGroupable(producer) || taken.contains(producer) ||
      producer->getNumResults() != 1 || group.ops.size() >= kMaxRegionOps)
    return false;
  Operation *root = group.ops.front();
  if (producer->getBlock() != root->getBlock() || producer->hasTrait<Renaming>() ||
      root->hasTrait<Renaming>())
    return false;
  // Everyone who wants the value must be inside; the region has one result.
  if (!llvm::all_of(producer->getUsers(), [&](Operation *user) { return group.ops.contains(user); }))
    return false;
  bool pointwiseRoot = root->hasTrait<Pointwise>();
  if (isAnchor(producer))
    // The tail of a contraction or reduction: pointwise at the anchor's dims.
    return !group.anchor && pointwiseRoot && sameDims(producer->getResult(0), root->getResult(0));
  if (!producer->hasTrait<Pointwise>())
    return false;
  if (!group.anchor)
    return pointwiseRoot ? sameDims(through, root->getResult(0)) : false;
  // What feeds a reduction element by element; a contraction reads its
  // operands many times and wants them finished.
  if (group.anchor->hasTrait<Contracting>())
    return sameDims(through, group.anchor->getResult(0)) && producer != group.anchor;
  return sameDims(through, group.anchor->getOperand(0)) ||
         sameDims(through, root->getResult(0));
}

void GroupPass::grow(Group &group, Operation *root) {
  group.ops.insert(root);
  if (isAnchor(root))
    group.anchor = root;
  bool grows = root->hasTrait<Pointwise>() || root->hasTrait<Reducing>();
  // To a fixpoint: a producer may join once its last user has.
  for (bool changed = grows && fusion; changed;) {
    changed = false;
    for (size_t i = 0; i < group.ops.size(); ++i) {
      Operation *consumer = group.ops[i];
      // Operands of a contraction stay outside.
      if (consumer->hasTrait<Contracting>())
        continue;
      for (Value operand : consumer->getOperands()) {
        Operation *producer = operand.getDefiningOp();
        if (!producer || group.ops.contains(producer) || !canTake(group, producer, operand))
          continue;
        group.ops.insert(producer);
        if (isAnchor(producer))
          group.anchor = producer;
        changed = true;
      }
    }
  }
}

/// "Conv+Add+Relu": op kinds in program order.
static std::string getLabel(llvm::ArrayRef<Operation *> ops) {
  std::string label;
  for (Operation *op : ops) {
    if (op->hasTrait<Spreading>() && ops.size() > 1)
      continue;
    auto kind = op->getAttrOfType<mlir::StringAttr>("kind");
    llvm::StringRef word = op->getName().stripDialect();
    bool named = kind && (word == "unary" || word == "binary" || word == "reduce" ||
                          word == "normalize" || word == "rnn");
    std::string part = named ? kind.str() : word.str();
    part[0] = std::toupper(part[0]);
    if (label.size() + part.size() > 60) {
      label += "+...";
      break;
    }
    label += (label.empty() ? "" : "+") + part;
  }
  return label;
}

void GroupPass::outline(const Group &group, Operation *root) {
  SmallVector<Operation *> ops(group.ops.begin(), group.ops.end());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  taken.insert(ops.begin(), ops.end());

  // Spreading producers and small constants are repeated inside.
  SmallVector<Operation *> repeated;
  llvm::SetVector<Value> inputs;
  llvm::DenseSet<Value> known;
  std::function<void(Value)> need = [&](Value value) {
    Operation *producer = value.getDefiningOp();
    if (!known.insert(value).second || (producer && group.ops.contains(producer)))
      return;
    bool repeat = producer && !root->hasTrait<Renaming>() &&
                  (isInlineConstant(producer) ||
                   (fusion && group.ops.size() + repeated.size() < kMaxRegionOps &&
                    producer->hasTrait<Spreading>() && root->hasTrait<Pointwise>()));
    if (!repeat) {
      inputs.insert(value);
      return;
    }
    for (Value operand : producer->getOperands())
      need(operand);
    repeated.push_back(producer);
  };
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      need(operand);

  SmallVector<mlir::Location> locations;
  for (Operation *op : ops)
    locations.push_back(op->getLoc());
  mlir::OpBuilder builder(root);
  auto fusionOp = builder.create<FusionOp>(
      builder.getFusedLoc(locations), root->getResultTypes(), inputs.getArrayRef(),
      getLabel(ops), mlir::StringAttr());
  mlir::Block &body = fusionOp.getBody().emplaceBlock();
  mlir::IRMapping mapping;
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  builder.setInsertionPointToEnd(&body);
  for (Operation *op : repeated)
    builder.clone(*op, mapping);
  for (Operation *op : ops)
    builder.clone(*op, mapping);
  SmallVector<Value> yields;
  for (Value result : root->getResults())
    yields.push_back(mapping.lookup(result));
  builder.create<YieldOp>(root->getLoc(), yields);
  root->replaceAllUsesWith(fusionOp.getResults());
  for (Operation *op : llvm::reverse(ops)) {
    taken.erase(op);
    op->erase();
  }
}

void GroupPass::groupBlock(mlir::Block &block) {
  // Backwards: each op not yet taken is the root of a region; its users are
  // in regions already, so spreading ops whose users repeated them are dead.
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  llvm::DenseSet<Operation *> gone;
  for (Operation *op : llvm::reverse(ops)) {
    if (gone.contains(op) || !isGroupable(op))
      continue;
    if (op->use_empty() && mlir::isPure(op)) {
      op->erase();
      continue;
    }
    Group group;
    grow(group, op);
    gone.insert(group.ops.begin(), group.ops.end());
    outline(group, op);
  }
}
