// SPDX-License-Identifier: Apache-2.0
// Matrix products and convolutions as linalg.generic contractions.
#include "FamilyParts.h"
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;

/// acc + x * w over three operands, in the accumulator's type.
SmallVector<Value> multiplyAdd(Builder &b, ValueRange args) {
  Value product = emitMul(b, widen(b, args[0]), widen(b, args[1]));
  return {emitAdd(b, args[2], product)};
}

/// The accumulators in the result's type.
Value toStorage(Builder &b, LoweringContext &lowering, Value acc,
                ArrayRef<DimExpr> dims, Type storage) {
  if (getElement(acc) == storage)
    return acc;
  return createParallel(b, lowering, dims, storage, acc,
                        identityMap(b, dims.size()),
                        [&](Builder &inner, ValueRange args) {
                          return narrow(inner, args[0], storage);
                        });
}

struct DotPattern : Pattern<DotOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(DotOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type storage = getStorageType(getElement(op.getLhs()));
    SmallVector<DimExpr> dims = getDims(op.getY());
    // Loops: batch, lhs free, rhs free (the result's axes), contracted.
    SmallVector<unsigned> lhs =
        mapAxes(getDims(op.getLhs()).size(), op.getLhsBatch(),
                op.getLhsContract(), op.getLhsBatch().size(), dims.size());
    unsigned numLhsFree =
        lhs.size() - op.getLhsBatch().size() - op.getLhsContract().size();
    SmallVector<unsigned> rhs = mapAxes(
        getDims(op.getRhs()).size(), op.getRhsBatch(), op.getRhsContract(),
        op.getRhsBatch().size() + numLhsFree, dims.size());
    unsigned loops = dims.size() + op.getLhsContract().size();
    SmallVector<IteratorType> iterators(dims.size(), IteratorType::parallel);
    iterators.append(op.getLhsContract().size(), IteratorType::reduction);
    SmallVector<unsigned> out =
        llvm::to_vector(llvm::seq<unsigned>(0, dims.size()));
    Value zero = constantOf(b, getComputeType(storage), 0);
    Value acc =
        createGeneric(b, {adaptor.getLhs(), adaptor.getRhs()},
                      createFilled(b, lowering, dims, zero),
                      {selectDims(b, loops, lhs), selectDims(b, loops, rhs),
                       selectDims(b, loops, out)},
                      iterators, multiplyAdd)
            .front();
    rewriter.replaceOp(op, toStorage(b, lowering, acc, dims, storage));
    return success();
  }

private:
  /// The loop of each axis of an operand.
  static SmallVector<unsigned> mapAxes(unsigned rank, ArrayRef<int64_t> batch,
                                       ArrayRef<int64_t> contract,
                                       unsigned firstFree,
                                       unsigned firstContracted) {
    SmallVector<unsigned> loops(rank, ~0u);
    for (auto [i, axis] : llvm::enumerate(batch))
      loops[axis] = i;
    for (auto [i, axis] : llvm::enumerate(contract))
      loops[axis] = firstContracted + i;
    for (unsigned &loop : loops)
      if (loop == ~0u)
        loop = firstFree++;
    return loops;
  }
};

struct ConvPattern : Pattern<ConvOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ConvOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type storage = getStorageType(getElement(op.getX()));
    SmallVector<DimExpr> x = getDims(op.getX()), w = getDims(op.getW()),
                         y = getDims(op.getY());
    unsigned spatial = x.size() - 2;
    Value input = padInput(b, op, adaptor.getX(), x, storage);
    Value weight = adaptor.getW(), bias = adaptor.getBias();
    SmallVector<DimExpr> acc = y;
    bool grouped = op.getGroups() != 1;
    if (grouped) {
      SmallVector<DimExpr> splitX = split(x, 1, op.getGroups(), w[1]);
      SmallVector<DimExpr> splitW = splitLeading(w, op.getGroups());
      input = reshapeTo(b, lowering, input, x, splitX);
      weight = reshapeTo(b, lowering, weight, w, splitW);
      acc = split(y, 1, op.getGroups(), splitW[1]);
      if (bias)
        bias = reshapeTo(b, lowering, bias, y[1], {splitW[0], splitW[1]});
    }
    Value init = createInit(b, acc, bias, storage, grouped ? 2 : 1);

    // Loops: n, (group,) oc, out..., c, kernel...
    unsigned numOut = acc.size(), loops = numOut + 1 + spatial;
    unsigned firstOut = numOut - spatial, channel = numOut;
    auto dim = [&](unsigned loop) { return b.getAffineDimExpr(loop); };
    SmallVector<AffineExpr> xExprs{dim(0)}, wExprs;
    if (grouped) {
      xExprs.push_back(dim(1));
      wExprs.push_back(dim(1));
    }
    wExprs.push_back(dim(firstOut - 1));
    xExprs.push_back(dim(channel));
    wExprs.push_back(dim(channel));
    for (unsigned i = 0; i < spatial; ++i) {
      AffineExpr kernel = dim(channel + 1 + i);
      xExprs.push_back(dim(firstOut + i) * op.getStrides()[i] +
                       kernel * op.getDilations()[i]);
      wExprs.push_back(kernel);
    }
    SmallVector<AffineMap> maps{
        AffineMap::get(loops, 0, xExprs, b.getContext()),
        AffineMap::get(loops, 0, wExprs, b.getContext()),
        selectDims(b, loops, llvm::to_vector(llvm::seq<unsigned>(0, numOut)))};
    SmallVector<IteratorType> iterators(numOut, IteratorType::parallel);
    iterators.append(1 + spatial, IteratorType::reduction);
    Value result =
        createGeneric(b, {input, weight}, init, maps, iterators, multiplyAdd)
            .front();
    result = toStorage(b, lowering, result, acc, storage);
    rewriter.replaceOp(op, reshapeTo(b, lowering, result, acc, y));
    return success();
  }

private:
  static SmallVector<DimExpr> split(ArrayRef<DimExpr> dims, unsigned axis,
                                    int64_t groups, DimExpr part) {
    SmallVector<DimExpr> result(dims);
    result[axis] = part;
    result.insert(result.begin() + axis,
                  DimExpr::constant(part.getContext(), groups));
    return result;
  }

  static SmallVector<DimExpr> splitLeading(ArrayRef<DimExpr> w,
                                           int64_t groups) {
    DimExpr count = DimExpr::constant(w[0].getContext(), groups);
    return split(w, 0, groups, w[0].floorDiv(count));
  }

  /// x with its padding and the zeros between its elements; updates its dims.
  Value padInput(Builder &b, ConvOp op, Value x, SmallVector<DimExpr> &dims,
                 Type storage) const {
    DimExpr zero = DimExpr::constant(b.getContext(), 0);
    SmallVector<DimExpr> low{zero, zero}, high{zero, zero}, padded = dims;
    SmallVector<int64_t> dilations{1, 1};
    low.append(op.getLow().begin(), op.getLow().end());
    high.append(op.getHigh().begin(), op.getHigh().end());
    dilations.append(op.getInputDilations().begin(),
                     op.getInputDilations().end());
    for (unsigned i = 2; i < dims.size(); ++i)
      padded[i] = (dims[i] - 1) * dilations[i] + 1 + low[i] + high[i];
    if (padded == dims && llvm::all_equal(low) && llvm::all_equal(dilations))
      return x;
    Value scalar = constantOf(b, storage, 0);
    Value result =
        padWith(b, lowering, x, dims, padded, low, high, dilations, scalar);
    dims = padded;
    return result;
  }

  /// The accumulators before the first product: the bias or zero.
  Value createInit(Builder &b, ArrayRef<DimExpr> dims, Value bias, Type storage,
                   unsigned biasRank) const {
    Type compute = getComputeType(storage);
    if (!bias)
      return createFilled(b, lowering, dims, constantOf(b, compute, 0));
    SmallVector<unsigned> channels =
        llvm::to_vector(llvm::seq<unsigned>(1, 1 + biasRank));
    return createParallel(
        b, lowering, dims, compute, bias, selectDims(b, dims.size(), channels),
        [&](Builder &inner, ValueRange args) { return widen(inner, args[0]); });
  }
};

} // namespace

void populateContractionToLinalg(RewritePatternSet &patterns,
                                 const TypeConverter &converter,
                                 LoweringContext &lowering) {
  patterns.add<DotPattern, ConvPattern>(converter, patterns.getContext(),
                                        lowering);
  populatePool(patterns, converter, lowering);
  populateResize(patterns, converter, lowering);
}

} // namespace cuvil
