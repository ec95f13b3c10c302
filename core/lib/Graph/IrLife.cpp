// SPDX-License-Identifier: Apache-2.0
// Making, parsing, finishing and describing an imported module.
#include "Builder.h"
#include "cuvil/Eval/EvalTensor.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

using namespace cuvil;

// Text beyond this is refused before parsing.
static constexpr size_t kMaxText = size_t(64) << 20;

mlir::func::FuncOp cuvil_ir_t::getMain() {
  return module ? module->lookupSymbol<mlir::func::FuncOp>("main") : nullptr;
}

cuvil_status *cuvil::createIr(const cuvil_options *options, cuvil_ir **out) {
  auto ir = std::make_unique<cuvil_ir_t>();
  ir->builder = std::make_unique<cuvil_builder_t>(*ir, options);
  *out = ir.release();
  return nullptr;
}

/// A dim that names a symbol which no argument and no op binds cannot be
/// evaluated; says so at the argument or op that has it.
static mlir::LogicalResult checkSymbols(mlir::func::FuncOp function) {
  llvm::StringSet<> bound;
  auto bindTypes = [&](mlir::TypeRange types) {
    for (mlir::Type type : types)
      if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
        for (DimExpr dim : getDims(tensor))
          if (dim.getKind() == DimKind::Symbol)
            bound.insert(dim.getSymbol());
  };
  bindTypes(function.getArgumentTypes());
  function.walk([&](mlir::Operation *op) {
    if (auto bind = llvm::dyn_cast<SymBindOp>(op))
      for (mlir::Attribute name : bind.getSymbols())
        bound.insert(llvm::cast<mlir::StringAttr>(name).getValue());
    if (llvm::isa<IfOp, WhileOp, InvokeOp>(op))
      bindTypes(op->getResultTypes());
    for (mlir::Region &region : op->getRegions())
      if (llvm::isa<WhileOp>(op) && !region.empty())
        bindTypes(region.front().getArgumentTypes());
  });
  auto check = [&](mlir::Location loc, llvm::ArrayRef<DimExpr> dims) {
    mlir::LogicalResult result = mlir::success();
    for (DimExpr dim : dims)
      dim.walkSymbols([&](llvm::StringRef name) {
        if (bound.contains(name))
          return;
        mlir::emitError(loc) << "dim " << dim.str() << " uses symbol '" << name
                             << "', which no argument or op binds";
        result = mlir::failure();
      });
    return result;
  };
  for (mlir::BlockArgument argument : function.getArguments())
    if (mlir::failed(check(argument.getLoc(), getDims(argument))))
      return mlir::failure();
  auto walked = function.walk([&](mlir::Operation *op) {
    for (mlir::Value result : op->getResults())
      if (mlir::failed(check(op->getLoc(), getDims(result))))
        return mlir::WalkResult::interrupt();
    for (mlir::NamedAttribute attr : op->getAttrs())
      if (auto dims = llvm::dyn_cast<DimsAttr>(attr.getValue()))
        if (mlir::failed(check(op->getLoc(), dims.getDims())))
          return mlir::WalkResult::interrupt();
    return mlir::WalkResult::advance();
  });
  return mlir::failure(walked.wasInterrupted());
}

cuvil_status *cuvil::finishIr(cuvil_ir *ir) {
  cuvil_builder_t *b = ir->builder.get();
  if (!b)
    return nullptr;
  if (!b->frames.empty())
    return makeError(b, CUVIL_FAILED_PRECONDITION, "an if or while is still open");
  if (b->outputs.empty())
    return makeError(b, CUVIL_INVALID_MODEL, "the graph has no outputs");
  DiagnosticCollector collector(ir->context.get());
  b->builder.setInsertionPointToEnd(&b->function.getBody().front());
  b->builder.create<mlir::func::ReturnOp>(b->loc, b->outputs);
  llvm::SmallVector<mlir::Type> results;
  for (mlir::Value output : b->outputs)
    results.push_back(output.getType());
  b->function.setFunctionType(
      b->builder.getFunctionType(b->function.getArgumentTypes(), results));
  for (auto [i, name] : llvm::enumerate(b->outputNames))
    b->function.setResultAttr(i, "cuvil.name", b->builder.getStringAttr(name));
  if (mlir::failed(mlir::verify(*ir->module)) || mlir::failed(checkSymbols(b->function)))
    return collector.takeStatus(CUVIL_INVALID_MODEL, "the graph is not valid");
  ir->builder.reset();
  return nullptr;
}

cuvil_status *cuvil::parseIr(const char *text, size_t size, cuvil_ir **out) {
  if (size > kMaxText)
    return getHost().status_create(CUVIL_RESOURCE_EXHAUSTED,
                                   "textual IR of more than 64 MiB is refused");
  auto ir = std::make_unique<cuvil_ir_t>();
  DiagnosticCollector collector(ir->context.get());
  ir->module = mlir::parseSourceString<mlir::ModuleOp>(
      llvm::StringRef(text, size), mlir::ParserConfig(ir->context.get()), "<text>");
  if (!ir->module)
    return collector.takeStatus(CUVIL_INVALID_MODEL, "the text is not valid Cuvil-IR");
  mlir::func::FuncOp main = ir->getMain();
  if (!main || main.isExternal() || !main.getBody().hasOneBlock())
    return getHost().status_create_at(CUVIL_INVALID_MODEL,
                                      "the module has no function @main with one block", "<text>",
                                      "wrap the ops in func.func @main(...) { ... return ... }");
  mlir::Builder b(ir->context.get());
  auto allTensors = [](mlir::TypeRange types) {
    return llvm::all_of(types, [](mlir::Type type) {
      auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
      return tensor && getDtype(tensor.getElementType()) != CUVIL_DTYPE_NONE;
    });
  };
  if (!allTensors(main.getArgumentTypes()) || !allTensors(main.getResultTypes()))
    return getHost().status_create_at(
        CUVIL_INVALID_MODEL, "arguments and results of @main must be ranked tensors", "<text>", "");
  if (mlir::failed(checkSymbols(main)))
    return collector.takeStatus(CUVIL_INVALID_MODEL, "the text is not valid Cuvil-IR");
  for (unsigned i = 0; i < main.getNumArguments(); ++i) {
    if (!main.getArgAttr(i, "cuvil.name"))
      main.setArgAttr(i, "cuvil.name", b.getStringAttr("arg" + llvm::Twine(i)));
    ir->named[main.getArgAttrOfType<mlir::StringAttr>(i, "cuvil.name").str()] =
        main.getArgument(i);
  }
  auto returned = main.getBody().front().getTerminator()->getOperands();
  for (unsigned i = 0; i < main.getNumResults(); ++i) {
    if (!main.getResultAttr(i, "cuvil.name"))
      main.setResultAttr(i, "cuvil.name", b.getStringAttr("out" + llvm::Twine(i)));
    ir->named.try_emplace(main.getResultAttrOfType<mlir::StringAttr>(i, "cuvil.name").str(),
                          returned[i]);
  }
  *out = ir.release();
  return nullptr;
}

const char *cuvil::printIr(cuvil_ir *ir) {
  ir->text.clear();
  llvm::raw_string_ostream os(ir->text);
  mlir::OpPrintingFlags flags;
  flags.enableDebugInfo(false).elideLargeElementsAttrs(64);
  ir->module->print(os, flags);
  return ir->text.c_str();
}

//===----------------------------------------------------------------------===//
// Tensors by name
//===----------------------------------------------------------------------===//

static cuvil_status *describe(cuvil_ir *ir, const std::string &name, mlir::Value value,
                              cuvil_tensor_info *out) {
  auto &text = ir->tensors[name];
  text = {};
  text.name = name;
  for (DimExpr dim : getDims(value)) {
    text.sizes.push_back(dim.getConstant().value_or(-1));
    // "@batch" is the IR's spelling; users see the bare symbol.
    std::string expr = dim.str();
    expr.erase(std::remove(expr.begin(), expr.end(), '@'), expr.end());
    text.dims.push_back(expr);
  }
  for (const std::string &dim : text.dims)
    text.pointers.push_back(dim.c_str());
  out->name = text.name.c_str();
  out->dtype = getDtype(getTensor(value).getElementType());
  out->rank = text.sizes.size();
  out->sizes = text.sizes.data();
  out->dims = text.pointers.data();
  return nullptr;
}

cuvil_status *cuvil::getIrTensor(cuvil_ir *ir, const char *name, cuvil_tensor_info *out) {
  auto found = ir->named.find(name);
  if (found != ir->named.end())
    return describe(ir, found->first, found->second, out);
  std::string message = std::string("no tensor is called '") + name + "'";
  std::string best;
  unsigned bestDistance = 4;
  for (auto &[known, value] : ir->named) {
    unsigned distance = llvm::StringRef(known).edit_distance(name, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = known;
    }
  }
  std::string hint = best.empty() ? "" : "did you mean '" + best + "'?";
  return getHost().status_create_at(CUVIL_NOT_FOUND, message.c_str(), "", hint.c_str());
}

size_t cuvil::getNumIrTensors(cuvil_ir *ir, int32_t which) {
  mlir::func::FuncOp main = ir->getMain();
  return which == CUVIL_TENSOR_INPUTS ? main.getNumArguments() : main.getNumResults();
}

cuvil_status *cuvil::getIrTensorAt(cuvil_ir *ir, int32_t which, size_t i,
                                   cuvil_tensor_info *out) {
  if (i >= getNumIrTensors(ir, which))
    return getHost().status_create(CUVIL_INVALID_ARGUMENT, "tensor index out of range");
  mlir::func::FuncOp main = ir->getMain();
  bool isInput = which == CUVIL_TENSOR_INPUTS;
  auto name = isInput ? main.getArgAttrOfType<mlir::StringAttr>(i, "cuvil.name")
                      : main.getResultAttrOfType<mlir::StringAttr>(i, "cuvil.name");
  mlir::Value value = isInput ? mlir::Value(main.getArgument(i))
                              : main.getBody().front().getTerminator()->getOperand(i);
  return describe(ir, name ? name.str() : std::to_string(i), value, out);
}
