// SPDX-License-Identifier: Apache-2.0
// Text of dimension expressions and of the dialect's attributes.
#include "DimExprDetail.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/StringExtras.h"

using namespace cuvil;
using mlir::failure;
using mlir::FailureOr;

static bool isIdentifier(llvm::StringRef name) {
  return !name.empty() && (llvm::isAlpha(name[0]) || name[0] == '_') &&
         llvm::all_of(name, [](char c) {
           return llvm::isAlnum(c) || c == '_' || c == '$' || c == '.';
         });
}

static llvm::StringRef getFunctionName(DimKind kind) {
  switch (kind) {
  case DimKind::FloorDiv:
    return "floordiv";
  case DimKind::CeilDiv:
    return "ceildiv";
  case DimKind::Mod:
    return "mod";
  case DimKind::Min:
    return "min";
  case DimKind::Max:
    return "max";
  case DimKind::Bcast:
    return "bcast";
  default:
    return "select";
  }
}

static void printExpr(DimExpr expr, llvm::raw_ostream &os, bool inProduct) {
  switch (expr.getKind()) {
  case DimKind::Constant:
    os << *expr.getConstant();
    return;
  case DimKind::Symbol:
    os << '@';
    if (isIdentifier(expr.getSymbol())) {
      os << expr.getSymbol();
    } else {
      os << '"';
      llvm::printEscapedString(expr.getSymbol(), os);
      os << '"';
    }
    return;
  case DimKind::Add:
  case DimKind::Mul: {
    bool isSum = expr.getKind() == DimKind::Add;
    if (isSum && inProduct)
      os << '(';
    llvm::interleave(
        expr.getOperands(), os,
        [&](DimExpr operand) { printExpr(operand, os, !isSum); },
        isSum ? " + " : " * ");
    if (isSum && inProduct)
      os << ')';
    return;
  }
  default:
    os << getFunctionName(expr.getKind()) << '(';
    llvm::interleaveComma(expr.getOperands(), os, [&](DimExpr operand) {
      printExpr(operand, os, false);
    });
    os << ')';
  }
}

void DimExpr::print(llvm::raw_ostream &os) const {
  printExpr(*this, os, false);
}

std::string DimExpr::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

// Nesting in text is bounded so that hostile input cannot exhaust the stack.
static constexpr int kMaxDepth = 64;

static FailureOr<DimExpr> parseSum(mlir::AsmParser &parser, int depth);

static FailureOr<DimExpr> parseFactor(mlir::AsmParser &parser, int depth) {
  mlir::MLIRContext *context = parser.getContext();
  if (depth > kMaxDepth)
    return parser.emitError(parser.getCurrentLocation(),
                            "dimension expression nested too deeply");
  llvm::SMLoc start = parser.getCurrentLocation();
  llvm::APInt value;
  mlir::OptionalParseResult integer = parser.parseOptionalInteger(value);
  if (integer.has_value()) {
    if (failed(*integer))
      return failure();
    if (value.getSignificantBits() > 64)
      return parser.emitError(start, "integer outside 64 bits");
    return DimExpr::constant(context, value.getSExtValue());
  }
  mlir::StringAttr name;
  if (succeeded(parser.parseOptionalSymbolName(name)))
    return DimExpr::symbol(context, name.getValue());
  if (succeeded(parser.parseOptionalLParen())) {
    auto inner = parseSum(parser, depth + 1);
    if (failed(inner) || parser.parseRParen())
      return failure();
    return inner;
  }
  llvm::SMLoc loc = parser.getCurrentLocation();
  llvm::StringRef word;
  if (parser.parseKeyword(&word) || parser.parseLParen())
    return failure();
  llvm::SmallVector<DimExpr> arguments;
  auto parseArgument = [&]() -> mlir::ParseResult {
    auto argument = parseSum(parser, depth + 1);
    if (failed(argument))
      return failure();
    arguments.push_back(*argument);
    return mlir::success();
  };
  if (parser.parseCommaSeparatedList(parseArgument) || parser.parseRParen())
    return failure();
  if (word == "select" && arguments.size() == 3)
    return DimExpr::select(arguments[0], arguments[1], arguments[2]);
  for (DimKind kind : {DimKind::FloorDiv, DimKind::CeilDiv, DimKind::Mod,
                       DimKind::Min, DimKind::Max, DimKind::Bcast}) {
    if (word != getFunctionName(kind) || arguments.size() < 2)
      continue;
    DimExpr result = arguments.front();
    for (DimExpr argument : llvm::drop_begin(arguments))
      result = DimExpr::get(kind, result, argument);
    return result;
  }
  return parser.emitError(loc, "unknown dimension function '")
         << word << "' of " << arguments.size() << " arguments";
}

static FailureOr<DimExpr> parseProduct(mlir::AsmParser &parser, int depth) {
  auto result = parseFactor(parser, depth);
  while (succeeded(result) && succeeded(parser.parseOptionalStar())) {
    auto factor = parseFactor(parser, depth);
    if (failed(factor))
      return failure();
    result = *result * *factor;
  }
  return result;
}

static FailureOr<DimExpr> parseSum(mlir::AsmParser &parser, int depth) {
  auto result = parseProduct(parser, depth);
  while (succeeded(result) && succeeded(parser.parseOptionalPlus())) {
    auto term = parseProduct(parser, depth);
    if (failed(term))
      return failure();
    result = *result + *term;
  }
  return result;
}

FailureOr<DimExpr> cuvil::parseDimExpr(mlir::AsmParser &parser) {
  return parseSum(parser, 0);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

DimsAttr DimsAttr::get(mlir::MLIRContext *context,
                       llvm::ArrayRef<DimExpr> dims) {
  return Base::get(context, dims);
}

llvm::ArrayRef<DimExpr> DimsAttr::getDims() const { return getImpl()->dims; }

mlir::Attribute DimsAttr::parse(mlir::AsmParser &parser) {
  llvm::SmallVector<DimExpr> dims;
  auto parseDim = [&]() -> mlir::ParseResult {
    auto dim = parseDimExpr(parser);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
    return mlir::success();
  };
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(mlir::AsmParser::Delimiter::Square,
                                     parseDim) ||
      parser.parseGreater())
    return {};
  return get(parser.getContext(), dims);
}

void DimsAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getDims(), printer.getStream(), [&](DimExpr dim) {
    dim.print(printer.getStream());
  });
  printer << "]>";
}

WeightAttr WeightAttr::get(int64_t id, mlir::RankedTensorType type) {
  return Base::get(type.getContext(), id, type);
}

int64_t WeightAttr::getId() const { return getImpl()->id; }
mlir::Type WeightAttr::getType() const { return getImpl()->type; }

mlir::Attribute WeightAttr::parse(mlir::AsmParser &parser, mlir::Type type) {
  int64_t id;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseInteger(id) || parser.parseGreater())
    return {};
  if (!type && parser.parseColonType(type))
    return {};
  auto tensor = llvm::dyn_cast_or_null<mlir::RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    parser.emitError(loc, "a weight needs a static tensor type");
    return {};
  }
  return get(id, tensor);
}

void WeightAttr::print(mlir::AsmPrinter &printer) const {
  printer << "<" << getId() << ">";
}
