// SPDX-License-Identifier: Apache-2.0
// Chooses tile sizes of a root op, tiles it and pulls its producers in.
#include "TileAndFuse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace cuvil;
using namespace cuvil::x86;

/// Scalar operations that one tile should hold at least, where there are so
/// many: enough to hide the cost of taking a tile.
static constexpr int64_t kTileWork = 16384;
/// What a dynamic size is taken for when tile sizes are chosen.
static constexpr int64_t kAssumedSize = 128;
/// Elements that innermost tiles come in multiples of.
static constexpr int64_t kVector = 16;

static int64_t costOf(Operation *op) {
  if (op->getDialect()->getNamespace() == "math")
    return 8;
  if (isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
          arith::RemUIOp, tensor::ExtractOp>(op) ||
      op->getNumRegions())
    return 4;
  return 1;
}

static int64_t costOfBody(linalg::LinalgOp op) {
  int64_t cost = 1;
  for (Operation &inner : op.getBlock()->without_terminator())
    cost += costOf(&inner);
  return cost;
}

namespace {
/// Reads the source of an expand_shape that only adds dims of size 1 which the
/// reader indexes with 0.
struct ReadBeforeExpand : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto expand = operand->get().getDefiningOp<tensor::ExpandShapeOp>();
      if (!expand)
        continue;
      AffineMap map = op.getMatchingIndexingMap(operand);
      SmallVector<AffineExpr> exprs;
      bool simple = true;
      for (const ReassociationIndices &group :
           expand.getReassociationIndices()) {
        AffineExpr kept = rewriter.getAffineConstantExpr(0);
        unsigned others = 0;
        for (int64_t dim : group) {
          if (expand.getResultType().getDimSize(dim) == 1 &&
              map.getResult(dim) == rewriter.getAffineConstantExpr(0))
            continue;
          kept = map.getResult(dim);
          ++others;
        }
        simple &= others <= 1;
        exprs.push_back(kept);
      }
      if (!simple)
        continue;
      SmallVector<AffineMap> maps = op.getIndexingMapsArray();
      maps[operand->getOperandNumber()] =
          AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
      rewriter.modifyOpInPlace(op, [&] {
        operand->set(expand.getSrc());
        op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
      });
      return success();
    }
    return failure();
  }
};
} // namespace

LogicalResult cuvil::x86::fuseElementwise(func::FuncOp function,
                                           bool dropUnitDims) {
  RewritePatternSet patterns(function.getContext());
  auto worthFusing = [](OpOperand *operand) {
    auto producer = operand->get().getDefiningOp<linalg::LinalgOp>();
    auto consumer = dyn_cast<linalg::LinalgOp>(operand->getOwner());
    if (!producer || !consumer)
      return false;
    int64_t cost = costOfBody(producer);
    if (cost <= 2)
      return true;
    AffineMap map = consumer.getMatchingIndexingMap(operand);
    return operand->get().hasOneUse() &&
           map.getNumResults() == map.getNumDims() && map.isPermutation();
  };
  linalg::populateElementwiseOpsFusionPatterns(patterns, worthFusing);
  if (!dropUnitDims)
    return applyPatternsAndFoldGreedily(function, std::move(patterns));
  // Dims of size 1 would keep reshapes between producers and consumers.
  patterns.add<ReadBeforeExpand>(function.getContext());
  // The reassociative reshape patterns are no good here: they undo what these
  // do to slices, for ever.
  linalg::ControlDropUnitDims unitDims;
  unitDims.controlFn = [](Operation *op) -> SmallVector<unsigned> {
    auto linalgOp = cast<linalg::LinalgOp>(op);
    // In a window's map, d0 * stride + d1, dropping d0 would leave a plain d1,
    // whose range is then taken from the operand instead of the window.
    for (AffineMap map : linalgOp.getIndexingMapsArray())
      for (AffineExpr expr : map.getResults())
        if (!isa<AffineDimExpr, AffineConstantExpr>(expr))
          return {};
    return llvm::to_vector(llvm::seq<unsigned>(0, linalgOp.getNumLoops()));
  };
  linalg::populateFoldUnitExtentDimsPatterns(patterns, unitDims);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns,
                                                     function.getContext());
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns,
                                                       function.getContext());
  return applyPatternsAndFoldGreedily(function, std::move(patterns));
}

namespace {

/// Finds the loops of a root op along which its producers split as well.
class TileDims {
public:
  /// Whether a tile of loop `dim` of `op` needs only such a part of each
  /// computed operand that no other tile needs.
  bool isSplittable(linalg::LinalgOp op, unsigned dim);

private:
  bool isSplittableOperand(Value value, AffineMap map, unsigned dim);
  static bool isCheap(Value value);
  llvm::DenseMap<std::pair<Operation *, unsigned>, bool> known;
};

/// A value that costs nothing to have as a whole.
bool TileDims::isCheap(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->hasTrait<OpTrait::ConstantLike>() || isa<tensor::EmptyOp>(op))
    return true;
  if (isa<tensor::ExtractSliceOp, tensor::CollapseShapeOp,
          tensor::ExpandShapeOp, tensor::CastOp>(op))
    return isCheap(op->getOperand(0));
  if (op->getDialect()->getNamespace() == "bufferization")
    return true;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return !type || (isa<linalg::LinalgOp>(op) && type.hasStaticShape() &&
                   type.getNumElements() <= 1 && op->getNumOperands() == 1);
}

bool TileDims::isSplittableOperand(Value value, AffineMap map, unsigned dim) {
  if (isCheap(value))
    return true;
  auto producer = value.getDefiningOp<linalg::LinalgOp>();
  if (!producer || !isa<TilingInterface>(producer.getOperation()))
    return false;
  AffineMap output =
      producer.getIndexingMapMatchingResult(cast<OpResult>(value));
  if (!output.isProjectedPermutation())
    return false;
  std::optional<unsigned> at;
  for (auto [position, expr] : llvm::enumerate(map.getResults())) {
    if (!expr.isFunctionOfDim(dim))
      continue;
    if (!isa<AffineDimExpr>(expr) || at)
      return false;
    at = position;
  }
  return at && isSplittable(producer, output.getDimPosition(*at));
}

bool TileDims::isSplittable(linalg::LinalgOp op, unsigned dim) {
  auto [entry, inserted] = known.try_emplace({op, dim}, true);
  if (!inserted)
    return entry->second;
  bool splittable = true;
  for (OpOperand &operand : op->getOpOperands())
    splittable &= isSplittableOperand(operand.get(),
                                      op.getMatchingIndexingMap(&operand), dim);
  // Tensors that the body reads at computed positions.
  op.getBlock()->walk([&](Operation *inner) {
    for (Value value : inner->getOperands())
      if (isa<RankedTensorType>(value.getType()))
        splittable &= isCheap(value);
  });
  return known[{op, dim}] = splittable;
}

/// A tile of at most `limit` that divides `size`, in whole vectors if possible;
/// `limit` itself where only small ones do.
int64_t chooseTile(int64_t size, int64_t limit) {
  if (limit >= size)
    return size;
  for (int64_t unit : {kVector, int64_t(1)})
    for (int64_t tile = limit / unit * unit; tile >= unit; tile -= unit)
      if (size % tile == 0 && tile * 4 >= limit)
        return tile;
  return limit;
}

/// Operations per point of the root's loops, reductions left out.
int64_t workOf(linalg::LinalgOp root) {
  int64_t work = 0;
  SetVector<Operation *> ops;
  ops.insert(root);
  for (size_t i = 0; i < ops.size(); ++i) {
    work += costOfBody(cast<linalg::LinalgOp>(ops[i]));
    for (Value operand : ops[i]->getOperands())
      if (auto producer = operand.getDefiningOp<linalg::LinalgOp>())
        ops.insert(producer);
  }
  return work;
}

/// Pulls the producers of all slices taken in the loop into it.
void fuseProducers(RewriterBase &rewriter, scf::ForOp loop) {
  SmallVector<LoopLikeOpInterface> loops{
      cast<LoopLikeOpInterface>(loop.getOperation())};
  DominanceInfo dominance(loop->getParentOp());
  while (true) {
    // Equal slices become one first, so that a producer of several consumers is
    // computed once.
    eliminateCommonSubExpressions(rewriter, dominance, loop);
    tensor::ExtractSliceOp candidate;
    for (auto slice : loop.getBody()->getOps<tensor::ExtractSliceOp>()) {
      if (slice->use_empty())
        continue;
      // What a tile of the result starts from comes in as the loop's init: it
      // must be made in the tile too, or each worker would make all of it.
      Value source = slice.getSource();
      auto carried = dyn_cast<BlockArgument>(source);
      if (carried && carried.getOwner() == loop.getBody())
        if (OpOperand *init = loop.getTiedLoopInit(carried))
          source = init->get();
      Operation *producer = source.getDefiningOp();
      if (producer && !loop->isAncestor(producer) &&
          isa<TilingInterface>(producer) && isa<linalg::LinalgOp>(producer)) {
        candidate = slice;
        break;
      }
    }
    if (!candidate)
      return;
    rewriter.setInsertionPoint(candidate);
    if (!scf::tileAndFuseProducerOfSlice(rewriter, candidate, loops))
      return;
    if (candidate->use_empty())
      rewriter.eraseOp(candidate);
  }
}

} // namespace

DimExpr cuvil::x86::tileAndFuse(RewriterBase &rewriter, Value output,
                                ArrayRef<DimExpr> dims, Value begin,
                                Value end) {
  auto root = output.getDefiningOp<linalg::LinalgOp>();
  if (!root || root->getNumResults() != 1 || !root.hasPureTensorSemantics())
    return {};
  AffineMap map = root.getIndexingMapMatchingResult(cast<OpResult>(output));
  if (!map.isProjectedPermutation() || map.getNumResults() == 0)
    return {};

  TileDims splits;
  SmallVector<bool> splittable;
  for (unsigned position = 0; position < map.getNumResults(); ++position)
    splittable.push_back(
        splits.isSplittable(root, map.getDimPosition(position)));

  // Work of everything inside the innermost tile.
  int64_t work = workOf(root);
  auto assumed = [](std::optional<int64_t> size) {
    return std::max<int64_t>(size.value_or(kAssumedSize), 1);
  };
  for (auto [index, size] : llvm::enumerate(root.getStaticLoopRanges())) {
    std::optional<unsigned> position =
        map.getResultPosition(rewriter.getAffineDimExpr(index));
    if (!position || !splittable[*position])
      work *= assumed(ShapedType::isDynamic(size) ? std::nullopt
                                                  : std::optional(size));
  }

  SmallVector<OpFoldResult> tileSizes(root.getNumLoops(),
                                      rewriter.getIndexAttr(0));
  DimExpr tiles = DimExpr::constant(rewriter.getContext(), 1);
  unsigned tiledLoops = 0;
  bool whole = true;
  for (int position = map.getNumResults() - 1; position >= 0; --position) {
    if (!splittable[position])
      continue;
    std::optional<int64_t> size = dims[position].getConstant();
    int64_t tile = whole ? std::max<int64_t>(1, kTileWork / work) : 1;
    if (position + 1 == static_cast<int>(map.getNumResults()))
      tile = std::max(tile, 4 * kVector);
    if (size)
      tile = chooseTile(*size, tile);
    work *= std::max<int64_t>(tile, 1);
    if (size && tile == *size)
      continue;
    whole = false;
    ++tiledLoops;
    tileSizes[map.getDimPosition(position)] = rewriter.getIndexAttr(tile);
    tiles = tiles * dims[position].ceilDiv(
                        DimExpr::constant(rewriter.getContext(), tile));
  }
  if (!tiledLoops)
    return {};

  rewriter.setInsertionPoint(root);
  scf::SCFTilingOptions options;
  options.setTileSizes(tileSizes);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(tiled))
    return {};
  rewriter.replaceOp(root, tiled->replacements);
  SmallVector<scf::ForOp> loops;
  for (LoopLikeOpInterface loop : tiled->loops)
    loops.push_back(cast<scf::ForOp>(loop.getOperation()));
  scf::ForOp loop = loops.front();
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  if (loops.size() == 1) {
    // A single loop keeps its step; its bounds count elements.
    Value step = loop.getStep();
    Value last = rewriter.create<arith::MulIOp>(loc, end, step);
    begin = rewriter.create<arith::MulIOp>(loc, begin, step);
    end = rewriter.create<arith::MinSIOp>(loc, last, loop.getUpperBound());
  } else if (failed(coalesceLoops(rewriter, loops))) {
    return {};
  }
  rewriter.modifyOpInPlace(loop, [&] {
    loop.setLowerBound(begin);
    loop.setUpperBound(end);
  });
  fuseProducers(rewriter, loop);
  return tiles;
}
