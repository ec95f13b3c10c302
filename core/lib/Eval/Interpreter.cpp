// SPDX-License-Identifier: Apache-2.0
// One run of a function: values, symbols and control flow.
#include "cuvil/Eval/Interpreter.h"
#include "Constants.h"
#include "InterpreterPlan.h"
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"
#include "llvm/ADT/StringMap.h"
#include <new>

using namespace cuvil;
using namespace cuvil::detail;

// A tensor larger than this is a mistake (or a hostile file), not a need.
static constexpr int64_t kMaxBytes = int64_t(1) << 38;
static constexpr int kMaxDepth = 200;

namespace {

using Tensor = std::shared_ptr<EvalTensor>;
using Tensors = llvm::SmallVector<Tensor>;
using Values = llvm::DenseMap<mlir::Value, Tensor>;

/// The sizes known at one point of a run.
struct Symbols {
  llvm::StringMap<int64_t> names;
  /// Sizes of arguments whose expressions have symbols that are not known.
  llvm::DenseMap<DimExpr, int64_t> opaque;

  std::optional<int64_t> find(DimExpr expr) const;
};

class Run : public EvalContext {
public:
  Run(const InterpreterPlan &plan, EvalError &error)
      : plan(plan), error(error) {}

  using EvalContext::evaluate;
  llvm::FailureOr<int64_t> evaluate(DimExpr expr) override;
  void bind(llvm::StringRef symbol, int64_t value) override {
    symbols.names[symbol] = value;
  }
  llvm::FailureOr<EvalTensor> getWeight(int64_t id) override;
  llvm::LogicalResult fail(int32_t code, const std::string &message) override;

  /// Binds the symbols that occur alone as a dim and are not known yet, and
  /// checks all other dims.
  llvm::LogicalResult bindDims(llvm::ArrayRef<TensorPlan> types,
                               llvm::ArrayRef<llvm::ArrayRef<int64_t>> dims,
                               const char *what);
  llvm::LogicalResult bindTensors(llvm::ArrayRef<TensorPlan> types,
                                  llvm::ArrayRef<Tensor> tensors,
                                  const char *what);
  llvm::LogicalResult call(mlir::func::FuncOp function, Tensors arguments,
                           Tensors &results);
  llvm::LogicalResult runBlock(mlir::Block &block, Values &values,
                               Tensors arguments, Tensors &yields);

private:
  llvm::LogicalResult runOp(mlir::Operation &op, const OpPlan &opPlan,
                            Values &values, Tensors operands, Tensors &results);
  llvm::LogicalResult runKernel(const OpPlan &opPlan, const Tensors &operands,
                                Tensors &results);
  llvm::LogicalResult runWhile(WhileOp op, const OpPlan &opPlan, Values &values,
                               Tensors carried, Tensors &results);
  llvm::LogicalResult check(const DimCheck &check);
  llvm::FailureOr<Tensor> allocate(const TensorPlan &type, bool isBorrowed);

  const InterpreterPlan &plan;
  EvalError &error;
  Symbols symbols;
  mlir::Operation *current = nullptr;
  int depth = 0;
};

} // namespace

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

/// `expr` with the parts that are known as a whole replaced by their values.
static DimExpr replaceOpaque(DimExpr expr,
                             const llvm::DenseMap<DimExpr, int64_t> &opaque) {
  auto known = opaque.find(expr);
  if (known != opaque.end())
    return DimExpr::constant(expr.getContext(), known->second);
  llvm::SmallVector<DimExpr> parts;
  for (DimExpr operand : expr.getOperands())
    parts.push_back(replaceOpaque(operand, opaque));
  if (parts.empty())
    return expr;
  if (expr.getKind() == DimKind::Select)
    return DimExpr::select(parts[0], parts[1], parts[2]);
  DimExpr result = parts.front();
  for (DimExpr part : llvm::drop_begin(parts))
    result = DimExpr::get(expr.getKind(), result, part);
  return result;
}

std::optional<int64_t> Symbols::find(DimExpr expr) const {
  auto lookup = [&](llvm::StringRef name) -> std::optional<int64_t> {
    auto known = names.find(name);
    if (known == names.end())
      return std::nullopt;
    return known->second;
  };
  std::optional<int64_t> value = expr.evaluate(lookup);
  if (value || opaque.empty())
    return value;
  return replaceOpaque(expr, opaque).evaluate(lookup);
}

llvm::FailureOr<int64_t> Run::evaluate(DimExpr expr) {
  if (std::optional<int64_t> value = symbols.find(expr))
    return *value;
  std::string missing;
  expr.walkSymbols([&](llvm::StringRef name) {
    if (!symbols.names.contains(name))
      missing = name.str();
  });
  return fail(CUVIL_INVALID_MODEL,
              missing.empty()
                  ? "the size " + expr.str() + " overflows or divides by zero"
                  : "the size " + expr.str() + " needs @" + missing +
                        ", which is not known here");
}

llvm::LogicalResult Run::bindDims(llvm::ArrayRef<TensorPlan> types,
                                  llvm::ArrayRef<llvm::ArrayRef<int64_t>> dims,
                                  const char *what) {
  for (auto [type, sizes] : llvm::zip_equal(types, dims))
    for (auto [dim, size] : llvm::zip_equal(type.dims, sizes))
      if (dim.getKind() == DimKind::Symbol)
        symbols.names.try_emplace(dim.getSymbol(), size);
  for (size_t i = 0; i < types.size(); ++i)
    for (size_t d = 0; d < types[i].dims.size(); ++d) {
      DimExpr dim = types[i].dims[d];
      std::optional<int64_t> want = symbols.find(dim);
      if (!want)
        symbols.opaque.try_emplace(dim, dims[i][d]);
      else if (*want != dims[i][d])
        return fail(
            CUVIL_INVALID_ARGUMENT,
            std::string("dimension ") + std::to_string(d) + " of " + what +
                " " + std::to_string(i) + " is " + std::to_string(dims[i][d]) +
                ", expected " + dim.str() +
                (dim.getConstant() ? "" : " = " + std::to_string(*want)));
    }
  return llvm::success();
}

llvm::LogicalResult Run::bindTensors(llvm::ArrayRef<TensorPlan> types,
                                     llvm::ArrayRef<Tensor> tensors,
                                     const char *what) {
  if (types.size() != tensors.size())
    return fail(CUVIL_INVALID_ARGUMENT,
                "got " + std::to_string(tensors.size()) + " of " + what +
                    ", expected " + std::to_string(types.size()));
  llvm::SmallVector<llvm::ArrayRef<int64_t>> dims;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string name = std::string(what) + " " + std::to_string(i);
    if (tensors[i]->getDtype() != types[i].dtype)
      return fail(CUVIL_INVALID_ARGUMENT,
                  name + " has another element type than expected");
    if (size_t(tensors[i]->getRank()) != types[i].dims.size())
      return fail(CUVIL_INVALID_ARGUMENT,
                  name + " has rank " + std::to_string(tensors[i]->getRank()) +
                      ", expected " + std::to_string(types[i].dims.size()));
    dims.push_back(tensors[i]->getDims());
  }
  return bindDims(types, dims, what);
}

llvm::LogicalResult Run::check(const DimCheck &check) {
  std::optional<int64_t> a = symbols.find(check.lhs);
  std::optional<int64_t> b = symbols.find(check.rhs);
  // A side that can't be known here is left to the kernel's own checks.
  if (!a || !b)
    return llvm::success();
  bool holds = check.relation == DimCheck::Equal       ? *a == *b
               : check.relation == DimCheck::LessEqual ? *a <= *b
                                                       : *a == 1 || *a == *b;
  if (holds)
    return llvm::success();
  const char *words[] = {"equal", "be at most", "broadcast to"};
  return fail(CUVIL_INVALID_ARGUMENT,
              "the size " + check.lhs.str() + " = " + std::to_string(*a) +
                  " must " + words[check.relation] + " " + check.rhs.str() +
                  " = " + std::to_string(*b));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

llvm::FailureOr<EvalTensor> Run::getWeight(int64_t id) {
  auto weight = getStoredWeight(plan.entry->getContext(), id);
  if (failed(weight))
    return fail(CUVIL_INVALID_MODEL,
                "there is no weight " + std::to_string(id));
  return weight;
}

llvm::LogicalResult Run::fail(int32_t code, const std::string &message) {
  error.code = code;
  error.message = message;
  error.where.reset();
  if (current) {
    error.message = current->getName().getStringRef().str() + ": " + message;
    error.where = current->getLoc();
  }
  return llvm::failure();
}

llvm::FailureOr<Tensor> Run::allocate(const TensorPlan &type, bool isBorrowed) {
  auto dims = evaluate(type.dims);
  if (failed(dims))
    return llvm::failure();
  int64_t bytes = getByteSize(type.dtype);
  bool isEmpty = llvm::is_contained(*dims, 0);
  for (int64_t size : *dims) {
    if (size < 0)
      return fail(CUVIL_INVALID_ARGUMENT,
                  "a result has negative dims " + detail::toString(*dims));
    if (!isEmpty &&
        (__builtin_mul_overflow(bytes, size, &bytes) || bytes > kMaxBytes))
      return fail(CUVIL_RESOURCE_EXHAUSTED,
                  "a result has dims " + detail::toString(*dims) +
                      ", which is more memory than is allowed");
  }
  if (isBorrowed)
    return std::make_shared<EvalTensor>(type.dtype, *dims, nullptr);
  return std::make_shared<EvalTensor>(type.dtype, *dims);
}

llvm::LogicalResult Run::runKernel(const OpPlan &opPlan,
                                   const Tensors &operands, Tensors &results) {
  for (const DimCheck &needed : opPlan.checks)
    if (failed(check(needed)))
      return llvm::failure();
  llvm::SmallVector<const EvalTensor *> inputs;
  llvm::SmallVector<EvalTensor *> outputs;
  for (int position : opPlan.operands)
    inputs.push_back(position < 0 ? nullptr : operands[position].get());
  CuvilOpInterface kernel = opPlan.kernel;
  // A constant's kernel puts borrowed bytes into its output.
  bool isBorrowed = kernel->hasTrait<mlir::OpTrait::ConstantLike>();
  for (const TensorPlan &type : opPlan.results) {
    auto result = allocate(type, isBorrowed);
    if (failed(result))
      return llvm::failure();
    outputs.push_back(result->get());
    results.push_back(std::move(*result));
  }
  return kernel.eval(*this, inputs, outputs);
}

llvm::LogicalResult Run::runWhile(WhileOp op, const OpPlan &opPlan,
                                  Values &values, Tensors carried,
                                  Tensors &results) {
  // Symbols bound inside are those of one iteration.
  const Symbols outer = symbols;
  while (true) {
    Tensors passed;
    if (failed(runBlock(op.getConditionRegion().front(), values,
                        std::move(carried), passed)))
      return llvm::failure();
    current = op;
    Tensor goes = passed.front();
    passed.erase(passed.begin());
    if (goes->getNumElements() != 1)
      return fail(CUVIL_INVALID_ARGUMENT,
                  "the condition has dims " +
                      detail::toString(goes->getDims()) +
                      ", expected one element");
    symbols = outer;
    if (!goes->toI64().front()) {
      results = std::move(passed);
      return bindTensors(opPlan.results, results, "result");
    }
    Tensors next;
    if (failed(runBlock(op.getBodyRegion().front(), values, std::move(passed),
                        next)))
      return llvm::failure();
    current = op;
    symbols = outer;
    carried = std::move(next);
  }
}

llvm::LogicalResult Run::runOp(mlir::Operation &op, const OpPlan &opPlan,
                               Values &values, Tensors operands,
                               Tensors &results) {
  if (opPlan.kernel)
    return runKernel(opPlan, operands, results);
  if (opPlan.callee) {
    if (failed(call(opPlan.callee, std::move(operands), results)))
      return llvm::failure();
    current = &op;
    return bindTensors(opPlan.results, results, "result");
  }
  if (auto fusion = llvm::dyn_cast<FusionOp>(op)) {
    if (failed(runBlock(fusion.getBody().front(), values, std::move(operands),
                        results)))
      return llvm::failure();
    current = &op;
    return bindTensors(opPlan.results, results, "result");
  }
  if (auto loop = llvm::dyn_cast<WhileOp>(op))
    return runWhile(loop, opPlan, values, std::move(operands), results);
  auto branch = llvm::cast<IfOp>(op);
  if (operands[0]->getNumElements() != 1)
    return fail(CUVIL_INVALID_ARGUMENT,
                "the condition has dims " +
                    detail::toString(operands[0]->getDims()) +
                    ", expected one element");
  mlir::Region &region = operands[0]->toI64().front() ? branch.getThenRegion()
                                                      : branch.getElseRegion();
  Symbols outer = symbols;
  if (failed(runBlock(region.front(), values, {}, results)))
    return llvm::failure();
  current = &op;
  symbols = std::move(outer);
  return bindTensors(opPlan.results, results, "result");
}

llvm::LogicalResult Run::runBlock(mlir::Block &block, Values &values,
                                  Tensors arguments, Tensors &yields) {
  if (failed(bindTensors(plan.arguments.find(&block)->second, arguments,
                         "argument")))
    return llvm::failure();
  for (auto [argument, tensor] :
       llvm::zip_equal(block.getArguments(), arguments))
    values[argument] = std::move(tensor);
  for (mlir::Operation &op : block) {
    current = &op;
    const OpPlan &opPlan = plan.ops.find(&op)->second;
    Tensors operands, results;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(values.find(operand)->second);
    bool isEnd = op.hasTrait<mlir::OpTrait::IsTerminator>();
    if (isEnd)
      yields = std::move(operands);
    else if (failed(runOp(op, opPlan, values, std::move(operands), results)))
      return llvm::failure();
    for (auto [value, tensor] : llvm::zip_equal(op.getResults(), results))
      values[value] = std::move(tensor);
    for (mlir::Value value : opPlan.deaths)
      values.erase(value);
  }
  return llvm::success();
}

llvm::LogicalResult Run::call(mlir::func::FuncOp function, Tensors arguments,
                              Tensors &results) {
  if (++depth > kMaxDepth)
    return fail(CUVIL_RESOURCE_EXHAUSTED, "functions are nested too deeply");
  Values values;
  llvm::LogicalResult result = runBlock(function.getBody().front(), values,
                                        std::move(arguments), results);
  --depth;
  return result;
}

//===----------------------------------------------------------------------===//
// Interpreter
//===----------------------------------------------------------------------===//

Interpreter::Interpreter(std::unique_ptr<InterpreterPlan> plan)
    : plan(std::move(plan)) {}

Interpreter::~Interpreter() = default;

std::unique_ptr<Interpreter> Interpreter::create(mlir::func::FuncOp entry,
                                                 EvalError &error) {
  auto plan = std::make_unique<InterpreterPlan>();
  plan->entry = entry;
  if (failed(plan->add(entry, error)))
    return nullptr;
  return std::unique_ptr<Interpreter>(new Interpreter(std::move(plan)));
}

/// The function's result types as its return states them.
static llvm::SmallVector<TensorPlan> getResultTypes(mlir::func::FuncOp entry) {
  llvm::SmallVector<TensorPlan> types;
  for (mlir::Type type : entry.getResultTypes()) {
    auto tensor = llvm::cast<mlir::RankedTensorType>(type);
    types.push_back({getDtype(tensor.getElementType()), getDims(tensor)});
  }
  return types;
}

llvm::LogicalResult
Interpreter::run(llvm::ArrayRef<EvalTensor> arguments,
                 llvm::ArrayRef<llvm::SmallVector<int64_t>> resultDims,
                 std::vector<EvalTensor> &results, EvalError &error) const {
  Run run(*plan, error);
  Tensors values, outputs;
  try {
    for (const EvalTensor &argument : arguments)
      values.push_back(std::make_shared<EvalTensor>(argument));
    mlir::Block *block = &plan->entry.getBody().front();
    if (failed(run.bindTensors(plan->arguments.find(block)->second, values,
                               "argument")))
      return llvm::failure();
    if (!resultDims.empty()) {
      llvm::SmallVector<TensorPlan> types = getResultTypes(plan->entry);
      llvm::SmallVector<llvm::ArrayRef<int64_t>> dims(resultDims);
      bool fits = types.size() == dims.size();
      for (size_t i = 0; fits && i < dims.size(); ++i)
        fits = types[i].dims.size() == dims[i].size();
      if (!fits)
        return run.fail(CUVIL_INVALID_ARGUMENT,
                        "the results differ in number or rank");
      if (failed(run.bindDims(types, dims, "result")))
        return llvm::failure();
    }
    if (failed(run.call(plan->entry, std::move(values), outputs)))
      return llvm::failure();
    results.clear();
    for (Tensor &output : outputs)
      results.push_back(std::move(*output));
    return llvm::success();
  } catch (const std::bad_alloc &) {
    return run.fail(CUVIL_RESOURCE_EXHAUSTED, "out of memory");
  }
}
