// SPDX-License-Identifier: Apache-2.0
// Turns batch normalisation into one multiply and one add.
#include "cuvil/IR/CuvilOps.h"
#include "cuvil/Transforms/Passes.h"

namespace cuvil {
#define GEN_PASS_DEF_CUVILDECOMPOSEBATCHNORM
#include "cuvil/Transforms/Passes.h.inc"
} // namespace cuvil

using namespace cuvil;
using mlir::Value;

namespace {

/// normalize batch %x, %scale, %bias, %mean, %var {eps}
///   ->  %factor = scale * rsqrt(var + eps);  %offset = bias - mean * factor
///       %x * broadcast(%factor) + broadcast(%offset)
void decompose(NormalizeOp op) {
  mlir::OpBuilder builder(op);
  mlir::Location loc = op.getLoc();
  auto channels = op.getScale().getType();
  auto type = llvm::cast<mlir::RankedTensorType>(op.getY().getType());
  auto binary = [&](llvm::StringRef kind, Value a, Value b) -> Value {
    return builder.create<BinaryOp>(loc, a.getType(), kind, a, b);
  };
  auto element = llvm::cast<mlir::FloatType>(type.getElementType());
  auto scalar = mlir::RankedTensorType::get({}, element);
  llvm::APFloat eps = op.getEps();
  bool losesInfo;
  eps.convert(element.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  Value epsilon = builder.create<ConstantOp>(
      loc, scalar, mlir::DenseElementsAttr::get(scalar, eps));
  epsilon = builder.create<FillOp>(loc, channels, epsilon, getDims(op.getScale()));
  Value inverse = builder.create<UnaryOp>(loc, channels, "rsqrt",
                                          binary("add", op.getVar(), epsilon), nullptr, nullptr);
  Value factor = binary("mul", op.getScale(), inverse);
  Value offset = binary("sub", op.getBias(), binary("mul", op.getMean(), factor));
  auto spread = [&](Value value) -> Value {
    return builder.create<BroadcastOp>(loc, type, value, getDims(type), llvm::ArrayRef<int64_t>{1});
  };
  Value scaled = binary("mul", op.getX(), spread(factor));
  Value y = binary("add", scaled, spread(offset));
  op.getY().replaceAllUsesWith(y);
  op.erase();
}

class DecomposeBatchNormPass
    : public impl::CuvilDecomposeBatchNormBase<DecomposeBatchNormPass> {
public:
  void runOnOperation() override {
    getOperation().walk([](NormalizeOp op) {
      // Narrow floats compute in f32 inside the op; splitting would round.
      auto element = llvm::cast<mlir::RankedTensorType>(op.getX().getType()).getElementType();
      bool parallel = op.getKind() == "batch" && element.getIntOrFloatBitWidth() >= 32 &&
                      !op->getParentOfType<FusionOp>() &&
                      getDims(op.getX()) == getDims(op.getY());
      if (parallel)
        decompose(op);
    });
  }
};

} // namespace
