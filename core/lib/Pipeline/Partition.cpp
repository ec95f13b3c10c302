// SPDX-License-Identifier: Apache-2.0
// Convex partitions of a block, outlined into functions.
#include "Placement.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace cuvil;
using llvm::SmallVector;
using mlir::Operation;
using mlir::Value;

namespace {

/// Where a symbol's value can be had from.
struct SymbolSource {
  Value tensor;
  SymBindOp bind; // null: `tensor` has a dim that is the symbol
};

class Partitioner {
public:
  Partitioner(mlir::func::FuncOp function, const Placement &placement,
              llvm::ArrayRef<cuvil_target> targets)
      : function(function), placement(placement), targets(targets) {}

  SmallVector<Partition> run() {
    collectSources();
    SmallVector<mlir::Block *> blocks;
    function.walk([&](mlir::Block *block) {
      if (!llvm::isa<FusionOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (mlir::Block *block : blocks)
      partitionBlock(*block);
    return std::move(partitions);
  }

private:
  using Group = SmallVector<Operation *>;

  void collectSources();
  void partitionBlock(mlir::Block &block);
  void outline(llvm::ArrayRef<Operation *> group, int target);

  mlir::func::FuncOp function;
  const Placement &placement;
  llvm::ArrayRef<cuvil_target> targets;
  llvm::StringMap<SymbolSource> sources;
  SmallVector<Partition> partitions;
};

} // namespace

static void walkSymbols(Operation *op, llvm::function_ref<void(llvm::StringRef)> visit) {
  auto visitDims = [&](llvm::ArrayRef<DimExpr> dims) {
    for (DimExpr dim : dims)
      dim.walkSymbols(visit);
  };
  op->walk([&](Operation *inner) {
    for (Value result : inner->getResults())
      visitDims(getDims(result));
    for (mlir::NamedAttribute attr : inner->getAttrs())
      if (auto dims = llvm::dyn_cast<DimsAttr>(attr.getValue()))
        visitDims(dims.getDims());
  });
}

void Partitioner::collectSources() {
  auto addValue = [&](Value value) {
    for (DimExpr dim : getDims(value))
      if (dim.getKind() == DimKind::Symbol)
        sources.try_emplace(dim.getSymbol(), SymbolSource{value, {}});
  };
  llvm::for_each(function.getArguments(), addValue);
  function.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
    if (auto bind = llvm::dyn_cast<SymBindOp>(op)) {
      for (mlir::Attribute name : bind.getSymbols())
        sources.try_emplace(llvm::cast<mlir::StringAttr>(name).getValue(),
                            SymbolSource{bind.getX(), bind});
    } else if (llvm::isa<IfOp, WhileOp>(op)) {
      llvm::for_each(op->getResults(), addValue);
      for (mlir::Region &region : op->getRegions())
        llvm::for_each(region.getArguments(), addValue);
    }
  });
}

/// Orders the ops so that each device's ops come in as few runs as their
/// dependences allow: take what is ready, stay with a device while it lasts.
void Partitioner::partitionBlock(mlir::Block &block) {
  llvm::MapVector<Operation *, unsigned> waiting;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> users;
  llvm::StringMap<Operation *> binders;
  Operation *lastEffect = nullptr;
  for (Operation &op : block.without_terminator()) {
    llvm::SetVector<Operation *> needs;
    auto need = [&](Value value) {
      Operation *producer = value.getDefiningOp();
      if (producer && producer->getBlock() == &block)
        needs.insert(producer);
    };
    llvm::for_each(op.getOperands(), need);
    mlir::visitUsedValuesDefinedAbove(op.getRegions(),
                                      [&](mlir::OpOperand *operand) { need(operand->get()); });
    walkSymbols(&op, [&](llvm::StringRef name) {
      if (Operation *binder = binders.lookup(name))
        needs.insert(binder);
    });
    if (llvm::isa<SymBindOp, AssertOp, IfOp, WhileOp>(op)) {
      if (lastEffect)
        needs.insert(lastEffect);
      lastEffect = &op;
    }
    if (auto bind = llvm::dyn_cast<SymBindOp>(op))
      for (mlir::Attribute name : bind.getSymbols())
        binders[llvm::cast<mlir::StringAttr>(name).getValue()] = &op;
    needs.remove(&op);
    waiting[&op] = needs.size();
    for (Operation *producer : needs)
      users[producer].push_back(&op);
  }

  SmallVector<std::pair<Group, int>> runs;
  while (!waiting.empty()) {
    Operation *first = nullptr;
    for (auto &[op, count] : waiting)
      if (count == 0 && (!first || placement.getTarget(op) == Placement::kHost)) {
        first = op;
        if (placement.getTarget(op) == Placement::kHost)
          break;
      }
    int target = placement.getTarget(first);
    Group group;
    for (bool grew = true; grew;) {
      grew = false;
      SmallVector<Operation *> ready;
      for (auto &[op, count] : waiting)
        if (count == 0 && placement.getTarget(op) == target)
          ready.push_back(op);
      for (Operation *op : ready) {
        group.push_back(op);
        for (Operation *user : users[op])
          --waiting[user];
        grew = true;
      }
      waiting.remove_if([&](auto &entry) { return llvm::is_contained(ready, entry.first); });
    }
    runs.emplace_back(std::move(group), target);
  }
  for (auto &[group, target] : runs)
    for (Operation *op : group)
      op->moveBefore(block.getTerminator());
  for (auto &[group, target] : runs)
    if (target != Placement::kHost)
      outline(group, target);
}

void Partitioner::outline(llvm::ArrayRef<Operation *> group, int target) {
  llvm::DenseSet<Operation *> inside(group.begin(), group.end());
  llvm::SetVector<Value> inputs, constants;
  SmallVector<Value> outputs;
  for (Operation *op : group) {
    for (Value operand : op->getOperands()) {
      if (operand.getDefiningOp<ConstantOp>())
        constants.insert(operand);
      else if (!operand.getDefiningOp() || !inside.contains(operand.getDefiningOp()))
        inputs.insert(operand);
    }
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !inside.contains(user); }))
        outputs.push_back(result);
  }
  // Symbols that no input carries come in with a value that does, or are bound
  // again from their tensor.
  llvm::StringMap<bool> bound;
  auto bindFrom = [&](Value value) {
    for (DimExpr dim : getDims(value))
      if (dim.getKind() == DimKind::Symbol)
        bound[dim.getSymbol()] = true;
  };
  llvm::for_each(inputs, bindFrom);
  llvm::SetVector<Operation *> binds;
  auto provide = [&](llvm::StringRef name) {
    auto source = sources.find(name);
    if (bound.contains(name) || source == sources.end())
      return;
    Value tensor = source->second.tensor;
    inputs.insert(tensor);
    bindFrom(tensor);
    if (source->second.bind) {
      binds.insert(source->second.bind);
      for (mlir::Attribute bindName : source->second.bind.getSymbols())
        bound[llvm::cast<mlir::StringAttr>(bindName).getValue()] = true;
    }
  };
  for (Operation *op : group)
    walkSymbols(op, provide);
  for (unsigned i = 0; i < inputs.size(); ++i)
    for (DimExpr dim : getDims(inputs[i]))
      dim.walkSymbols(provide);

  mlir::OpBuilder builder(group.front());
  auto types = [](auto &&values) {
    SmallVector<mlir::Type> result;
    for (Value value : values)
      result.push_back(value.getType());
    return result;
  };
  auto module = function->getParentOfType<mlir::ModuleOp>();
  builder.setInsertionPointToEnd(module.getBody());
  std::string name = "part" + std::to_string(partitions.size());
  auto part = builder.create<mlir::func::FuncOp>(
      group.front()->getLoc(), name, builder.getFunctionType(types(inputs), types(outputs)));
  part.setPrivate();
  mlir::Block *body = part.addEntryBlock();
  mlir::IRMapping mapping;
  for (auto [input, argument] : llvm::zip_equal(inputs, body->getArguments()))
    mapping.map(input, argument);
  builder.setInsertionPointToEnd(body);
  for (Value constant : constants)
    builder.clone(*constant.getDefiningOp(), mapping);
  for (Operation *bind : binds)
    builder.clone(*bind, mapping);
  for (Operation *op : group)
    builder.clone(*op, mapping);
  SmallVector<Value> returned;
  for (Value output : outputs)
    returned.push_back(mapping.lookup(output));
  builder.create<mlir::func::ReturnOp>(group.back()->getLoc(), returned);

  builder.setInsertionPoint(group.back());
  SmallVector<mlir::Location> locations;
  for (Operation *op : group)
    locations.push_back(op->getLoc());
  auto invoke = builder.create<InvokeOp>(builder.getFusedLoc(locations), types(outputs), name,
                                         targets[target].device, inputs.getArrayRef());
  for (auto [output, result] : llvm::zip_equal(outputs, invoke.getResults())) {
    output.replaceAllUsesWith(result);
    for (auto &source : sources)
      if (source.second.tensor == output)
        source.second.tensor = result;
  }
  for (Operation *op : llvm::reverse(group))
    op->erase();
  partitions.push_back({part, target});
}

mlir::FailureOr<SmallVector<Partition>>
cuvil::outlinePartitions(mlir::func::FuncOp function, const Placement &placement,
                         llvm::ArrayRef<cuvil_target> targets) {
  return Partitioner(function, placement, targets).run();
}
