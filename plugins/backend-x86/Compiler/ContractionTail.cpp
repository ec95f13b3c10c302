// SPDX-License-Identifier: Apache-2.0
// Lowers the tail by way of linalg and clones it with vector types.
#include "ContractionTail.h"

#include "RegionKernel.h"
#include "TileAndFuse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace cuvil;
using namespace cuvil::x86;

/// The region without its contraction, whose result becomes the last operand.
static FusionOp makeTailRegion(OpBuilder &b, FusionOp region,
                               Operation *anchor) {
  SmallVector<Value> inputs(region.getInputs());
  // The op is only lowered, so that the value is out of sight does not matter.
  inputs.push_back(anchor->getResult(0));
  auto tail = b.create<FusionOp>(region.getLoc(), region.getResultTypes(),
                                 inputs, "tail", StringAttr());
  Block &body = tail.getBody().emplaceBlock();
  IRMapping mapping;
  for (BlockArgument argument : region.getBody().getArguments())
    mapping.map(argument,
                body.addArgument(argument.getType(), argument.getLoc()));
  mapping.map(anchor->getResult(0),
              body.addArgument(anchor->getResult(0).getType(),
                               anchor->getLoc()));
  OpBuilder inner = OpBuilder::atBlockEnd(&body);
  for (Operation &op : region.getBody().front())
    if (&op != anchor)
      inner.clone(op, mapping);
  return tail;
}

/// Ops whose vector form is the scalar one on vector types.
static bool isVectorizable(Operation &op) {
  return op.getNumRegions() == 0 && OpTrait::hasElementwiseMappableTraits(&op);
}

std::optional<ContractionTail> ContractionTail::build(FusionOp region,
                                                      Operation *anchor,
                                                      ResultSplit split) {
  ContractionTail tail;
  Block &ops = region.getBody().front();
  if (ops.getTerminator()->getOperand(0) == anchor->getResult(0))
    return tail;

  OpBuilder b(region);
  FusionOp alone = makeTailRegion(b, region, anchor);
  tail.module = std::make_shared<OwningOpRef<ModuleOp>>(
      ModuleOp::create(region.getLoc()));
  auto function = convertRegion(alone, **tail.module);
  alone.erase();
  if (failed(function) || failed(simplifyRegion(**tail.module)) ||
      failed(fuseElementwise(*function, /*dropUnitDims=*/false)))
    return std::nullopt;

  Operation *returned = function->front().getTerminator();
  auto generic = returned->getOperand(0).getDefiningOp<linalg::GenericOp>();
  if (!generic || generic.getNumDpsInits() != 1 ||
      generic.getNumParallelLoops() != generic.getNumLoops() ||
      !generic.getMatchingIndexingMap(generic.getDpsInitOperand(0))
           .isIdentity())
    return std::nullopt;
  for (Operation &op : function->front())
    if (!isa<linalg::GenericOp, tensor::EmptyOp, arith::ConstantOp, func::CallOp,
             func::ReturnOp>(op) ||
        (isa<linalg::GenericOp>(op) && &op != generic))
      return std::nullopt;

  SmallVector<DimExpr> dims = getDims(anchor->getResult(0));
  Type element =
      cast<RankedTensorType>(anchor->getResult(0).getType()).getElementType();
  if (cast<RankedTensorType>(generic.getResult(0).getType()).getElementType() !=
      element)
    return std::nullopt;
  MLIRContext *context = region.getContext();
  DimExpr one = DimExpr::constant(context, 1);
  for (OpOperand *operand : generic.getDpsInputOperands()) {
    auto argument = dyn_cast<BlockArgument>(operand->get());
    if (!argument ||
        cast<RankedTensorType>(argument.getType()).getElementType() != element)
      return std::nullopt;
    // Which result dims it runs along, in order; its other dims have size 1.
    SmallVector<bool> along(dims.size());
    int64_t last = -1;
    for (AffineExpr expr : generic.getMatchingIndexingMap(operand).getResults()) {
      if (isa<AffineConstantExpr>(expr))
        continue;
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || int64_t(dim.getPosition()) <= last)
        return std::nullopt;
      last = dim.getPosition();
      along[last] = true;
    }
    // Each of the three coordinates must be walked whole or not at all.
    Operand item;
    unsigned ends[] = {split.batchDims, split.batchDims + split.rowDims,
                       unsigned(dims.size())};
    bool *has[] = {&item.hasBatch, &item.hasRow, &item.hasCol};
    DimExpr sizes[3];
    for (unsigned part = 0, d = 0; part < 3; ++part) {
      bool some = false, all = true;
      sizes[part] = one;
      for (; d < ends[part]; ++d) {
        sizes[part] = sizes[part] * dims[d];
        if (dims[d].isConstant(1))
          continue;
        some |= along[d];
        all &= along[d];
      }
      if (some && !all)
        return std::nullopt;
      *has[part] = some;
    }
    item.rowStride = item.hasCol ? sizes[2] : one;
    item.batchStride = item.hasRow ? item.rowStride * sizes[1] : item.rowStride;
    item.input = argument.getArgNumber() + 1 == function->getNumArguments()
                     ? -1
                     : int(argument.getArgNumber());
    if (item.input < 0 && !generic.getMatchingIndexingMap(operand).isIdentity())
      return std::nullopt;
    tail.operands.push_back(item);
  }
  tail.body = generic.getBody();
  if (generic.payloadUsesValueFromOperand(generic.getDpsInitOperand(0)))
    return std::nullopt;
  for (Operation &op : tail.body->without_terminator()) {
    if (!isa<arith::ConstantOp>(op) && !isVectorizable(op))
      return std::nullopt;
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != tail.body &&
          !operand.getDefiningOp<arith::ConstantOp>())
        return std::nullopt;
  }
  return tail;
}

bool ContractionTail::isLong() const {
  if (isEmpty())
    return false;
  unsigned cost = 0;
  for (Operation &op : body->without_terminator())
    cost += isa<math::MathDialect>(op.getDialect()) ? 12 : 1;
  return cost > 10;
}

EpilogueFn ContractionTail::makeEpilogue(KernelFrame &frame,
                                         KernelBuilder &kb) const {
  if (isEmpty())
    return {};
  struct Source {
    Value pointer, rowStride, batchStride;
  };
  SmallVector<Source> sources;
  auto sizeOf = [&](DimExpr expr) { return sizeValue(frame, kb, expr); };
  for (const Operand &operand : operands)
    sources.push_back(operand.input < 0
                          ? Source{}
                          : Source{frame.buffer(operand.input),
                                   sizeOf(operand.rowStride),
                                   sizeOf(operand.batchStride)});

  return [tail = *this, sources](KernelBuilder &kb, Value result,
                                 const TilePoint &at) -> Value {
    OpBuilder &b = kb.builder();
    auto vector = cast<VectorType>(result.getType());
    IRMapping mapping;
    for (auto [operand, source, argument] :
         llvm::zip(tail.operands, sources, tail.body->getArguments())) {
      if (operand.input < 0) {
        mapping.map(argument, result);
        continue;
      }
      Value offset = kb.index(0);
      if (operand.hasBatch)
        offset = kb.add(offset, kb.mul(at.batch, source.batchStride));
      if (operand.hasRow)
        offset = kb.add(offset, kb.mul(at.row, source.rowStride));
      if (operand.hasCol)
        offset = kb.add(offset, at.col);
      Value pointer = kb.at(source.pointer, offset);
      mapping.map(argument, operand.hasCol
                                ? kb.loadVector(pointer, at.mask, vector)
                                : kb.splat(kb.load(pointer)));
    }
    auto widen = [&](Type type) -> Type {
      return VectorType::get(vector.getShape(), type);
    };
    auto mapOperand = [&](Value operand) {
      if (mapping.contains(operand))
        return;
      auto constant = operand.getDefiningOp<arith::ConstantOp>();
      auto type = cast<VectorType>(widen(operand.getType()));
      mapping.map(operand, b.create<arith::ConstantOp>(
                               kb.loc(), DenseElementsAttr::get(
                                             type, constant.getValue())));
    };
    for (Operation &op : tail.body->without_terminator()) {
      if (isa<arith::ConstantOp>(op))
        continue;
      for (Value operand : op.getOperands())
        mapOperand(operand);
      Operation *copy = b.clone(op, mapping);
      for (OpResult value : copy->getResults())
        value.setType(widen(value.getType()));
    }
    Value yielded = tail.body->getTerminator()->getOperand(0);
    mapOperand(yielded);
    return mapping.lookup(yielded);
  };
}
