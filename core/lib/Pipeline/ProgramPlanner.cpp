// SPDX-License-Identifier: Apache-2.0
// From fusion regions and control flow to buffers and steps.
#include "cuvil/Pipeline/ProgramPlanner.h"
#include "ProgramWriter.h"
#include "cuvil/Eval/EvalTensor.h"
#include "cuvil/Graph/Graph.h"

using namespace cuvil;
using llvm::SmallVector;
using mlir::failure;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::success;
using mlir::Value;

namespace {

/// Where a value lives.
struct Place {
  uint32_t buffer;
  /// The same bytes in every call: a constant or written by init.
  bool isConstant;
};

class Planner {
public:
  Planner(mlir::func::FuncOp function, KernelProvider &provider,
          llvm::function_ref<cuvil_executable *(llvm::StringRef)> executables)
      : function(function), provider(provider), executables(executables), writer(function) {}

  mlir::FailureOr<cuvil_program *> run();

private:
  LogicalResult planBlock(mlir::Block &block, uint32_t to);
  LogicalResult planFusion(FusionOp op, uint32_t to);
  LogicalResult planIf(IfOp op, uint32_t to);
  LogicalResult planWhile(WhileOp op, uint32_t to);
  LogicalResult planInvoke(InvokeOp op, uint32_t to);
  LogicalResult planResults();
  LogicalResult checkDims(Operation *op, uint32_t to);

  /// The place of a value; constants get theirs at the first use.
  mlir::FailureOr<Place> getPlace(Value value);
  /// A new buffer of a value's type.
  uint32_t addBuffer(int32_t kind, Value value, int64_t index = -1);
  /// Copies values into the buffers of others and binds the symbols that size
  /// these: how values flow into and out of nested blocks.
  LogicalResult transfer(mlir::ValueRange from, llvm::ArrayRef<uint32_t> buffers,
                         mlir::ValueRange into, uint32_t block, mlir::Location loc);

  mlir::func::FuncOp function;
  KernelProvider &provider;
  llvm::function_ref<cuvil_executable *(llvm::StringRef)> executables;
  ProgramWriter writer;
  llvm::DenseMap<Value, Place> places;
  /// Result number by value, for values that can be written in place.
  llvm::DenseMap<Value, int64_t> directResults;
};

constexpr uint32_t kInitBlock = 0, kMainBlock = 1;

} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

uint32_t Planner::addBuffer(int32_t kind, Value value, int64_t index) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  mlir::StringAttr name;
  if (kind == CUVIL_BUFFER_ARGUMENT)
    name = function.getArgAttrOfType<mlir::StringAttr>(index, "cuvil.name");
  else if (kind == CUVIL_BUFFER_RESULT)
    name = function.getResultAttrOfType<mlir::StringAttr>(index, "cuvil.name");
  return writer.addBuffer(kind, getDtype(type.getElementType()), getDims(type), index,
                          name ? name.str() : "");
}

mlir::FailureOr<Place> Planner::getPlace(Value value) {
  auto known = places.find(value);
  if (known != places.end())
    return known->second;
  Constant *constant = getConstant(value);
  if (!constant) {
    mlir::emitError(value.getLoc()) << "value has no place in the program";
    return failure();
  }
  Place place{writer.addConstant(constant), true};
  places[value] = place;
  return place;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// The operand that a region of renaming ops alone passes on, if it is one.
static Value getRenamedInput(FusionOp op) {
  auto &body = op.getBody().front();
  if (op.getNumResults() != 1)
    return {};
  Value value = body.getTerminator()->getOperand(0);
  while (Operation *producer = value.getDefiningOp()) {
    if (!producer->hasTrait<Renaming>())
      return {};
    value = producer->getOperand(0);
  }
  return op.getInputs()[llvm::cast<mlir::BlockArgument>(value).getArgNumber()];
}

LogicalResult Planner::checkDims(Operation *op, uint32_t to) {
  auto cuvilOp = llvm::dyn_cast<CuvilOpInterface>(op);
  if (!cuvilOp)
    return success();
  DimContext dims(op->getContext());
  SmallVector<mlir::Type> types;
  if (failed(cuvilOp.inferTypes(dims, types)))
    return failure();
  for (const DimCheck &check : dims.getChecks())
    if (failed(writer.addCheck(to, check, op)))
      return failure();
  return success();
}

/// Arithmetic of a region: the sum over its ops.
static DimExpr getFlops(FusionOp op) {
  DimExpr total = DimExpr::constant(op.getContext(), 0);
  for (Operation &inner : op.getBody().front().without_terminator())
    if (auto cuvilOp = llvm::dyn_cast<CuvilOpInterface>(inner))
      if (!inner.hasTrait<Spreading>() && !llvm::isa<ConstantOp>(inner))
        total = total + cuvilOp.getFlops();
  return total;
}

/// Bytes a region reads and writes at its border.
static DimExpr getBytes(FusionOp op) {
  DimExpr total = DimExpr::constant(op.getContext(), 0);
  for (Value value : llvm::concat<Value>(llvm::to_vector<8>(op.getInputs()),
                                         llvm::to_vector<2>(op.getOutputs()))) {
    auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
    total = total + product(op.getContext(), getDims(type)) *
                        getByteSize(getDtype(type.getElementType()));
  }
  return total;
}

LogicalResult Planner::planFusion(FusionOp op, uint32_t to) {
  for (Operation &inner : op.getBody().front().without_terminator())
    if (failed(checkDims(&inner, to)))
      return failure();
  SmallVector<Place> inputs;
  SmallVector<bool> constantInputs;
  for (Value input : op.getInputs()) {
    auto place = getPlace(input);
    if (failed(place))
      return failure();
    inputs.push_back(*place);
    constantInputs.push_back(place->isConstant);
  }
  bool inInit = llvm::all_of(inputs, [](Place place) { return place.isConstant; }) &&
                llvm::all_of(op.getResults(), [](Value result) {
                  return llvm::cast<mlir::RankedTensorType>(result.getType()).hasStaticShape();
                }) && !writer.usesSymbols(op);
  uint32_t block = inInit ? kInitBlock : to;
  int32_t outputKind = inInit ? CUVIL_BUFFER_PERSISTENT : CUVIL_BUFFER_TEMPORARY;

  if (Value source = getRenamedInput(op)) {
    uint32_t view = addBuffer(outputKind, op.getResult(0));
    places[op.getResult(0)] = {view, inInit};
    return writer.addMove(block, CUVIL_STEP_ALIAS, places.lookup(source).buffer, view, op);
  }

  auto plan = provider.plan(op, constantInputs);
  if (failed(plan))
    return failure();
  SmallVector<uint32_t> outputs, extras;
  for (Value output : op.getResults()) {
    auto direct = directResults.find(output);
    bool isResult = !inInit && block == kMainBlock && direct != directResults.end();
    outputs.push_back(isResult ? addBuffer(CUVIL_BUFFER_RESULT, output, direct->second)
                               : addBuffer(outputKind, output));
    places[output] = {outputs.back(), inInit};
  }
  for (const ExtraBuffer &extra : plan->extras)
    extras.push_back(writer.addBuffer(extra.persistent || inInit ? CUVIL_BUFFER_PERSISTENT
                                                                 : CUVIL_BUFFER_TEMPORARY,
                                      getDtype(extra.element), extra.dims, -1));
  // The whole region's work is booked on its last call that is not packing.
  PlannedCall *mainCall = nullptr;
  for (PlannedCall &call : plan->calls)
    if (!call.init)
      mainCall = &call;
  if (mainCall && !mainCall->flops)
    mainCall->flops = getFlops(op);
  if (mainCall && !mainCall->bytes)
    mainCall->bytes = getBytes(op);
  for (const PlannedCall &call : plan->calls) {
    SmallVector<uint32_t> buffers;
    for (BufferRef ref : call.buffers)
      buffers.push_back(ref.kind == BufferRef::Input    ? inputs[ref.index].buffer
                        : ref.kind == BufferRef::Output ? outputs[ref.index]
                                                        : extras[ref.index]);
    if (failed(writer.addCall(call.init ? kInitBlock : block, call, buffers, op)))
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult Planner::transfer(mlir::ValueRange from, llvm::ArrayRef<uint32_t> buffers,
                                mlir::ValueRange into, uint32_t block, mlir::Location loc) {
  // Sizes first: a buffer is allocated when the copy writes it.
  SmallVector<std::pair<llvm::StringRef, DimExpr>> assignments;
  for (auto [source, target] : llvm::zip_equal(from, into))
    for (auto [have, want] : llvm::zip_equal(getDims(source), getDims(target)))
      if (want.getKind() == DimKind::Symbol && want != have)
        assignments.emplace_back(want.getSymbol(), have);
  // Values that trade places go through temporaries: read all, then write all.
  SmallVector<uint32_t> sources;
  for (Value value : from) {
    auto place = getPlace(value);
    if (failed(place))
      return failure();
    sources.push_back(place->buffer);
  }
  for (auto [i, source] : llvm::enumerate(sources)) {
    auto *target = llvm::find(buffers, source);
    bool overwritten = target != buffers.end() && size_t(target - buffers.begin()) < i;
    if (!overwritten)
      continue;
    uint32_t saved = addBuffer(CUVIL_BUFFER_TEMPORARY, from[i]);
    if (failed(writer.addMove(block, CUVIL_STEP_COPY, source, saved, loc)))
      return failure();
    source = saved;
  }
  if (failed(writer.addAssign(block, assignments, loc)))
    return failure();
  for (auto [source, target] : llvm::zip_equal(sources, buffers))
    if (source != target && failed(writer.addMove(block, CUVIL_STEP_COPY, source, target, loc)))
      return failure();
  return success();
}

LogicalResult Planner::planIf(IfOp op, uint32_t to) {
  auto condition = getPlace(op.getCondition());
  if (failed(condition))
    return failure();
  SmallVector<uint32_t> results;
  for (Value result : op.getResults()) {
    results.push_back(addBuffer(CUVIL_BUFFER_TEMPORARY, result));
    places[result] = {results.back(), false};
  }
  uint32_t blocks[2];
  for (auto [i, region] : llvm::enumerate(op->getRegions())) {
    blocks[i] = writer.addBlock();
    mlir::Block &body = region.front();
    if (failed(planBlock(body, blocks[i])) ||
        failed(transfer(body.getTerminator()->getOperands(), results, op.getResults(), blocks[i],
                        op.getLoc())))
      return failure();
  }
  return writer.addControl(to, CUVIL_STEP_IF, condition->buffer, blocks, op);
}

LogicalResult Planner::planWhile(WhileOp op, uint32_t to) {
  mlir::Block &head = op.getConditionRegion().front(), &body = op.getBodyRegion().front();
  SmallVector<uint32_t> carried, passed;
  for (Value argument : head.getArguments()) {
    carried.push_back(addBuffer(CUVIL_BUFFER_TEMPORARY, argument));
    places[argument] = {carried.back(), false};
  }
  if (failed(transfer(op.getCarried(), carried, head.getArguments(), to, op.getLoc())))
    return failure();
  uint32_t blocks[2] = {writer.addBlock(), writer.addBlock()};
  if (failed(planBlock(head, blocks[0])))
    return failure();
  auto terminator = llvm::cast<ConditionOp>(head.getTerminator());
  auto condition = getPlace(terminator.getCondition());
  if (failed(condition))
    return failure();
  // The body's arguments and the op's results are the passed values in place.
  for (auto [value, argument, result] :
       llvm::zip_equal(terminator.getValues(), body.getArguments(), op.getResults())) {
    auto place = getPlace(value);
    if (failed(place))
      return failure();
    places[argument] = {place->buffer, false};
    uint32_t out = addBuffer(CUVIL_BUFFER_TEMPORARY, result);
    places[result] = {out, false};
    passed.push_back(out);
  }
  if (failed(planBlock(body, blocks[1])) ||
      failed(transfer(body.getTerminator()->getOperands(), carried, head.getArguments(), blocks[1],
                      op.getLoc())) ||
      failed(writer.addControl(to, CUVIL_STEP_WHILE, condition->buffer, blocks, op)))
    return failure();
  return transfer(terminator.getValues(), passed, op.getResults(), to, op.getLoc());
}

LogicalResult Planner::planInvoke(InvokeOp op, uint32_t to) {
  cuvil_executable *executable = executables ? executables(op.getCallee()) : nullptr;
  if (!executable)
    return op.emitOpError("calls a partition that was not compiled");
  SmallVector<uint32_t> buffers;
  for (Value input : op.getInputs()) {
    auto place = getPlace(input);
    if (failed(place))
      return failure();
    buffers.push_back(place->buffer);
  }
  for (Value output : op.getResults()) {
    auto direct = directResults.find(output);
    bool isResult = to == kMainBlock && direct != directResults.end();
    buffers.push_back(isResult ? addBuffer(CUVIL_BUFFER_RESULT, output, direct->second)
                               : addBuffer(CUVIL_BUFFER_TEMPORARY, output));
    places[output] = {buffers.back(), false};
  }
  return writer.addInvoke(to, executable, buffers, op.getNumResults(), op);
}

//===----------------------------------------------------------------------===//
// Blocks and the whole
//===----------------------------------------------------------------------===//

LogicalResult Planner::planBlock(mlir::Block &block, uint32_t to) {
  for (Operation &op : block.without_terminator()) {
    LogicalResult result = success();
    if (auto fusion = llvm::dyn_cast<FusionOp>(op)) {
      result = planFusion(fusion, to);
    } else if (auto branch = llvm::dyn_cast<IfOp>(op)) {
      result = planIf(branch, to);
    } else if (auto loop = llvm::dyn_cast<WhileOp>(op)) {
      result = planWhile(loop, to);
    } else if (auto invoke = llvm::dyn_cast<InvokeOp>(op)) {
      result = planInvoke(invoke, to);
    } else if (auto bind = llvm::dyn_cast<SymBindOp>(op)) {
      auto place = getPlace(bind.getX());
      result = failed(place) ? failure() : writer.addBind(to, place->buffer, bind);
    } else if (auto check = llvm::dyn_cast<AssertOp>(op)) {
      result = writer.addAssert(to, check);
    } else if (!llvm::isa<ConstantOp>(op)) {
      result = op.emitOpError("stands outside a fusion region when the program is planned");
    }
    if (failed(result))
      return failure();
  }
  return success();
}

LogicalResult Planner::planResults() {
  auto returned = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(returned->getOperands())) {
    auto place = getPlace(value);
    if (failed(place))
      return failure();
    auto direct = directResults.find(value);
    if (direct != directResults.end() && direct->second == int64_t(i) &&
        writer.isResult(place->buffer))
      continue;
    uint32_t result = addBuffer(CUVIL_BUFFER_RESULT, value, i);
    if (failed(writer.addMove(kMainBlock, CUVIL_STEP_COPY, place->buffer, result,
                              returned->getLoc())))
      return failure();
  }
  return success();
}

mlir::FailureOr<cuvil_program *> Planner::run() {
  mlir::Block &entry = function.getBody().front();
  for (mlir::BlockArgument argument : entry.getArguments())
    places[argument] = {addBuffer(CUVIL_BUFFER_ARGUMENT, argument, argument.getArgNumber()), false};
  for (auto [i, value] : llvm::enumerate(entry.getTerminator()->getOperands()))
    if (value.getDefiningOp<FusionOp>() || value.getDefiningOp<InvokeOp>())
      directResults.try_emplace(value, i);
  if (failed(planBlock(entry, kMainBlock)) || failed(planResults()))
    return failure();
  return writer.take();
}

mlir::FailureOr<cuvil_program *>
cuvil::planProgram(mlir::func::FuncOp function, KernelProvider &provider,
                   llvm::function_ref<cuvil_executable *(llvm::StringRef)> executables) {
  return Planner(function, provider, executables).run();
}
