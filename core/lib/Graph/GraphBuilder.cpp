// SPDX-License-Identifier: Apache-2.0
// The C graph builder: every frontend and the Python graph API come through it.
#include "Builder.h"
#include "cuvil/Eval/EvalTensor.h"
#include "mlir/IR/Verifier.h"

using namespace cuvil;
using llvm::SmallVector;
using llvm::StringRef;
using llvm::Twine;

// Constants up to this size live in the IR.
static constexpr size_t kInlineBytes = 1024;

cuvil_builder_t::cuvil_builder_t(cuvil_ir_t &ir, const cuvil_options *given)
    : ir(ir), context(ir.context.get()), builder(context),
      loc(mlir::UnknownLoc::get(context)), dims(context) {
  if (given)
    for (size_t i = 0; i < given->count; ++i)
      options[given->keys[i]] = given->values[i];
  ir.module = mlir::ModuleOp::create(loc);
  builder.setInsertionPointToEnd(ir.module->getBody());
  function = builder.create<mlir::func::FuncOp>(
      loc, "main", builder.getFunctionType({}, {}));
  builder.setInsertionPointToEnd(function.addEntryBlock());
}

cuvil_status *cuvil::makeError(cuvil_builder *b, int32_t code,
                               const Twine &message, StringRef hint) {
  return getHost().status_create_at(code, message.str().c_str(),
                                    getLocationText(b->loc).c_str(),
                                    hint.str().c_str());
}

static StringRef bareName(StringRef name) {
  name.consume_front("cuvil.");
  return name;
}

/// The registered op nearest in spelling, for an error text.
static std::string nearestOp(mlir::MLIRContext *context, StringRef name) {
  std::string best;
  unsigned bestDistance = 4;
  for (mlir::RegisteredOperationName op : context->getRegisteredOperations()) {
    if (op.getDialectNamespace() != "cuvil")
      continue;
    StringRef candidate = bareName(op.getStringRef());
    unsigned distance = candidate.edit_distance(name, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate.str();
    }
  }
  return best;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Any type of the right shape for a result whose type is not yet known.
static mlir::Type getPlaceholder(mlir::MLIRContext *context) {
  return mlir::RankedTensorType::get({0}, mlir::Float32Type::get(context));
}

mlir::Operation *cuvil_builder_t::create(StringRef name,
                                         llvm::ArrayRef<mlir::Value> operands,
                                         llvm::ArrayRef<mlir::NamedAttribute> attrs,
                                         unsigned numResults) {
  auto info = mlir::RegisteredOperationName::lookup(("cuvil." + name).str(), context);
  if (!info || !info->hasInterface<CuvilOpInterface>()) {
    std::string nearest = nearestOp(context, name);
    auto diag = mlir::emitError(loc) << "no op is called '" << name << "'";
    if (!nearest.empty())
      diag << "; did you mean '" << nearest << "'?";
    return nullptr;
  }
  mlir::OperationState state(loc, *info);
  unsigned groups = info->getInterface<CuvilOpInterface>()->getNumOperandGroups();
  SmallVector<int32_t> segments;
  for (mlir::Value operand : operands) {
    if (operand)
      state.operands.push_back(operand);
    segments.push_back(operand ? 1 : 0);
  }
  if (groups) {
    if (segments.size() > groups) {
      mlir::emitError(loc) << "'" << name << "' takes at most " << groups
                           << " operands, got " << segments.size();
      return nullptr;
    }
    segments.resize(groups, 0);
    state.addAttribute("operandSegmentSizes", builder.getDenseI32ArrayAttr(segments));
  } else {
    // Only the tail can be absent where no segments are stored.
    while (!segments.empty() && !segments.back())
      segments.pop_back();
    if (llvm::is_contained(segments, 0)) {
      mlir::emitError(loc) << "'" << name << "' lacks operand #"
                           << (llvm::find(segments, 0) - segments.begin());
      return nullptr;
    }
  }
  for (mlir::NamedAttribute attr : attrs) {
    if (!llvm::is_contained(info->getAttributeNames(), attr.getName())) {
      auto diag = mlir::emitError(loc)
                  << "'" << name << "' has no attribute '" << attr.getName().getValue()
                  << "'; it has";
      llvm::interleave(
          info->getAttributeNames(), [&](mlir::StringAttr known) { diag << " " << known.getValue(); },
          [&] { diag << ","; });
      return nullptr;
    }
    state.attributes.append(attr);
  }
  if (mlir::failed(info->verifyInherentAttrs(state.attributes, [&] {
        return mlir::emitError(loc) << "'" << name << "' ";
      })))
    return nullptr;
  state.types.assign(numResults, getPlaceholder(context));
  mlir::Operation *op = builder.create(state);
  // Attributes, operands and result count first: shape functions may rely on
  // them. The one complaint to expect is about the placeholder types.
  std::string complaint;
  {
    DiagnosticCollector collector(context);
    if (mlir::failed(info->verifyInvariants(op)) &&
        !collector.getFirstError().contains("op result #"))
      complaint = collector.getFirstError().str();
  }
  // Outside of that scope, whose collector would keep it to itself.
  if (!complaint.empty()) {
    op->erase();
    mlir::emitError(loc) << complaint;
    return nullptr;
  }
  SmallVector<mlir::Type> types;
  if (mlir::failed(llvm::cast<CuvilOpInterface>(op).inferTypes(dims, types))) {
    op->erase();
    return nullptr;
  }
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    result.setType(llvm::cast<mlir::RankedTensorType>(type));
  return op;
}

DimExpr cuvil_builder_t::makeFresh(StringRef stem) {
  std::string name;
  do
    name = (stem + "_" + Twine(nextSymbol++)).str();
  while (!symbols.insert(name).second);
  if (!frames.empty())
    frames.back().symbols.insert(name);
  return DimExpr::symbol(context, name);
}

/// The IR attribute of an ABI attribute; null for an unknown kind.
static mlir::Attribute toAttribute(mlir::Builder &b, const cuvil_attr &attr) {
  switch (attr.kind) {
  case CUVIL_ATTR_INT:
    return b.getI64IntegerAttr(attr.i);
  case CUVIL_ATTR_FLOAT:
    return b.getF64FloatAttr(attr.f);
  case CUVIL_ATTR_BOOL:
    return b.getBoolAttr(attr.i != 0);
  case CUVIL_ATTR_STRING:
    return b.getStringAttr(attr.s ? attr.s : "");
  case CUVIL_ATTR_INTS:
    return b.getDenseI64ArrayAttr({attr.ints, attr.count});
  case CUVIL_ATTR_FLOATS:
    return b.getDenseF64ArrayAttr({attr.floats, attr.count});
  case CUVIL_ATTR_DTYPE: {
    mlir::Type type = getElementType(b.getContext(), static_cast<cuvil_dtype>(attr.i));
    return type ? mlir::TypeAttr::get(type) : mlir::Attribute();
  }
  case CUVIL_ATTR_DIMS: {
    SmallVector<DimExpr> dims;
    for (size_t i = 0; i < attr.count; ++i)
      dims.push_back(unwrapDim(attr.dims[i]));
    return DimsAttr::get(b.getContext(), dims);
  }
  case CUVIL_ATTR_STRINGS: {
    SmallVector<mlir::Attribute> texts;
    for (size_t i = 0; i < attr.count; ++i)
      texts.push_back(b.getStringAttr(attr.strings[i]));
    return b.getArrayAttr(texts);
  }
  default:
    return {};
  }
}

static void setLocation(cuvil_builder *b, const char *text) {
  b->loc = text && *text
               ? mlir::Location(mlir::NameLoc::get(mlir::StringAttr::get(b->context, text)))
               : mlir::UnknownLoc::get(b->context);
}

static cuvil_status *addOp(cuvil_builder *b, const char *name, const cuvil_value *operands,
                           size_t numOperands, const cuvil_attr *attrs, size_t numAttrs,
                           cuvil_value *results, size_t numResults) {
  SmallVector<mlir::Value> values;
  for (size_t i = 0; i < numOperands; ++i)
    values.push_back(unwrapValue(operands[i]));
  SmallVector<mlir::NamedAttribute> named;
  for (size_t i = 0; i < numAttrs; ++i) {
    mlir::Attribute value = toAttribute(b->builder, attrs[i]);
    if (!value)
      return makeError(b, CUVIL_INVALID_ARGUMENT,
                       Twine("attribute '") + attrs[i].name + "' of '" + name +
                           "' has an unknown kind or type");
    named.push_back(b->builder.getNamedAttr(attrs[i].name, value));
  }
  DiagnosticCollector collector(b->context);
  mlir::Operation *op = b->create(bareName(name), values, named, numResults);
  if (!op)
    return collector.takeStatus(CUVIL_INVALID_MODEL, "the op could not be built");
  for (size_t i = 0; i < numResults; ++i)
    results[i] = wrapValue(op->getResult(i));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Arguments, results, constants
//===----------------------------------------------------------------------===//

static cuvil_status *addInput(cuvil_builder *b, const char *name, cuvil_dtype dtype,
                              const cuvil_dim *dims, size_t rank, cuvil_value *out) {
  mlir::Type element = getElementType(b->context, dtype);
  if (!element)
    return makeError(b, CUVIL_UNSUPPORTED,
                     Twine("input '") + name + "' has an element type that Cuvil-IR lacks");
  SmallVector<DimExpr> exprs;
  for (size_t i = 0; i < rank; ++i) {
    DimExpr dim = unwrapDim(dims[i]);
    if (auto low = dim.getUpperBound(); low && *low < 0)
      return makeError(b, CUVIL_INVALID_MODEL,
                       Twine("input '") + name + "' has the negative dim " + dim.str());
    exprs.push_back(dim);
  }
  if (b->ir.named.count(name))
    return makeError(b, CUVIL_INVALID_MODEL, Twine("two values are called '") + name + "'");
  unsigned index = b->function.getNumArguments();
  b->function.insertArgument(index, getTensorType(exprs, element),
                             b->builder.getDictionaryAttr(b->builder.getNamedAttr(
                                 "cuvil.name", b->builder.getStringAttr(name))),
                             b->loc);
  mlir::Value value = b->function.getArgument(index);
  b->ir.named[name] = value;
  *out = wrapValue(value);
  return nullptr;
}

static cuvil_status *addOutput(cuvil_builder *b, const char *name, cuvil_value value) {
  if (!value)
    return makeError(b, CUVIL_INVALID_MODEL, Twine("output '") + name + "' has no value");
  b->outputs.push_back(unwrapValue(value));
  b->outputNames.push_back(name);
  b->ir.named.try_emplace(name, unwrapValue(value));
  return nullptr;
}

/// A dense attribute of a constant's bytes.
static mlir::DenseElementsAttr toDense(mlir::RankedTensorType type, const Constant &constant) {
  if (constant.getDtype() == CUVIL_BOOL) {
    auto *bytes = static_cast<const char *>(constant.getData());
    SmallVector<bool> bits(bytes, bytes + constant.getSize());
    return mlir::DenseElementsAttr::get(type, bits);
  }
  llvm::ArrayRef<char> raw(static_cast<const char *>(constant.getData()), constant.getSize());
  return mlir::DenseElementsAttr::getFromRawBuffer(type, raw);
}

static cuvil_status *addConstant(cuvil_builder *b, const cuvil_constant *desc, cuvil_value *out) {
  const cuvil_dl_tensor &tensor = desc->tensor;
  cuvil_dtype dtype = getDtype(tensor.dtype);
  mlir::Type element = getElementType(b->context, dtype);
  bool compact = element != mlir::Type();
  size_t bytes = getElementSize(dtype);
  int64_t expected = 1;
  for (int32_t i = tensor.ndim - 1; i >= 0 && compact; --i) {
    int64_t size = tensor.shape[i];
    compact = size >= 0 && !__builtin_mul_overflow(bytes, static_cast<size_t>(size), &bytes) &&
              (!tensor.strides || size <= 1 || tensor.strides[i] == expected);
    expected *= size;
  }
  if (!compact)
    return makeError(b, CUVIL_INVALID_ARGUMENT,
                     Twine("constant '") + (desc->name ? desc->name : "") +
                         "' is not a compact tensor of a type that Cuvil-IR has");
  Constant *constant = Constant::create(*desc);
  auto type = mlir::RankedTensorType::get(constant->getDims(), element);
  mlir::TypedAttr value;
  if (constant->getSize() <= kInlineBytes) {
    value = toDense(type, *constant);
    constant->release();
  } else {
    auto *dialect = b->context->getLoadedDialect<CuvilDialect>();
    value = WeightAttr::get(dialect->getWeights().add(constant), type);
  }
  mlir::Location loc = b->loc;
  if (desc->name && *desc->name)
    loc = mlir::NameLoc::get(mlir::StringAttr::get(b->context, desc->name));
  mlir::Value result = b->builder.create<ConstantOp>(loc, type, value);
  *out = wrapValue(result);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Questions about values
//===----------------------------------------------------------------------===//

static cuvil_dtype dtype(cuvil_value value) {
  return getDtype(getTensor(unwrapValue(value)).getElementType());
}
static size_t rank(cuvil_value value) { return getTensor(unwrapValue(value)).getRank(); }
static cuvil_dim dim(cuvil_value value, size_t i) {
  return wrapDim(getDims(unwrapValue(value))[i]);
}

static int32_t constant(cuvil_builder *b, cuvil_value handle, cuvil_dl_tensor *out) {
  mlir::Value value = b->foldValue(unwrapValue(handle));
  Constant *found = value ? getConstant(value) : nullptr;
  if (!found)
    return 0;
  *out = found->getTensor();
  return 1;
}

static int64_t valueAsDims(cuvil_builder *b, cuvil_value value, cuvil_dim *out, size_t capacity) {
  auto elements = b->dims.getValue(unwrapValue(value));
  if (mlir::failed(elements))
    return -1;
  for (size_t i = 0; i < std::min(capacity, elements->size()); ++i)
    out[i] = wrapDim((*elements)[i]);
  return elements->size();
}

static cuvil_status *bindDims(cuvil_builder *b, cuvil_value handle, cuvil_dim *out, size_t count) {
  mlir::Value value = unwrapValue(handle);
  auto type = getTensor(value);
  if (type.getRank() > 1 || !type.hasStaticShape() ||
      type.getNumElements() != static_cast<int64_t>(count) || !type.getElementType().isInteger())
    return makeError(b, CUVIL_INVALID_MODEL,
                     "sizes must come from an integer tensor of rank 0 or 1 with a fixed "
                     "number of elements");
  if (valueAsDims(b, handle, out, count) >= 0)
    return nullptr;
  SmallVector<mlir::Attribute> names;
  for (size_t i = 0; i < count; ++i) {
    DimExpr fresh = b->makeFresh("v");
    names.push_back(b->builder.getStringAttr(fresh.getSymbol()));
    out[i] = wrapDim(fresh);
  }
  if (!type.getElementType().isSignlessInteger(64) && !type.getElementType().isSignlessInteger(32)) {
    auto wide = getTensorType(getDims(value), b->builder.getI64Type());
    value = b->builder.create<ConvertOp>(b->loc, wide, value, b->builder.getI64Type(), "trunc", false);
  }
  b->builder.create<SymBindOp>(b->loc, value, b->builder.getArrayAttr(names));
  return nullptr;
}

static cuvil_status *refine(cuvil_builder *b, cuvil_value handle, const cuvil_dim *dims,
                            size_t rank, const char *message, cuvil_value *out) {
  mlir::Value value = unwrapValue(handle);
  auto type = getTensor(value);
  SmallVector<DimExpr> have = getDims(type), want, left, right;
  for (size_t i = 0; i < rank; ++i)
    want.push_back(unwrapDim(dims[i]));
  bool possible = have.size() == want.size();
  for (size_t i = 0; possible && i < rank; ++i) {
    auto known = provablyEqual(have[i], want[i]);
    possible = known != false;
    if (!known) {
      left.push_back(have[i]);
      right.push_back(want[i]);
    }
  }
  if (!possible) {
    std::string text;
    llvm::raw_string_ostream os(text);
    auto list = [&](llvm::ArrayRef<DimExpr> dims) {
      os << '[';
      llvm::interleaveComma(dims, os, [&](DimExpr dim) { dim.print(os); });
      os << ']';
    };
    os << message << ": expected ";
    list(want);
    os << ", got ";
    list(have);
    return makeError(b, CUVIL_INVALID_MODEL, text);
  }
  *out = handle;
  if (have == want)
    return nullptr;
  if (!left.empty())
    b->builder.create<AssertOp>(b->loc, "eq", left, right, message);
  mlir::Value refined = b->builder.create<RefineOp>(
      b->loc, getTensorType(want, type.getElementType()), value, want);
  *out = wrapValue(refined);
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Dimensions and options
//===----------------------------------------------------------------------===//

static cuvil_dim dimConst(cuvil_builder *b, int64_t value) {
  return wrapDim(DimExpr::constant(b->context, value));
}
static cuvil_dim dimSymbol(cuvil_builder *b, const char *name) {
  b->symbols.insert(name);
  return wrapDim(DimExpr::symbol(b->context, name));
}
static cuvil_dim dimFresh(cuvil_builder *b, const char *stem) {
  return wrapDim(b->makeFresh(stem && *stem ? stem : "d"));
}
static cuvil_dim dimBinary(cuvil_builder *, int32_t op, cuvil_dim x, cuvil_dim y) {
  return wrapDim(DimExpr::get(static_cast<DimKind>(op), unwrapDim(x), unwrapDim(y)));
}
static int32_t dimConstant(cuvil_dim dim, int64_t *out) {
  return getGraphApi().dim_constant(dim, out);
}
static const char *dimString(cuvil_builder *, cuvil_dim dim) {
  return getGraphApi().dim_string(nullptr, dim);
}
static const char *option(cuvil_builder *b, const char *key) {
  auto found = b->options.find(key);
  return found == b->options.end() ? nullptr : found->second.c_str();
}

static void nameValue(cuvil_builder *b, cuvil_value value, const char *name) {
  b->ir.named.try_emplace(name, unwrapValue(value));
}

const cuvil_builder_api &cuvil::getBuilderApi() {
  static const cuvil_builder_api api = {
      sizeof(cuvil_builder_api), setLocation, addInput, addOutput, addConstant, addOp,
      beginIf, beginWhile, nextRegion, endRegionOp, whileVarying, dtype, rank, dim,
      constant, valueAsDims, bindDims, refine, dimConst, dimSymbol, dimFresh,
      dimBinary, dimConstant, dimString, option, nameValue};
  return api;
}
