// SPDX-License-Identifier: Apache-2.0
// The read-only C view of Cuvil-IR: handles are MLIR's own pointers.
#include "cuvil/Eval/EvalTensor.h"
#include "cuvil/Graph/Graph.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace cuvil;
using mlir::Block;
using mlir::Operation;
using mlir::Value;

const cuvil_graph *cuvil::wrapGraph(Block *block) {
  return reinterpret_cast<const cuvil_graph *>(block);
}
Block *cuvil::unwrapGraph(const cuvil_graph *graph) {
  return reinterpret_cast<Block *>(const_cast<cuvil_graph *>(graph));
}

static Operation *unwrap(cuvil_op op) { return reinterpret_cast<Operation *>(op); }
static cuvil_op wrap(Operation *op) { return reinterpret_cast<cuvil_op>(op); }
static Value unwrap(cuvil_value value) { return Value::getFromOpaquePointer(value); }
static cuvil_value wrap(Value value) {
  return reinterpret_cast<cuvil_value>(value.getAsOpaquePointer());
}
static DimExpr unwrap(cuvil_dim dim) {
  return llvm::cast<DimExpr>(mlir::Attribute::getFromOpaquePointer(dim));
}
static cuvil_dim wrap(DimExpr dim) {
  return reinterpret_cast<cuvil_dim>(dim.getAsOpaquePointer());
}

/// Text that lives as long as the context.
static const char *intern(mlir::MLIRContext *context, llvm::StringRef text) {
  return mlir::StringAttr::get(context, text).data();
}

//===----------------------------------------------------------------------===//
// Graph
//===----------------------------------------------------------------------===//

static size_t numInputs(const cuvil_graph *graph) {
  return unwrapGraph(graph)->getNumArguments();
}
static cuvil_value input(const cuvil_graph *graph, size_t i) {
  return wrap(unwrapGraph(graph)->getArgument(i));
}
static size_t numOutputs(const cuvil_graph *graph) {
  return unwrapGraph(graph)->getTerminator()->getNumOperands();
}
static cuvil_value output(const cuvil_graph *graph, size_t i) {
  return wrap(unwrapGraph(graph)->getTerminator()->getOperand(i));
}
static size_t numOps(const cuvil_graph *graph) {
  return llvm::range_size(unwrapGraph(graph)->without_terminator());
}
static cuvil_op op(const cuvil_graph *graph, size_t i) {
  return wrap(&*std::next(unwrapGraph(graph)->begin(), i));
}

//===----------------------------------------------------------------------===//
// Op
//===----------------------------------------------------------------------===//

static const char *opName(cuvil_op op) {
  return unwrap(op)->getName().getIdentifier().data();
}
static const char *opLabel(cuvil_op op) {
  auto fusion = llvm::dyn_cast<FusionOp>(unwrap(op));
  return fusion ? fusion.getLabelAttr().data() : "";
}

std::string cuvil::getLocationText(mlir::Location loc) {
  if (auto name = llvm::dyn_cast<mlir::NameLoc>(loc))
    return name.getName().str();
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(loc))
    return (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) +
            ":" + llvm::Twine(file.getColumn()))
        .str();
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(loc)) {
    std::string text;
    for (mlir::Location part : fused.getLocations()) {
      std::string line = getLocationText(part);
      if (!line.empty())
        text += (text.empty() ? "" : "\n") + line;
    }
    return text;
  }
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(loc))
    return getLocationText(call.getCallee());
  return "";
}

static const char *opLocation(cuvil_op op) {
  return intern(unwrap(op)->getContext(), getLocationText(unwrap(op)->getLoc()));
}

/// Operand positions as ODS lists them: with segments, one per group.
static cuvil_value getOperand(Operation *op, size_t position) {
  auto segments = op->getAttrOfType<mlir::DenseI32ArrayAttr>("operandSegmentSizes");
  if (!segments)
    return position < op->getNumOperands() ? wrap(op->getOperand(position)) : nullptr;
  int32_t start = 0;
  for (auto [i, size] : llvm::enumerate(segments.asArrayRef())) {
    if (i == position)
      return size ? wrap(op->getOperand(start)) : nullptr;
    start += size;
  }
  return nullptr;
}

static size_t numOperands(cuvil_op handle) {
  Operation *op = unwrap(handle);
  if (auto segments = op->getAttrOfType<mlir::DenseI32ArrayAttr>("operandSegmentSizes"))
    return segments.size();
  return op->getNumOperands();
}
static cuvil_value operand(cuvil_op op, size_t i) { return getOperand(unwrap(op), i); }
static size_t numResults(cuvil_op op) { return unwrap(op)->getNumResults(); }
static cuvil_value result(cuvil_op op, size_t i) { return wrap(unwrap(op)->getResult(i)); }
static size_t numRegions(cuvil_op op) { return unwrap(op)->getNumRegions(); }
static const cuvil_graph *region(cuvil_op op, size_t i) {
  return wrapGraph(&unwrap(op)->getRegion(i).front());
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static_assert(sizeof(DimExpr) == sizeof(cuvil_dim),
              "lists of dims are handed out in place");

static void readAttr(Operation *op, mlir::NamedAttribute named, cuvil_attr *out) {
  cuvil_attr attr = {};
  attr.struct_size = out->struct_size ? out->struct_size : sizeof(cuvil_attr);
  attr.name = named.getName().data();
  llvm::TypeSwitch<mlir::Attribute>(named.getValue())
      .Case<mlir::BoolAttr>([&](auto value) {
        attr.kind = CUVIL_ATTR_BOOL;
        attr.i = value.getValue();
      })
      .Case<mlir::IntegerAttr>([&](auto value) {
        attr.kind = CUVIL_ATTR_INT;
        attr.i = value.getValue().getSExtValue();
      })
      .Case<mlir::FloatAttr>([&](auto value) {
        attr.kind = CUVIL_ATTR_FLOAT;
        attr.f = value.getValueAsDouble();
      })
      .Case<mlir::StringAttr>([&](auto value) {
        attr.kind = CUVIL_ATTR_STRING;
        attr.s = value.data();
      })
      .Case<mlir::TypeAttr>([&](auto value) {
        attr.kind = CUVIL_ATTR_DTYPE;
        attr.i = getDtype(value.getValue());
      })
      .Case<mlir::DenseI64ArrayAttr>([&](auto value) {
        attr.kind = CUVIL_ATTR_INTS;
        attr.count = value.size();
        attr.ints = value.asArrayRef().data();
      })
      .Case<mlir::DenseF64ArrayAttr>([&](auto value) {
        attr.kind = CUVIL_ATTR_FLOATS;
        attr.count = value.size();
        attr.floats = value.asArrayRef().data();
      })
      .Case<DimsAttr>([&](auto value) {
        attr.kind = CUVIL_ATTR_DIMS;
        attr.count = value.getDims().size();
        attr.dims = reinterpret_cast<const cuvil_dim *>(value.getDims().data());
      })
      .Case<mlir::ArrayAttr>([&](auto value) {
        // Pointers to the strings live in the context beside them.
        llvm::SmallVector<int64_t> pointers;
        for (mlir::Attribute element : value)
          if (auto text = llvm::dyn_cast<mlir::StringAttr>(element))
            pointers.push_back(reinterpret_cast<intptr_t>(text.data()));
        auto store = mlir::DenseI64ArrayAttr::get(op->getContext(), pointers);
        attr.kind = CUVIL_ATTR_STRINGS;
        attr.count = pointers.size();
        attr.strings = reinterpret_cast<const char *const *>(store.asArrayRef().data());
      });
  *out = attr;
}

static size_t numAttrs(cuvil_op op) { return unwrap(op)->getAttrDictionary().size(); }
static void attr(cuvil_op op, size_t i, cuvil_attr *out) {
  readAttr(unwrap(op), unwrap(op)->getAttrDictionary().getValue()[i], out);
}
static int32_t findAttr(cuvil_op handle, const char *name, cuvil_attr *out) {
  Operation *op = unwrap(handle);
  auto named = op->getAttrDictionary().getNamed(name);
  if (!named)
    return 0;
  readAttr(op, *named, out);
  return 1;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static mlir::RankedTensorType getType(cuvil_value value) {
  return llvm::dyn_cast<mlir::RankedTensorType>(unwrap(value).getType());
}
static cuvil_dtype dtype(cuvil_value value) {
  auto type = getType(value);
  return type ? getDtype(type.getElementType()) : CUVIL_DTYPE_NONE;
}
static size_t rank(cuvil_value value) { return getType(value).getRank(); }
static cuvil_dim dim(cuvil_value value, size_t i) { return wrap(getDims(getType(value))[i]); }

static const char *valueName(cuvil_value handle) {
  Value value = unwrap(handle);
  mlir::MLIRContext *context = value.getContext();
  if (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    auto function =
        llvm::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp());
    if (!function)
      return "";
    auto name = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(),
                                                            "cuvil.name");
    return name ? name.data() : "";
  }
  return intern(context, getLocationText(value.getLoc()));
}

static cuvil_op producer(cuvil_value value) {
  return wrap(unwrap(value).getDefiningOp());
}

/// The constant behind a value, looking through a fusion's arguments.
static ConstantOp getConstantOp(Value value) {
  while (auto argument = llvm::dyn_cast<mlir::BlockArgument>(value)) {
    auto fusion = llvm::dyn_cast<FusionOp>(argument.getOwner()->getParentOp());
    if (!fusion)
      return {};
    value = fusion.getInputs()[argument.getArgNumber()];
  }
  return value.getDefiningOp<ConstantOp>();
}

/// The weight behind a constant op; small dense ones become weights of the
/// store the first time they are asked for.
Constant *cuvil::getConstant(Value value) {
  ConstantOp op = getConstantOp(value);
  if (!op)
    return nullptr;
  auto *dialect = op->getContext()->getLoadedDialect<CuvilDialect>();
  if (auto weight = llvm::dyn_cast<WeightAttr>(op.getValue()))
    return dialect->getWeights().get(weight.getId());
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(op.getValue());
  return dense ? getDenseConstant(*dialect, dense) : nullptr;
}

static int32_t constant(cuvil_value value, cuvil_dl_tensor *out) {
  Constant *weight = getConstant(unwrap(value));
  if (!weight)
    return 0;
  *out = weight->getTensor();
  return 1;
}
static void *retainConstant(cuvil_value value) {
  Constant *weight = getConstant(unwrap(value));
  if (weight)
    weight->retain();
  return weight;
}
static void releaseConstant(void *handle) {
  if (handle)
    static_cast<Constant *>(handle)->release();
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

static int32_t dimConstant(cuvil_dim dim, int64_t *out) {
  auto value = unwrap(dim).getConstant();
  if (value)
    *out = *value;
  return value.has_value();
}

/// Symbols of the function around a graph, in order of first use.
static llvm::SmallVector<llvm::StringRef> getSymbols(const cuvil_graph *graph) {
  llvm::SetVector<llvm::StringRef> symbols;
  auto collect = [&](mlir::Type type) {
    if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
      for (DimExpr dim : getDims(tensor))
        dim.walkSymbols([&](llvm::StringRef name) { symbols.insert(name); });
  };
  Block *block = unwrapGraph(graph);
  while (!llvm::isa_and_nonnull<mlir::FunctionOpInterface>(block->getParentOp()) &&
         block->getParentOp() && block->getParentOp()->getBlock())
    block = block->getParentOp()->getBlock();
  for (Value argument : block->getArguments())
    collect(argument.getType());
  block->walk([&](Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      collect(type);
    for (mlir::NamedAttribute attr : op->getAttrs())
      if (auto dims = llvm::dyn_cast<DimsAttr>(attr.getValue()))
        for (DimExpr dim : dims.getDims())
          dim.walkSymbols([&](llvm::StringRef name) { symbols.insert(name); });
  });
  return symbols.takeVector();
}

static size_t numSymbols(const cuvil_graph *graph) { return getSymbols(graph).size(); }
static const char *symbolName(const cuvil_graph *graph, size_t i) {
  auto symbols = getSymbols(graph);
  return i < symbols.size() ? symbols[i].data() : nullptr;
}

static size_t dimCode(const cuvil_graph *graph, cuvil_dim dim, int64_t *out,
                      size_t capacity) {
  auto symbols = getSymbols(graph);
  llvm::SmallVector<int64_t> code;
  unwrap(dim).getPostfix(
      [&](llvm::StringRef name) { return llvm::find(symbols, name) - symbols.begin(); }, code);
  if (code.size() <= capacity)
    llvm::copy(code, out);
  return code.size();
}

static const char *dimString(const cuvil_graph *, cuvil_dim dim) {
  return intern(unwrap(dim).getContext(), unwrap(dim).str());
}

//===----------------------------------------------------------------------===//
// Plane B and the table
//===----------------------------------------------------------------------===//

static void *mlirGraph(const cuvil_graph *graph) {
  return unwrapGraph(graph)->getParentOp();
}
static void *mlirOp(cuvil_op op) { return unwrap(op); }

const cuvil_graph_api &cuvil::getGraphApi() {
  static const cuvil_graph_api api = {
      sizeof(cuvil_graph_api), numInputs, input, numOutputs, output, numOps, op,
      opName, opLabel, opLocation, numOperands, operand, numResults, result,
      numRegions, region, numAttrs, attr, findAttr, dtype, rank, dim, valueName,
      producer, constant, retainConstant, releaseConstant, dimConstant, dimCode,
      dimString, numSymbols, symbolName, mlirGraph, mlirOp};
  return api;
}
