// SPDX-License-Identifier: Apache-2.0
// Control flow of the graph builder: regions open, build up and close.
#include "Builder.h"

using namespace cuvil;
using llvm::SmallVector;
using Frame = cuvil_builder_t::Frame;

static mlir::Block *openRegion(cuvil_builder *b, Frame &frame) {
  mlir::Block *block = &frame.op->getRegion(frame.region).emplaceBlock();
  b->builder.setInsertionPointToEnd(block);
  return block;
}

/// Whether a dim mentions a symbol that was made inside the frame.
static bool isInner(DimExpr dim, const Frame &frame) {
  bool inner = false;
  dim.walkSymbols([&](llvm::StringRef name) { inner |= frame.symbols.contains(name); });
  return inner;
}

static SmallVector<mlir::Value> unwrapAll(const cuvil_value *values, size_t n) {
  SmallVector<mlir::Value> result;
  for (size_t i = 0; i < n; ++i)
    result.push_back(unwrapValue(values[i]));
  return result;
}

/// Rank and element type, what values that flow together must share.
static bool sameKind(mlir::Value a, mlir::Value b) {
  return getTensor(a).getRank() == getTensor(b).getRank() &&
         getTensor(a).getElementType() == getTensor(b).getElementType();
}

static std::string describe(mlir::Value value) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << value.getType();
  return text;
}

cuvil_status *cuvil::beginIf(cuvil_builder *b, cuvil_value condition) {
  mlir::Value value = unwrapValue(condition);
  auto type = getTensor(value);
  if (!type.getElementType().isInteger(1) || !type.hasStaticShape() || type.getNumElements() != 1)
    return makeError(b, CUVIL_INVALID_MODEL,
                     "the condition of an if must be one bool, got " + describe(value));
  Frame frame;
  frame.op = b->builder.create<IfOp>(b->loc, mlir::TypeRange(), value);
  frame.resume = b->builder.saveInsertionPoint();
  b->frames.push_back(std::move(frame));
  openRegion(b, b->frames.back());
  return nullptr;
}

cuvil_status *cuvil::beginWhile(cuvil_builder *b, const cuvil_value *carried,
                                const uint64_t *varying, size_t n, cuvil_value *args) {
  Frame frame;
  frame.carried = unwrapAll(carried, n);
  frame.varying.assign(n, 0);
  if (varying)
    frame.varying.assign(varying, varying + n);
  frame.op = b->builder.create<WhileOp>(b->loc, mlir::TypeRange(), frame.carried);
  frame.resume = b->builder.saveInsertionPoint();
  b->frames.push_back(std::move(frame));
  Frame &top = b->frames.back();
  mlir::Block *block = openRegion(b, top);
  for (auto [i, value] : llvm::enumerate(top.carried)) {
    SmallVector<DimExpr> dims = getDims(value);
    for (auto [d, dim] : llvm::enumerate(dims))
      if (top.varying[i] >> d & 1)
        dim = b->makeFresh("w");
    args[i] = wrapValue(
        block->addArgument(getTensorType(dims, getTensor(value).getElementType()), b->loc));
  }
  return nullptr;
}

cuvil_status *cuvil::nextRegion(cuvil_builder *b, const cuvil_value *yields, size_t n,
                                cuvil_value *args, size_t numArgs) {
  if (b->frames.empty() || b->frames.back().region != 0)
    return makeError(b, CUVIL_FAILED_PRECONDITION, "no open region to go on from");
  Frame &frame = b->frames.back();
  SmallVector<mlir::Value> values = unwrapAll(yields, n);
  if (llvm::isa<IfOp>(frame.op)) {
    b->builder.create<YieldOp>(b->loc, values);
    frame.region = 1;
    openRegion(b, frame);
    return nullptr;
  }
  if (n != frame.carried.size() + 1 || numArgs != n - 1)
    return makeError(b, CUVIL_INVALID_ARGUMENT,
                     llvm::Twine("a while passes its condition and ") +
                         llvm::Twine(frame.carried.size()) + " values on, got " +
                         llvm::Twine(n) + " in all");
  auto type = getTensor(values[0]);
  if (!type.getElementType().isInteger(1) || !type.hasStaticShape() || type.getNumElements() != 1)
    return makeError(b, CUVIL_INVALID_MODEL,
                     "the condition of a while must be one bool, got " + describe(values[0]));
  b->builder.create<ConditionOp>(b->loc, values[0], llvm::ArrayRef(values).drop_front());
  frame.region = 1;
  mlir::Block *block = openRegion(b, frame);
  for (size_t i = 0; i < numArgs; ++i)
    args[i] = wrapValue(block->addArgument(values[i + 1].getType(), b->loc));
  return nullptr;
}

/// The type a value has outside: inner symbols, and dims on which the branches
/// differ, become symbols of the outer scope, bound on exit.
static mlir::RankedTensorType getOuterType(cuvil_builder *b, const Frame &frame,
                                           mlir::RankedTensorType type,
                                           mlir::RankedTensorType other) {
  SmallVector<DimExpr> dims = getDims(type);
  for (auto [dim, second] : llvm::zip_equal(dims, getDims(other)))
    if (dim != second || isInner(dim, frame))
      dim = b->makeFresh("r");
  return getTensorType(dims, type.getElementType());
}

/// Replaces the placeholder by the op with its results.
static mlir::Operation *close(cuvil_builder *b, const Frame &frame, mlir::TypeRange types) {
  b->builder.restoreInsertionPoint(frame.resume);
  mlir::OperationState state(frame.op->getLoc(), frame.op->getName(), frame.op->getOperands(),
                             types);
  for (mlir::Region &region : frame.op->getRegions())
    state.addRegion()->takeBody(region);
  mlir::Operation *op = b->builder.create(state);
  frame.op->erase();
  return op;
}

static cuvil_status *endIf(cuvil_builder *b, Frame frame, llvm::ArrayRef<mlir::Value> values,
                           cuvil_value *results) {
  auto first = frame.op->getRegion(0).front().getTerminator()->getOperands();
  if (first.size() != values.size())
    return makeError(b, CUVIL_INVALID_MODEL,
                     llvm::Twine("the branches of an if yield ") + llvm::Twine(first.size()) +
                         " and " + llvm::Twine(values.size()) + " values");
  SmallVector<mlir::Type> types;
  for (auto [x, y] : llvm::zip_equal(first, values)) {
    if (!sameKind(x, y))
      return makeError(b, CUVIL_UNSUPPORTED,
                       "the branches of an if yield values of different rank or element type: " +
                           describe(x) + " and " + describe(y));
    types.push_back(getOuterType(b, frame, getTensor(x), getTensor(y)));
  }
  mlir::Operation *op = close(b, frame, types);
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    results[i] = wrapValue(result);
  return nullptr;
}

static cuvil_status *endWhile(cuvil_builder *b, Frame frame, llvm::ArrayRef<mlir::Value> values,
                              cuvil_value *results) {
  mlir::Block &head = frame.op->getRegion(0).front();
  if (values.size() != frame.carried.size())
    return makeError(b, CUVIL_INVALID_MODEL,
                     llvm::Twine("the body of a while yields ") + llvm::Twine(values.size()) +
                         " values for " + llvm::Twine(frame.carried.size()) + " carried ones");
  b->correctedVarying = frame.varying;
  bool grew = false;
  for (auto [i, value] : llvm::enumerate(values)) {
    if (!sameKind(value, frame.carried[i]))
      return makeError(b, CUVIL_UNSUPPORTED,
                       "a carried value of a loop changes rank or element type: " +
                           describe(frame.carried[i]) + " becomes " + describe(value));
    auto want = getDims(head.getArgument(i)), have = getDims(value);
    for (size_t d = 0; d < want.size(); ++d)
      if (!(frame.varying[i] >> d & 1) && want[d] != have[d]) {
        b->correctedVarying[i] |= uint64_t(1) << d;
        grew = true;
      }
  }
  if (grew) {
    b->builder.restoreInsertionPoint(frame.resume);
    frame.op->erase();
    // What was learnt about the erased values must not be found under the
    // addresses of later ones.
    b->folded.clear();
    b->dims = DimContext(b->context);
    return makeError(b, CUVIL_FAILED_PRECONDITION,
                     "carried values of a loop change their dims; build it again with "
                     "while_varying's masks");
  }
  SmallVector<mlir::Type> types;
  for (mlir::Value passed : head.getTerminator()->getOperands().drop_front())
    types.push_back(getOuterType(b, frame, getTensor(passed), getTensor(passed)));
  mlir::Operation *op = close(b, frame, types);
  for (auto [i, result] : llvm::enumerate(op->getResults()))
    results[i] = wrapValue(result);
  return nullptr;
}

cuvil_status *cuvil::endRegionOp(cuvil_builder *b, const cuvil_value *yields, size_t n,
                                 cuvil_value *results, size_t numResults) {
  if (b->frames.empty() || b->frames.back().region != 1)
    return makeError(b, CUVIL_FAILED_PRECONDITION, "no second region to close");
  if (n != numResults)
    return makeError(b, CUVIL_INVALID_ARGUMENT, "as many results as yields are needed");
  SmallVector<mlir::Value> values = unwrapAll(yields, n);
  b->builder.create<YieldOp>(b->loc, values);
  Frame frame = b->frames.pop_back_val();
  bool isIf = llvm::isa<IfOp>(frame.op);
  return isIf ? endIf(b, std::move(frame), values, results)
              : endWhile(b, std::move(frame), values, results);
}

void cuvil::whileVarying(cuvil_builder *b, uint64_t *varying, size_t n) {
  for (size_t i = 0; i < std::min(n, b->correctedVarying.size()); ++i)
    varying[i] = b->correctedVarying[i];
}
