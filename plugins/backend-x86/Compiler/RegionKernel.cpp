// SPDX-License-Identifier: Apache-2.0
// Region to plain tensors, to tiles, to buffers, to loops.
#include "RegionKernel.h"

#include "KernelFrame.h"
#include "KernelScratch.h"
#include "LoopEmitter.h"
#include "TileAndFuse.h"

#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Linalg/Transforms/TilingInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/TensorTilingInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/SubsetInsertionOpInterfaceImpl.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace cuvil;
using namespace cuvil::x86;

void cuvil::x86::registerRegionDialects(DialectRegistry &registry) {
  registry.insert<affine::AffineDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, func::FuncDialect,
                  linalg::LinalgDialect, LLVM::LLVMDialect, math::MathDialect,
                  memref::MemRefDialect, scf::SCFDialect, tensor::TensorDialect,
                  vector::VectorDialect>();
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  linalg::registerSubsetOpInterfaceExternalModels(registry);
  linalg::registerTilingInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerSubsetOpInterfaceExternalModels(registry);
  tensor::registerTilingInterfaceExternalModels(registry);
}

namespace {

// Calls that stand for sizes and traps until the kernel's frame is there.
constexpr StringLiteral kSizeCall = "cuvil_size";
constexpr StringLiteral kTrapCall = "cuvil_trap";
constexpr StringLiteral kPayload = "cuvil.payload";

class CallDims : public DimMaterializer {
public:
  Value materialize(OpBuilder &b, Location loc, DimExpr expr) override {
    if (std::optional<int64_t> constant = expr.getConstant())
      return b.create<arith::ConstantIndexOp>(loc, *constant);
    auto call = b.create<func::CallOp>(loc, kSizeCall, b.getIndexType());
    call->setAttr(kPayload, expr);
    return call.getResult(0);
  }
};

class CallTraps : public TrapHandler {
public:
  void trapIf(OpBuilder &b, Location loc, Value failed,
              int32_t code) override {
    b.create<scf::IfOp>(loc, failed, [&](OpBuilder &inner, Location loc) {
      auto call = inner.create<func::CallOp>(loc, kTrapCall, TypeRange());
      call->setAttr(kPayload, inner.getI32IntegerAttr(code));
      inner.create<scf::YieldOp>(loc);
    });
  }
};

} // namespace

FailureOr<func::FuncOp> cuvil::x86::convertRegion(FusionOp region, ModuleOp module) {
  MLIRContext *context = module.getContext();
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto type = FunctionType::get(context, region.getInputs().getTypes(),
                                region.getOutputs().getTypes());
  auto function =
      b.create<func::FuncOp>(region.getLoc(), "cuvil_region", type);
  IRMapping mapping;
  region.getBody().cloneInto(&function.getBody(), mapping);
  Operation *yield = function.front().getTerminator();
  b.setInsertionPoint(yield);
  b.create<func::ReturnOp>(yield->getLoc(), yield->getOperands());
  yield->erase();

  CallDims dims;
  CallTraps traps;
  LoweringContext lowering{dims, traps};
  PlainTensorConverter converter;
  RewritePatternSet patterns(context);
  populateCuvilToLinalg(patterns, converter, lowering);
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  ConversionTarget target(*context);
  target.addIllegalDialect<CuvilDialect>();
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    if (auto func = dyn_cast<func::FuncOp>(op))
      return converter.isSignatureLegal(func.getFunctionType());
    return !isa<func::ReturnOp>(op) || converter.isLegal(op);
  });
  if (failed(applyFullConversion(function, target, std::move(patterns))))
    return failure();
  return function;
}

/// The dims of a tensor of the converted region, where they are known.
std::optional<SmallVector<DimExpr>> dimsOf(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  MLIRContext *context = type.getContext();
  SmallVector<Value> dynamic;
  if (!type.hasStaticShape()) {
    auto op = tensor.getDefiningOp<DestinationStyleOpInterface>();
    if (!op)
      return std::nullopt;
    Value init = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
    if (auto fill = init.getDefiningOp<linalg::FillOp>())
      init = fill.getOutputs().front();
    auto empty = init.getDefiningOp<tensor::EmptyOp>();
    if (!empty)
      return std::nullopt;
    llvm::append_range(dynamic, empty.getDynamicSizes());
  }
  SmallVector<DimExpr> dims;
  size_t next = 0;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      dims.push_back(DimExpr::constant(context, size));
      continue;
    }
    auto call = dynamic[next++].getDefiningOp<func::CallOp>();
    auto expr = call ? call->getAttrOfType<DimExpr>(kPayload) : DimExpr();
    if (!expr)
      return std::nullopt;
    dims.push_back(expr);
  }
  return dims;
}

/// Lets the region return what its last reshapes start from: the elements of an
/// output lie in the same order under other dims.
void peelReshapes(func::FuncOp source) {
  for (OpOperand &operand : source.front().getTerminator()->getOpOperands())
    while (Operation *op = operand.get().getDefiningOp()) {
      if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp>(op) ||
          !dimsOf(op->getOperand(0)))
        break;
      operand.set(op->getOperand(0));
      // A dead user would keep the value from being computed in place.
      if (op->use_empty())
        op->erase();
    }
}

namespace {

/// Moves the body of `source` into the frame and stores what it returns.
/// Gives the tensors that stand for the outputs' buffers, and their dims.
SmallVector<Value> fillFrame(KernelFrame &frame, func::FuncOp source,
                             FusionOp region, SmallVectorImpl<Value> &results,
                             SmallVectorImpl<SmallVector<DimExpr>> &dims) {
  OpBuilder b = frame.bodyBuilder();
  Location loc = region.getLoc();
  auto tensorOf = [&](unsigned index, ArrayRef<DimExpr> dims, Type plain,
                      bool writable) {
    Type element = cast<RankedTensorType>(plain).getElementType();
    Value memref = frame.bufferMemref(index, dims, element);
    return b.create<bufferization::ToTensorOp>(loc, memref, /*restrict=*/true,
                                               writable);
  };
  IRMapping mapping;
  unsigned index = 0;
  for (auto [argument, input] :
       llvm::zip(source.getArguments(), region.getInputs()))
    mapping.map(argument,
                tensorOf(index++, getDims(input), argument.getType(), false));
  Operation *returned = source.front().getTerminator();
  SmallVector<Value> outputs;
  for (auto [result, output] :
       llvm::zip(returned->getOperands(), region.getOutputs())) {
    std::optional<SmallVector<DimExpr>> known = dimsOf(result);
    dims.push_back(known ? *known : getDims(output));
    outputs.push_back(
        tensorOf(index++, dims.back(), result.getType(), true));
  }
  for (Operation &op : source.front().without_terminator())
    b.clone(op, mapping);

  frame.function().walk([&](func::CallOp call) {
    OpBuilder at(call);
    if (call.getCallee() == kSizeCall) {
      call.getResult(0).replaceAllUsesWith(
          frame.size(call->getAttrOfType<DimExpr>(kPayload)));
    } else {
      Value code = at.create<arith::ConstantOp>(
          call.getLoc(), call->getAttrOfType<IntegerAttr>(kPayload));
      Value zero = at.create<arith::ConstantIndexOp>(call.getLoc(), 0);
      at.create<memref::StoreOp>(call.getLoc(), code, frame.status(), zero);
    }
    call.erase();
  });

  for (auto [result, output] : llvm::zip(returned->getOperands(), outputs)) {
    results.push_back(mapping.lookup(result));
    auto store = b.create<bufferization::MaterializeInDestinationOp>(
        loc, results.back(),
        output.getDefiningOp<bufferization::ToTensorOp>().getMemref());
    store.setRestrict(true);
    store.setWritable(true);
  }
  return outputs;
}

/// Makes the op that computes `result` start from `output` in place of a new
/// tensor, so that it writes to the buffer of `output` directly. False when it
/// does not: the result is copied whole, so that tiles would overwrite each
/// other.
bool computeInto(Value result, Value output) {
  Value value = result;
  while (auto op = value.getDefiningOp()) {
    OpOperand *destination = nullptr;
    if (auto style = dyn_cast<DestinationStyleOpInterface>(op))
      destination = style.getTiedOpOperand(cast<OpResult>(value));
    else if (auto loop = dyn_cast<scf::ForOp>(op))
      destination = loop.getTiedLoopInit(cast<OpResult>(value));
    if (!destination || !value.hasOneUse())
      return false;
    value = destination->get();
    if (!value.getDefiningOp<tensor::EmptyOp>())
      continue;
    if (value.getType() != output.getType())
      return false;
    destination->set(output);
    return true;
  }
  return false;
}

LogicalResult runPasses(ModuleOp module,
                        llvm::function_ref<void(OpPassManager &)> add) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  add(pm);
  return pm.run(module);
}

} // namespace

LogicalResult cuvil::x86::simplifyRegion(ModuleOp module) {
  return runPasses(module, [](OpPassManager &pm) {
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
  });
}

namespace {

LogicalResult bufferize(ModuleOp module) {
  bufferization::OneShotBufferizationOptions options;
  options.allowUnknownOps = true;
  options.bufferAlignment = 64;
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap);
  return bufferization::runOneShotBufferize(module, options);
}

/// `tiled` false computes everything in one tile.
FailureOr<RegionKernel> build(FusionOp region, StringRef name,
                              const CpuTarget &target, bool tiled) {
  Location loc = region.getLoc();
  RegionKernel kernel;
  kernel.module = ModuleOp::create(loc);
  ModuleOp module = *kernel.module;
  kernel.tiles = DimExpr::constant(module.getContext(), 1);

  FailureOr<func::FuncOp> source = convertRegion(region, module);
  if (failed(source) || failed(simplifyRegion(module)) ||
      failed(fuseElementwise(*source)))
    return failure();

  peelReshapes(*source);

  KernelFrame frame(module, name, loc);
  SmallVector<Value> results;
  SmallVector<SmallVector<DimExpr>> dims;
  SmallVector<Value> outputs =
      fillFrame(frame, *source, region, results, dims);
  source->erase();
  bool inPlace = true;
  for (auto [result, output] : llvm::zip(results, outputs))
    inPlace &= computeInto(result, output);

  if (tiled && inPlace && results.size() == 1) {
    IRRewriter rewriter(module.getContext());
    OpBuilder b = frame.prologue();
    Value begin = b.create<arith::IndexCastOp>(loc, b.getIndexType(),
                                               frame.tileBegin());
    Value end =
        b.create<arith::IndexCastOp>(loc, b.getIndexType(), frame.tileEnd());
    DimExpr tiles =
        tileAndFuse(rewriter, results.front(), dims.front(), begin, end);
    if (tiles)
      kernel.tiles = tiles;
  }

  if (failed(simplifyRegion(module)) || failed(bufferize(module)) ||
      failed(simplifyRegion(module)))
    return failure();
  FailureOr<DimExpr> scratch = placeBuffers(frame);
  if (failed(scratch))
    return failure();
  kernel.scratch = *scratch;
  if (failed(runPasses(module, [](OpPassManager &pm) {
        pm.addPass(createLowerAffinePass());
      })) ||
      failed(emitLoops(frame.function(), target)))
    return failure();
  llvm::append_range(kernel.sizes, frame.sizes());
  return kernel;
}

} // namespace

FailureOr<RegionKernel> cuvil::x86::buildRegionKernel(FusionOp region,
                                                      StringRef name,
                                                      const CpuTarget &target) {
  FailureOr<RegionKernel> kernel = build(region, name, target, /*tiled=*/true);
  if (failed(kernel))
    return region.emitError("cannot be compiled for this CPU");
  return kernel;
}
