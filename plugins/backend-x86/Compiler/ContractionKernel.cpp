// SPDX-License-Identifier: Apache-2.0
// Maps dot and conv onto the nanokernels.
#include "ContractionKernel.h"

#include "ContractionTail.h"
#include "NanokernelConv.h"
#include "NanokernelGemm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cuvil;
using namespace cuvil::x86;

namespace {

/// A dot as a batched matrix product.
struct MatrixForm {
  unsigned batchDims, rowDims, colDims;
  DimExpr batch, m, n, k;
  /// A is [K][M] in memory; B is [N][K].
  bool lhsTransposed = false, rhsTransposed = false;
};

/// Builds one kernel of a region.
class ContractionBuilder {
public:
  ContractionBuilder(FusionOp region, StringRef name, ArrayRef<bool> constantInputs,
          const CpuTarget &target)
      : region(region), name(name), constantInputs(constantInputs),
        target(target), context(region.getContext()) {}

  std::optional<ContractionKernel> build();

private:
  std::optional<ContractionKernel> buildDot(DotOp op);
  std::optional<ContractionKernel> buildConv(ConvOp op);

  /// The number of the region's operand that a value is; -1 for others.
  static int inputNumber(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument ? int(argument.getArgNumber()) : -1;
  }
  RegionKernel newKernel() {
    RegionKernel kernel;
    kernel.module = ModuleOp::create(region.getLoc());
    kernel.tiles = constant(1);
    return kernel;
  }
  DimExpr constant(int64_t value) const {
    return DimExpr::constant(context, value);
  }

  FusionOp region;
  StringRef name;
  ArrayRef<bool> constantInputs;
  const CpuTarget &target;
  MLIRContext *context;
};

} // namespace

Value cuvil::x86::sizeValue(KernelFrame &frame, KernelBuilder &kb,
                            DimExpr expr) {
  if (std::optional<int64_t> known = expr.getConstant())
    return kb.index(*known);
  OpBuilder b = frame.bodyBuilder();
  return b.create<arith::IndexCastOp>(kb.loc(), b.getI64Type(),
                                      frame.size(expr));
}

std::optional<ContractionKernel> ContractionBuilder::build() {
  Operation *anchor = nullptr;
  for (Operation &op : region.getBody().front().without_terminator())
    if (op.hasTrait<Contracting>()) {
      if (anchor)
        return std::nullopt;
      anchor = &op;
    }
  if (!anchor || region.getNumResults() != 1)
    return std::nullopt;
  Type element =
      cast<RankedTensorType>(anchor->getResult(0).getType()).getElementType();
  if (!element.isF32() && !element.isF64())
    return std::nullopt;
  // What feeds a contraction must be there in memory.
  for (Value operand : anchor->getOperands())
    if (inputNumber(operand) < 0)
      return std::nullopt;
  if (auto dot = dyn_cast<DotOp>(anchor))
    return buildDot(dot);
  if (auto conv = dyn_cast<ConvOp>(anchor))
    return buildConv(conv);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

/// Whether `axes` are begin, begin + 1, ...
static bool isRun(ArrayRef<int64_t> axes, int64_t begin) {
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis != begin + int64_t(i))
      return false;
  return true;
}

static std::optional<MatrixForm> getMatrixForm(DotOp op) {
  int64_t batch = op.getLhsBatch().size(), depth = op.getLhsContract().size();
  SmallVector<DimExpr> lhs = getDims(op.getLhs()), rhs = getDims(op.getRhs());
  int64_t lhsRank = lhs.size(), rhsRank = rhs.size();
  if (depth == 0 || !isRun(op.getLhsBatch(), 0) || !isRun(op.getRhsBatch(), 0))
    return std::nullopt;
  MatrixForm form;
  if (isRun(op.getLhsContract(), batch))
    form.lhsTransposed = lhsRank > batch + depth;
  else if (!isRun(op.getLhsContract(), lhsRank - depth))
    return std::nullopt;
  if (!isRun(op.getRhsContract(), batch)) {
    if (!isRun(op.getRhsContract(), rhsRank - depth))
      return std::nullopt;
    form.rhsTransposed = true;
  }
  form.batchDims = batch;
  form.rowDims = lhsRank - batch - depth;
  form.colDims = rhsRank - batch - depth;
  MLIRContext *context = op.getContext();
  ArrayRef<DimExpr> l(lhs), r(rhs);
  form.batch = product(context, l.take_front(batch));
  form.m = product(context, form.lhsTransposed
                                ? l.drop_front(batch + depth)
                                : l.slice(batch, form.rowDims));
  form.n = product(context, form.rhsTransposed
                                ? r.slice(batch, form.colDims)
                                : r.drop_front(batch + depth));
  form.k = product(context, r.slice(form.rhsTransposed ? rhsRank - depth : batch,
                                    depth));
  return form;
}

std::optional<ContractionKernel> ContractionBuilder::buildDot(DotOp op) {
  std::optional<MatrixForm> form = getMatrixForm(op);
  if (!form)
    return std::nullopt;
  auto tail = ContractionTail::build(region, op,
                                     {form->batchDims, form->rowDims});
  if (!tail)
    return std::nullopt;
  Type element = cast<RankedTensorType>(op.getY().getType()).getElementType();
  unsigned lhs = inputNumber(op.getLhs()), rhs = inputNumber(op.getRhs());
  bool packs = constantInputs[rhs] && form->batchDims == 0 &&
               form->k.getConstant() && form->n.getConstant();
  BLayout source = form->rhsTransposed ? BLayout::Transposed : BLayout::RowMajor;
  BLayout layout = packs ? BLayout::Packed : source;
  GemmTiling tiling = chooseGemmTiling(
      target, element,
      {form->m.getConstant(), form->n.getConstant(), form->k.getConstant()},
      layout);
  int64_t width =
      tiling.tile.nv * target.lanes(element.getIntOrFloatBitWidth());
  unsigned numInputs = region.getInputs().size();
  DimExpr panels = form->n.ceilDiv(constant(width));

  ContractionKernel result;
  result.main = newKernel();
  KernelFrame frame(*result.main.module, name, region.getLoc());
  OpBuilder b = frame.bodyBuilder();
  KernelBuilder kb(b, region.getLoc(), target, element);
  auto size = [&](DimExpr expr) { return sizeValue(frame, kb, expr); };
  GemmSpec spec;
  if (form->batchDims)
    spec.batch = size(form->batch);
  spec.m = size(form->m);
  spec.n = size(form->n);
  spec.k = size(form->k);
  spec.aRowStride = form->lhsTransposed ? kb.index(1) : spec.k;
  spec.aDepthStride = form->lhsTransposed ? spec.m : kb.index(1);
  spec.bLayout = layout;
  spec.bRowStride = form->rhsTransposed ? spec.k : spec.n;
  spec.cRowStride = spec.n;
  spec.tiling = tiling;
  spec.loopEpilogue = tail->isLong();
  Value a = frame.buffer(lhs), c = frame.buffer(numInputs + packs);
  Value bPointer = frame.buffer(packs ? numInputs : rhs);
  spec.pointers = [=, m = spec.m, n = spec.n, k = spec.k](KernelBuilder &kb,
                                                          Value batch) {
    if (!batch)
      return GemmPointers{a, bPointer, c};
    return GemmPointers{kb.at(a, kb.mul(batch, kb.mul(m, k))),
                        kb.at(bPointer, kb.mul(batch, kb.mul(k, n))),
                        kb.at(c, kb.mul(batch, kb.mul(m, n)))};
  };
  spec.epilogue = tail->makeEpilogue(frame, kb);
  emitGemm(kb, spec, frame.tileBegin(), frame.tileEnd());
  result.main.sizes.assign(frame.sizes().begin(), frame.sizes().end());
  result.main.tiles =
      form->batch * panels * form->m.ceilDiv(constant(tiling.rowBlock));
  if (!packs)
    return result;

  result.weight = rhs;
  result.packedSize = constant(packedBSize(target, element, tiling.tile.nv,
                                           *form->k.getConstant(),
                                           *form->n.getConstant()));
  result.pack = newKernel();
  KernelFrame packFrame(*result.pack->module, (name + "_pack").str(),
                        region.getLoc());
  OpBuilder pb = packFrame.bodyBuilder();
  KernelBuilder pk(pb, region.getLoc(), target, element);
  Value k = pk.index(*form->k.getConstant()), n = pk.index(*form->n.getConstant());
  emitPackB(pk, source, packFrame.buffer(0), form->rhsTransposed ? k : n, k, n,
            tiling.tile.nv, packFrame.buffer(1), packFrame.tileBegin(),
            packFrame.tileEnd());
  result.pack->tiles = panels;
  return result;
}

//===----------------------------------------------------------------------===//
// Convolutions
//===----------------------------------------------------------------------===//

/// The window of a 1-D or 2-D convolution; nullopt where it is none that the
/// nanokernels take.
static std::optional<ConvWindow> getWindow(ConvOp op) {
  SmallVector<DimExpr> w = getDims(op.getW());
  size_t spatial = w.size() - 2;
  if (spatial < 1 || spatial > 2 ||
      llvm::any_of(op.getInputDilations(), [](int64_t d) { return d != 1; }) ||
      !cast<RankedTensorType>(op.getW().getType()).hasStaticShape())
    return std::nullopt;
  for (DimExpr pad : op.getLow())
    if (!pad.getConstant() || *pad.getConstant() < 0)
      return std::nullopt;
  ConvWindow window;
  window.kernelW = *w.back().getConstant();
  window.strideW = op.getStrides().back();
  window.dilationW = op.getDilations().back();
  window.padLeft = *op.getLow().back().getConstant();
  if (spatial == 2) {
    window.kernelH = *w[2].getConstant();
    window.strideH = op.getStrides().front();
    window.dilationH = op.getDilations().front();
    window.padTop = *op.getLow().front().getConstant();
  }
  if (window.taps() == 0)
    return std::nullopt;
  return window;
}

/// The bias of each output channel, where accumulation starts.
static InitFn makeBiasInit(Value bias) {
  if (!bias)
    return {};
  return [bias](KernelBuilder &kb, const TilePoint &at) {
    return kb.splat(kb.load(kb.at(bias, at.row)));
  };
}

std::optional<ContractionKernel> ContractionBuilder::buildConv(ConvOp op) {
  std::optional<ConvWindow> window = getWindow(op);
  unsigned weight = inputNumber(op.getW());
  if (!window || !constantInputs[weight])
    return std::nullopt;
  auto tail = ContractionTail::build(region, op, {1, 1});
  if (!tail)
    return std::nullopt;
  Type element = cast<RankedTensorType>(op.getY().getType()).getElementType();
  SmallVector<DimExpr> x = getDims(op.getX()), y = getDims(op.getY()),
                       w = getDims(op.getW());
  bool flat = x.size() == 3;
  DimExpr one = constant(1);
  DimExpr inputH = flat ? one : x[2], outputH = flat ? one : y[2];
  int64_t groups = op.getGroups();
  int64_t outputs = *w[0].getConstant(), inputs = *w[1].getConstant();
  if (outputs == 0 || inputs == 0)
    return std::nullopt;
  unsigned numInputs = region.getInputs().size();

  ContractionKernel result;
  result.main = newKernel();
  KernelFrame frame(*result.main.module, name, region.getLoc());
  OpBuilder b = frame.bodyBuilder();
  KernelBuilder kb(b, region.getLoc(), target, element);
  auto size = [&](DimExpr expr) { return sizeValue(frame, kb, expr); };
  InitFn init = makeBiasInit(
      op.getBias() ? frame.buffer(inputNumber(op.getBias())) : Value());
  Value xPointer = frame.buffer(inputNumber(op.getX()));

  if (groups == outputs && inputs == 1 && !tail->isLong()) {
    DepthwiseSpec spec;
    spec.batch = size(x[0]);
    spec.channels = kb.index(groups);
    spec.inputH = size(inputH);
    spec.inputW = size(x.back());
    spec.outputH = size(outputH);
    spec.outputW = size(y.back());
    spec.window = *window;
    spec.x = xPointer;
    spec.weights = frame.buffer(weight);
    spec.y = frame.buffer(numInputs);
    spec.init = init;
    spec.epilogue = tail->makeEpilogue(frame, kb);
    chooseDepthwiseTiling(target, spec, element);
    emitDepthwise(kb, spec, frame.tileBegin(), frame.tileEnd());
    result.main.sizes.assign(frame.sizes().begin(), frame.sizes().end());
    result.main.tiles = x[0] * groups *
                        outputH.ceilDiv(constant(spec.rowBlock)) *
                        y.back().ceilDiv(constant(spec.colBlock));
    return result;
  }

  ConvSpec spec;
  spec.batch = size(x[0]);
  spec.groups = groups;
  spec.inputsPerGroup = inputs;
  spec.outputsPerGroup = outputs / groups;
  spec.inputH = size(inputH);
  spec.inputW = size(x.back());
  spec.outputH = size(outputH);
  spec.outputW = size(y.back());
  spec.window = *window;
  spec.x = xPointer;
  spec.weights = frame.buffer(numInputs);
  spec.y = frame.buffer(numInputs + 1);
  spec.init = init;
  spec.epilogue = tail->makeEpilogue(frame, kb);
  spec.loopEpilogue = tail->isLong();
  DimExpr pixels = outputH * y.back();
  spec.tiling = chooseConvTiling(target, element,
                                 {x[0].getConstant(), pixels.getConstant(),
                                  groups, inputs, outputs / groups, *window});
  emitConv2d(kb, spec, frame.tileBegin(), frame.tileEnd());
  result.main.sizes.assign(frame.sizes().begin(), frame.sizes().end());
  int64_t width =
      spec.tiling.tile.nv * target.lanes(element.getIntOrFloatBitWidth());
  int64_t blocks =
      llvm::divideCeil(spec.outputsPerGroup, spec.tiling.outputBlock);
  result.main.tiles =
      x[0] * pixels.ceilDiv(constant(width)) * (groups * blocks);

  result.weight = weight;
  result.packedSize = product(context, w);
  result.pack = newKernel();
  KernelFrame packFrame(*result.pack->module, (name + "_pack").str(),
                        region.getLoc());
  OpBuilder pb = packFrame.bodyBuilder();
  KernelBuilder pk(pb, region.getLoc(), target, element);
  emitPackConvWeights(pk, spec, packFrame.buffer(0), packFrame.buffer(1),
                      packFrame.tileBegin(), packFrame.tileEnd());
  result.pack->tiles = constant(groups);
  return result;
}

std::optional<ContractionKernel>
cuvil::x86::buildContractionKernel(FusionOp region, StringRef name,
                                   ArrayRef<bool> constantInputs,
                                   const CpuTarget &target) {
  return ContractionBuilder(region, name, constantInputs, target).build();
}
