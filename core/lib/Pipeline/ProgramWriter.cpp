// SPDX-License-Identifier: Apache-2.0
// Writes buffers and steps through the ABI's program builder.
#include "ProgramWriter.h"
#include "cuvil/Graph/Graph.h"

using namespace cuvil;
using llvm::SmallVector;
using llvm::StringRef;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

ProgramWriter::ProgramWriter(mlir::func::FuncOp function)
    : api(*getHost().program), program(api.create()) {
  for (mlir::BlockArgument argument : function.getArguments()) {
    for (auto [d, dim] : llvm::enumerate(getDims(argument))) {
      if (dim.getKind() != DimKind::Symbol || symbols.contains(dim.getSymbol()))
        continue;
      symbols[dim.getSymbol()] =
          api.add_symbol(program, dim.getSymbol().str().c_str(), argument.getArgNumber(), d);
    }
  }
}

ProgramWriter::~ProgramWriter() {
  if (program)
    api.destroy(program);
}

cuvil_program *ProgramWriter::take() { return std::exchange(program, nullptr); }

uint32_t ProgramWriter::getSymbol(StringRef name) {
  auto known = symbols.find(name);
  if (known != symbols.end())
    return known->second;
  uint32_t id = api.add_symbol(program, name.str().c_str(), -1, -1);
  symbols[name] = id;
  return id;
}

cuvil_expr ProgramWriter::getExpr(DimExpr expr) {
  if (!expr)
    return {nullptr, 0};
  auto [entry, isNew] = code.try_emplace(expr.getAsOpaquePointer());
  if (isNew)
    expr.getPostfix([&](StringRef name) { return getSymbol(name); }, entry->second);
  return {entry->second.data(), entry->second.size()};
}

uint32_t ProgramWriter::addBuffer(int32_t kind, cuvil_dtype dtype, llvm::ArrayRef<DimExpr> dims,
                                  int64_t index, const std::string &name) {
  SmallVector<cuvil_expr> exprs;
  for (DimExpr dim : dims)
    exprs.push_back(getExpr(dim));
  cuvil_buffer_desc desc = {};
  desc.struct_size = sizeof(desc);
  desc.kind = kind;
  desc.dtype = dtype;
  desc.index = index;
  desc.dims = exprs.data();
  desc.rank = exprs.size();
  desc.name = name.c_str();
  uint32_t id = api.add_buffer(program, &desc);
  if (kind == CUVIL_BUFFER_RESULT)
    results.insert(id);
  return id;
}

uint32_t ProgramWriter::addConstant(Constant *constant) {
  std::vector<std::vector<int64_t>> code;
  SmallVector<cuvil_expr> exprs;
  for (int64_t dim : constant->getDims())
    code.push_back({CUVIL_DIM_CONST, dim});
  for (auto &dim : code)
    exprs.push_back({dim.data(), dim.size()});
  constant->retain();
  cuvil_buffer_desc desc = {};
  desc.struct_size = sizeof(desc);
  desc.kind = CUVIL_BUFFER_CONSTANT;
  desc.dtype = constant->getDtype();
  desc.index = -1;
  desc.dims = exprs.data();
  desc.rank = exprs.size();
  desc.constant = constant;
  desc.name = constant->getName().c_str();
  return api.add_buffer(program, &desc);
}

uint32_t ProgramWriter::addBlock() { return api.add_block(program); }

bool ProgramWriter::usesSymbols(FusionOp op) const {
  auto result = op.walk([](mlir::Operation *inner) {
    for (mlir::NamedAttribute attr : inner->getAttrs())
      if (auto dims = llvm::dyn_cast<DimsAttr>(attr.getValue()))
        for (DimExpr dim : dims.getDims())
          if (!dim.getConstant())
            return mlir::WalkResult::interrupt();
    return mlir::WalkResult::advance();
  });
  return result.wasInterrupted();
}

LogicalResult ProgramWriter::addStep(uint32_t block, cuvil_step_desc &step, mlir::Location loc) {
  std::string location = getLocationText(loc);
  step.struct_size = sizeof(step);
  step.location = location.c_str();
  cuvil_status *status = api.add_step(program, block, &step);
  if (!status)
    return success();
  mlir::emitError(loc) << getHost().status_message(status);
  getHost().status_release(status);
  return failure();
}

LogicalResult ProgramWriter::addCall(uint32_t block, const PlannedCall &call,
                                     llvm::ArrayRef<uint32_t> buffers, FusionOp op) {
  auto [kernel, isNew] = kernels.try_emplace(call.kernel, 0);
  if (isNew)
    kernel->second = api.add_kernel(program, call.kernel.c_str(), nullptr);
  SmallVector<cuvil_expr> sizes;
  for (DimExpr size : call.sizes)
    sizes.push_back(getExpr(size));
  cuvil_step_desc step = {};
  step.kind = CUVIL_STEP_CALL;
  step.kernel = kernel->second;
  step.num_writes = call.numWrites;
  step.buffers = buffers.data();
  step.num_buffers = buffers.size();
  step.sizes = sizes.data();
  step.num_sizes = sizes.size();
  step.tiles = getExpr(call.tiles);
  step.scratch = getExpr(call.scratch);
  step.flops = getExpr(call.flops);
  step.bytes = getExpr(call.bytes);
  step.label = op.getLabelAttr().data();
  return addStep(block, step, op.getLoc());
}

LogicalResult ProgramWriter::addMove(uint32_t block, int32_t kind, uint32_t from, uint32_t to,
                                     mlir::Location loc) {
  uint32_t buffers[] = {from, to};
  cuvil_step_desc step = {};
  step.kind = kind;
  step.buffers = buffers;
  step.num_buffers = 2;
  step.num_writes = 1;
  return addStep(block, step, loc);
}

LogicalResult
ProgramWriter::addAssign(uint32_t block,
                         llvm::ArrayRef<std::pair<StringRef, DimExpr>> assignments,
                         mlir::Location loc) {
  if (assignments.empty())
    return success();
  SmallVector<uint32_t> ids;
  SmallVector<cuvil_expr> sizes;
  for (auto &[name, expr] : assignments) {
    ids.push_back(getSymbol(name));
    sizes.push_back(getExpr(expr));
  }
  cuvil_step_desc step = {};
  step.kind = CUVIL_STEP_ASSIGN;
  step.symbols = ids.data();
  step.num_symbols = ids.size();
  step.sizes = sizes.data();
  step.num_sizes = sizes.size();
  return addStep(block, step, loc);
}

LogicalResult ProgramWriter::addBind(uint32_t block, uint32_t buffer, SymBindOp op) {
  SmallVector<uint32_t> ids;
  for (mlir::Attribute name : op.getSymbols())
    ids.push_back(getSymbol(llvm::cast<mlir::StringAttr>(name).getValue()));
  cuvil_step_desc step = {};
  step.kind = CUVIL_STEP_BIND;
  step.buffers = &buffer;
  step.num_buffers = 1;
  step.symbols = ids.data();
  step.num_symbols = ids.size();
  return addStep(block, step, op.getLoc());
}

LogicalResult ProgramWriter::addAssert(uint32_t block, AssertOp op) {
  SmallVector<cuvil_expr> sizes;
  for (auto [lhs, rhs] : llvm::zip_equal(op.getLhs(), op.getRhs()))
    sizes.append({getExpr(lhs), getExpr(rhs)});
  std::string message = op.getMessage().str();
  cuvil_step_desc step = {};
  step.kind = CUVIL_STEP_CHECK;
  step.relation = op.getRelation() == "le"      ? CUVIL_CHECK_LE
                  : op.getRelation() == "lt"    ? CUVIL_CHECK_LT
                  : op.getRelation() == "bcast" ? CUVIL_CHECK_BCAST
                                                : CUVIL_CHECK_EQ;
  step.sizes = sizes.data();
  step.num_sizes = sizes.size();
  step.message = message.c_str();
  return addStep(block, step, op.getLoc());
}

LogicalResult ProgramWriter::addCheck(uint32_t block, const DimCheck &check, mlir::Operation *op) {
  auto key = std::make_tuple(block, int(check.relation), check.lhs.getAsOpaquePointer(),
                             check.rhs.getAsOpaquePointer());
  if (!checked.insert(key).second)
    return success();
  static constexpr const char *kWords[] = {"equal", "be at most", "be 1 or equal"};
  static constexpr int32_t kRelations[] = {CUVIL_CHECK_EQ, CUVIL_CHECK_LE, CUVIL_CHECK_BCAST};
  std::string message = op->getName().stripDialect().str() + " requires " + check.lhs.str() +
                        " to " + kWords[check.relation] + " " + check.rhs.str();
  cuvil_expr sizes[] = {getExpr(check.lhs), getExpr(check.rhs)};
  cuvil_step_desc step = {};
  step.kind = CUVIL_STEP_CHECK;
  step.relation = kRelations[check.relation];
  step.sizes = sizes;
  step.num_sizes = 2;
  step.message = message.c_str();
  return addStep(block, step, op->getLoc());
}

LogicalResult ProgramWriter::addControl(uint32_t block, int32_t kind, uint32_t condition,
                                        const uint32_t (&blocks)[2], mlir::Operation *op) {
  cuvil_step_desc step = {};
  step.kind = kind;
  step.buffers = &condition;
  step.num_buffers = 1;
  step.blocks[0] = blocks[0];
  step.blocks[1] = blocks[1];
  return addStep(block, step, op->getLoc());
}

LogicalResult ProgramWriter::addInvoke(uint32_t block, cuvil_executable *executable,
                                       llvm::ArrayRef<uint32_t> buffers, unsigned numWrites,
                                       mlir::Operation *op) {
  cuvil_step_desc step = {};
  step.kind = CUVIL_STEP_INVOKE;
  step.executable = executable;
  step.buffers = buffers.data();
  step.num_buffers = buffers.size();
  step.num_writes = numWrites;
  return addStep(block, step, op->getLoc());
}
