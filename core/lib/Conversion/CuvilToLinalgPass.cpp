// SPDX-License-Identifier: Apache-2.0
// The pass `cuvil-to-linalg` that lowers whole functions.
#include "Support.h"
#include "cuvil/Conversion/DimArith.h"
#include "cuvil/Conversion/Passes.h"
#include "cuvil/IR/CuvilDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace cuvil {
namespace {

/// Reads symbols from the arguments of one function.
class ArgumentDims : public DimMaterializer {
public:
  /// Puts the reads in front of the (not yet converted) body.
  explicit ArgumentDims(func::FuncOp function) {
    OpBuilder b = OpBuilder::atBlockBegin(&function.front());
    Location loc = function.getLoc();
    for (auto [i, arg] : llvm::enumerate(function.getArguments())) {
      if (auto name = function.getArgAttrOfType<StringAttr>(i, "cuvil.symbol"))
        symbols[name] =
            b.create<arith::IndexCastOp>(loc, b.getIndexType(), arg);
      auto type = dyn_cast<RankedTensorType>(arg.getType());
      if (!type || type.hasStaticShape())
        continue;
      // Cancels against the cast that the signature's conversion leaves.
      Value plain = b.create<UnrealizedConversionCastOp>(
                         loc, lowering::getPlainType(type), arg)
                        .getResult(0);
      for (auto [axis, dim] : llvm::enumerate(getDims(type)))
        if (dim.getKind() == DimKind::Symbol) {
          Value &value = symbols[dim.getSymbol()];
          if (!value)
            value = b.create<tensor::DimOp>(loc, plain, axis);
        }
    }
  }

  Value materialize(OpBuilder &b, Location loc, DimExpr expr) override {
    Value value = expandDimExpr(
        b, loc, expr, [&](StringRef name) { return symbols.lookup(name); });
    if (value)
      return value;
    emitError(loc) << "the value of dimension '" << expr.str()
                   << "' is unknown: no argument gives its symbols";
    failed = true;
    return b.create<arith::ConstantIndexOp>(loc, 0);
  }

  bool failed = false;

private:
  llvm::StringMap<Value> symbols;
};

class AssertTraps : public TrapHandler {
public:
  void trapIf(OpBuilder &b, Location loc, Value failed, int32_t code) override {
    Value yes = b.create<arith::ConstantOp>(loc, b.getBoolAttr(true));
    Value passed = b.create<arith::XOrIOp>(loc, failed, yes);
    b.create<cf::AssertOp>(loc, passed,
                           ("run-time error " + Twine(code)).str());
  }
};

struct CuvilToLinalgPass
    : PassWrapper<CuvilToLinalgPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CuvilToLinalgPass)

  StringRef getArgument() const override { return "cuvil-to-linalg"; }
  StringRef getDescription() const override {
    return "Lower cuvil ops to linalg on plain tensors";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, cf::ControlFlowDialect,
                    func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                    scf::SCFDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal() && failed(lower(function)))
        return signalPassFailure();
  }

private:
  static void cancelCasts(func::FuncOp function) {
    function.walk([](UnrealizedConversionCastOp second) {
      auto first =
          second.getOperand(0).getDefiningOp<UnrealizedConversionCastOp>();
      if (!first || first.getOperand(0).getType() != second.getType(0))
        return;
      second.getResult(0).replaceAllUsesWith(first.getOperand(0));
      second.erase();
      if (first->use_empty())
        first.erase();
    });
  }

  LogicalResult lower(func::FuncOp function) {
    MLIRContext *context = &getContext();
    ArgumentDims dims(function);
    AssertTraps traps;
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
    if (failed(applyPartialConversion(function, target, std::move(patterns))))
      return failure();
    cancelCasts(function);
    return failure(dims.failed);
  }
};

} // namespace

std::unique_ptr<Pass> createCuvilToLinalgPass() {
  return std::make_unique<CuvilToLinalgPass>();
}

void registerConversionPasses() { PassRegistration<CuvilToLinalgPass>(); }

} // namespace cuvil
