// SPDX-License-Identifier: Apache-2.0
// Registration of the dialect, its type helpers and its generic verifier.
#include "cuvil/IR/CuvilDialect.h"
#include "DimExprDetail.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/IR/DialectImplementation.h"

using namespace cuvil;

#include "cuvil/IR/CuvilDialect.cpp.inc"
#include "cuvil/IR/CuvilInterfaces.cpp.inc"

void CuvilDialect::initialize() {
  weights = std::make_shared<WeightStore>();
  addAttributes<DimExpr, DimsAttr, WeightAttr>();
  addOperations<
#define GET_OP_LIST
#include "cuvil/IR/Ops/Elementwise.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Layout.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Indexing.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Reduction.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Contraction.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Normalization.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Recurrent.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Quant.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Shape.cpp.inc"
      ,
#define GET_OP_LIST
#include "cuvil/IR/Ops/Control.cpp.inc"
      >();
}

mlir::Attribute CuvilDialect::parseAttribute(mlir::DialectAsmParser &parser,
                                             mlir::Type type) const {
  llvm::StringRef word;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return {};
  if (word == "dims")
    return DimsAttr::parse(parser);
  if (word == "weight")
    return WeightAttr::parse(parser, type);
  if (word == "dim") {
    if (parser.parseLess())
      return {};
    auto expr = parseDimExpr(parser);
    if (failed(expr) || parser.parseGreater())
      return {};
    return *expr;
  }
  parser.emitError(loc, "unknown cuvil attribute '") << word << "'";
  return {};
}

void CuvilDialect::printAttribute(mlir::Attribute attr,
                                  mlir::DialectAsmPrinter &printer) const {
  if (auto dims = llvm::dyn_cast<DimsAttr>(attr)) {
    printer << "dims";
    dims.print(printer);
  } else if (auto weight = llvm::dyn_cast<WeightAttr>(attr)) {
    printer << "weight";
    weight.print(printer);
  } else if (auto expr = llvm::dyn_cast<DimExpr>(attr)) {
    printer << "dim<";
    expr.print(printer.getStream());
    printer << ">";
  }
}

mlir::Operation *CuvilDialect::materializeConstant(mlir::OpBuilder &builder,
                                                   mlir::Attribute value,
                                                   mlir::Type type,
                                                   mlir::Location loc) {
  auto typed = llvm::dyn_cast<mlir::TypedAttr>(value);
  if (!typed || typed.getType() != type)
    return nullptr;
  return builder.create<ConstantOp>(loc, type, typed);
}

//===----------------------------------------------------------------------===//
// Types and dims
//===----------------------------------------------------------------------===//

mlir::RankedTensorType cuvil::getTensorType(llvm::ArrayRef<DimExpr> dims,
                                            mlir::Type element) {
  llvm::SmallVector<int64_t> shape;
  for (DimExpr dim : dims)
    shape.push_back(dim.getConstant().value_or(mlir::ShapedType::kDynamic));
  bool isStatic = !llvm::is_contained(shape, mlir::ShapedType::kDynamic);
  mlir::Attribute encoding;
  if (!isStatic)
    encoding = DimsAttr::get(element.getContext(), dims);
  return mlir::RankedTensorType::get(shape, element, encoding);
}

llvm::SmallVector<DimExpr> cuvil::getDims(mlir::RankedTensorType type) {
  if (auto dims = llvm::dyn_cast_or_null<DimsAttr>(type.getEncoding()))
    return llvm::SmallVector<DimExpr>(dims.getDims());
  llvm::SmallVector<DimExpr> dims;
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    // A bare '?' can come in by text only; the verifier refuses it, and until
    // then each one is a symbol of its own position.
    if (mlir::ShapedType::isDynamic(size))
      dims.push_back(DimExpr::symbol(type.getContext(), "?" + std::to_string(i)));
    else
      dims.push_back(DimExpr::constant(type.getContext(), size));
  }
  return dims;
}

llvm::SmallVector<DimExpr> cuvil::getDims(mlir::Value tensor) {
  return getDims(llvm::cast<mlir::RankedTensorType>(tensor.getType()));
}

llvm::FailureOr<llvm::SmallVector<DimExpr>>
DimContext::getValue(mlir::Value tensor) {
  auto known = values.find(tensor);
  if (known != values.end()) {
    if (!known->second)
      return mlir::failure();
    return *known->second;
  }
  values[tensor] = std::nullopt; // No answer while it is being asked.
  auto op = tensor.getDefiningOp<CuvilOpInterface>();
  llvm::SmallVector<DimExpr> elements;
  if (!op || op->getNumResults() != 1 || failed(op.inferValue(*this, elements)))
    return mlir::failure();
  values[tensor] = elements;
  return elements;
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

/// Checks one tensor type: dynamic dims are named by the encoding.
static mlir::LogicalResult verifyTensor(mlir::Operation *op, mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return mlir::success();
  auto dims = llvm::dyn_cast_or_null<DimsAttr>(tensor.getEncoding());
  if (tensor.hasStaticShape()) {
    if (tensor.getEncoding())
      return op->emitOpError("has a static tensor type with an encoding: ")
             << tensor;
    return mlir::success();
  }
  if (!dims)
    return op->emitOpError("has a dynamic tensor type without named dims: ")
           << tensor;
  if (dims.getDims().size() != size_t(tensor.getRank()))
    return op->emitOpError("has a tensor type of rank ")
           << tensor.getRank() << " with " << dims.getDims().size() << " dims";
  for (auto [size, dim] : llvm::zip_equal(tensor.getShape(), dims.getDims()))
    if (dim.getConstant().value_or(mlir::ShapedType::kDynamic) != size)
      return op->emitOpError("has a tensor type whose dims differ from its "
                             "shape: ")
             << tensor;
  return mlir::success();
}

mlir::LogicalResult cuvil::detail::verifyCuvilOp(mlir::Operation *op) {
  for (mlir::Type type : op->getOperandTypes())
    if (failed(verifyTensor(op, type)))
      return mlir::failure();
  for (mlir::Type type : op->getResultTypes())
    if (failed(verifyTensor(op, type)))
      return mlir::failure();
  DimContext dims(op->getContext());
  llvm::SmallVector<mlir::Type> types;
  if (failed(llvm::cast<CuvilOpInterface>(op).inferTypes(dims, types)))
    return mlir::failure();
  if (types.size() != op->getNumResults())
    return op->emitOpError("has ")
           << op->getNumResults() << " results, expected " << types.size();
  for (auto [i, expected] : llvm::enumerate(types)) {
    auto want = llvm::cast<mlir::RankedTensorType>(expected);
    auto have =
        llvm::dyn_cast<mlir::RankedTensorType>(op->getResult(i).getType());
    bool same = have && have.getElementType() == want.getElementType() &&
                have.getRank() == want.getRank();
    if (same)
      for (auto [a, b] : llvm::zip_equal(getDims(have), getDims(want)))
        same &= provablyEqual(a, b) != false;
    if (!same)
      return op->emitOpError("result #")
             << i << " has type " << op->getResult(i).getType()
             << " but the operands give " << want;
  }
  return mlir::success();
}
