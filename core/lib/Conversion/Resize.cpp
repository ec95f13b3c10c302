// SPDX-License-Identifier: Apache-2.0
// Resampling, one axis after the other.
#include "FamilyParts.h"
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// f64 arithmetic, short enough for formulas.
struct Doubles {
  Builder &b;

  Value num(double value) { return constantOf(b, b.getF64Type(), value); }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddFOp>(x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubFOp>(x, y); }
  Value mul(Value x, Value y) { return b.createOrFold<arith::MulFOp>(x, y); }
  Value div(Value x, Value y) { return b.createOrFold<arith::DivFOp>(x, y); }
  Value floor(Value x) { return b.createOrFold<math::FloorOp>(x); }
  Value ceil(Value x) { return b.createOrFold<math::CeilOp>(x); }
  Value abs(Value x) { return b.createOrFold<math::AbsFOp>(x); }
  Value select(Value c, Value x, Value y) {
    return b.createOrFold<arith::SelectOp>(c, x, y);
  }
  Value compare(CmpFPredicate predicate, Value x, double y) {
    return b.createOrFold<arith::CmpFOp>(predicate, x, num(y));
  }
  /// NaN, too, becomes a number.
  Value clamp(Value x, Value low, Value high) {
    return b.create<arith::MinNumFOp>(b.create<arith::MaxNumFOp>(x, low), high);
  }
  Value fromIndex(Value index) {
    Value number = b.createOrFold<arith::IndexCastOp>(b.getI64Type(), index);
    return b.createOrFold<arith::SIToFPOp>(b.getF64Type(), number);
  }
  Value toIndex(Value x) {
    Value number = b.create<arith::FPToSIOp>(b.getI64Type(), x);
    return b.create<arith::IndexCastOp>(b.getIndexType(), number);
  }
};

/// One axis being resized: its sizes and factor, as values outside the loops.
struct Axis {
  unsigned number;
  Value inSize, in, out, scale;
};

class Resizer {
public:
  explicit Resizer(ResizeOp op) : op(op) {}

  /// The position in the operand of result position `index`.
  Value getCoordinate(Doubles m, const Axis &axis, Value index) {
    Value x = m.fromIndex(index);
    StringRef mode = op.getCoordinate();
    if (mode == "asymmetric")
      return m.div(x, axis.scale);
    if (mode == "align_corners") {
      Value resized = m.mul(axis.scale, axis.in);
      Value single = m.compare(CmpFPredicate::OEQ, resized, 1);
      Value last = m.sub(resized, m.num(1));
      Value scaled = m.div(m.mul(x, m.sub(axis.in, m.num(1))), last);
      return m.select(single, m.num(0), scaled);
    }
    Value half = m.sub(m.div(m.add(x, m.num(0.5)), axis.scale), m.num(0.5));
    if (mode == "pytorch_half_pixel") {
      Value single =
          m.compare(CmpFPredicate::OEQ, m.mul(axis.scale, axis.in), 1);
      return m.select(single, m.num(0), half);
    }
    if (mode == "half_pixel_symmetric") {
      Value adjustment = m.div(axis.out, m.mul(axis.scale, axis.in));
      Value center = m.mul(axis.in, m.num(0.5));
      Value offset = m.mul(center, m.sub(m.num(1), adjustment));
      return m.add(offset, half);
    }
    return half;
  }

  /// The operand index that nearest reads.
  Value getNearest(Builder &b, const Axis &axis, Value index) {
    Doubles m{b};
    Value x = getCoordinate(m, axis, index);
    StringRef mode = op.getRounding();
    Value rounded;
    if (mode == "floor")
      rounded = m.floor(x);
    else if (mode == "ceil")
      rounded = m.ceil(x);
    else if (mode == "round_prefer_ceil")
      rounded = m.floor(m.add(x, m.num(0.5)));
    else
      rounded = m.ceil(m.sub(x, m.num(0.5)));
    // Clamped before the conversion, which far values would overflow.
    Value last = m.sub(axis.in, m.num(1));
    return m.toIndex(m.clamp(rounded, m.num(0), last));
  }

  /// How many operand elements lie on one side of a position at most, as an
  /// index: half the filter's width.
  Value getReach(Builder &b, const Axis &axis) {
    Doubles m{b};
    double support = op.getKind() == "linear" ? 1 : 2;
    if (!op.getAntialias())
      return constantIndex(b, support);
    return m.toIndex(m.ceil(m.div(m.num(support), getFilterScale(m, axis))));
  }

  /// The filter at a distance from its centre, before normalisation.
  Value getWeight(Doubles m, const Axis &axis, Value distance) {
    Value d = m.abs(distance);
    if (op.getAntialias())
      d = m.mul(d, getFilterScale(m, axis));
    if (op.getKind() == "linear") {
      Value falling = m.sub(m.num(1), d);
      return m.select(m.compare(CmpFPredicate::OGT, falling, 0), falling,
                      m.num(0));
    }
    double a = op.getCubicA().convertToDouble();
    // (a + 2) d^3 - (a + 3) d^2 + 1 up to 1, a (d^3 - 5 d^2 + 8 d - 4) up to 2
    Value square = m.mul(d, d), cube = m.mul(m.mul(d, d), d);
    Value inner =
        m.add(m.sub(m.mul(m.num(a + 2), cube), m.mul(m.num(a + 3), square)),
              m.num(1));
    Value outer = m.mul(
        m.num(a),
        m.sub(m.add(m.sub(cube, m.mul(m.num(5), square)), m.mul(m.num(8), d)),
              m.num(4)));
    Value far = m.select(m.compare(CmpFPredicate::OLT, d, 2), outer, m.num(0));
    return m.select(m.compare(CmpFPredicate::OLE, d, 1), inner, far);
  }

  /// The result element (in its compute type) at `loops` when only `axis` is
  /// resized.
  Value interpolate(Builder &b, const Axis &axis, Value x, Value reach,
                    ArrayRef<Value> loops) {
    Doubles m{b};
    // Far outside, every tap reads the border anyway.
    Value limit = m.add(m.add(axis.in, m.fromIndex(reach)), m.num(1));
    Value position = m.clamp(getCoordinate(m, axis, loops[axis.number]),
                             m.sub(m.num(0), limit), limit);
    Value base = m.floor(position);
    Value ratio = m.sub(position, base);
    Value baseIndex = m.toIndex(base);
    Type compute = getComputeType(getTensor(x).getElementType());
    Value zero = constantOf(b, compute, 0), noWeight = m.num(0);

    // Taps base - reach + 1 ... base + reach.
    auto tap = [&](Builder &inner, Value offset, Value sum,
                   Value weights) -> SmallVector<Value> {
      Doubles n{inner};
      Value weight = getWeight(n, axis, n.sub(n.fromIndex(offset), ratio));
      Value at = inner.create<arith::AddIOp>(baseIndex, offset);
      if (op.getExcludeOutside()) {
        Value inside =
            inner.create<arith::CmpIOp>(CmpIPredicate::ult, at, axis.inSize);
        weight = n.select(inside, weight, n.num(0));
      }
      SmallVector<Value> indices(loops);
      indices[axis.number] = clampIndex(inner, at, axis.inSize);
      Value element = widen(inner, inner.create<tensor::ExtractOp>(x, indices));
      Value factor = narrow(inner, weight, compute);
      return {emitAdd(inner, sum, emitMul(inner, factor, element)),
              n.add(weights, weight)};
    };
    SmallVector<Value> state{zero, noWeight};
    if (op.getAntialias()) {
      Value count = b.create<arith::MulIOp>(reach, constantIndex(b, 2));
      state = createLoops(
          b, count, state,
          [&](Builder &inner, ValueRange index, ValueRange carried) {
            Value first =
                inner.create<arith::SubIOp>(constantIndex(inner, 1), reach);
            Value offset = inner.create<arith::AddIOp>(first, index[0]);
            return tap(inner, offset, carried[0], carried[1]);
          });
    } else {
      int64_t support = op.getKind() == "linear" ? 1 : 2;
      for (int64_t offset = 1 - support; offset <= support; ++offset)
        state = tap(b, constantIndex(b, offset), state[0], state[1]);
    }
    Value sum = state[0];
    if (op.getAntialias() || op.getExcludeOutside())
      sum = b.create<arith::DivFOp>(sum, narrow(b, state[1], compute));
    return sum;
  }

private:
  /// min(scale, 1): filters only widen.
  Value getFilterScale(Doubles m, const Axis &axis) {
    return m.select(m.compare(CmpFPredicate::OLT, axis.scale, 1), axis.scale,
                    m.num(1));
  }

  ResizeOp op;
};

struct ResizePattern : Pattern<ResizeOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(ResizeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    SmallVector<DimExpr> from = getDims(op.getX()), to = getDims(op.getY());
    SmallVector<Axis> axes;
    for (auto [i, scale] : llvm::enumerate(op.getScales()))
      if (from[i] != to[i] || (scale != 0 && scale != 1))
        axes.push_back(createAxis(b, i, from[i], to[i], scale));
    Value result = op.getKind() == "nearest"
                       ? readNearest(b, op, adaptor.getX(), to, axes)
                       : blend(b, op, adaptor.getX(), from, to, axes);
    rewriter.replaceOp(op,
                       castTo(b, result, getPlainType(getTensor(op.getY()))));
    return success();
  }

private:
  Axis createAxis(Builder &b, unsigned number, DimExpr in, DimExpr out,
                  double scale) const {
    Doubles m{b};
    Value inSize = materialize(b, lowering, in);
    Value inReal = m.fromIndex(inSize);
    Value outReal = m.fromIndex(materialize(b, lowering, out));
    Value factor = scale != 0 ? m.num(scale) : m.div(outReal, inReal);
    return Axis{number, inSize, inReal, outReal, factor};
  }

  Value readNearest(Builder &b, ResizeOp op, Value x, ArrayRef<DimExpr> to,
                    ArrayRef<Axis> axes) const {
    Resizer resizer(op);
    return createParallel(b, lowering, to, getTensor(x).getElementType(), {},
                          {}, [&](Builder &inner, ValueRange) -> Value {
                            SmallVector<Value> indices =
                                getLoopIndices(inner, to.size());
                            for (const Axis &axis : axes)
                              indices[axis.number] = resizer.getNearest(
                                  inner, axis, indices[axis.number]);
                            return inner.create<tensor::ExtractOp>(x, indices);
                          });
  }

  /// Between the axes the values stay in the compute type.
  Value blend(Builder &b, ResizeOp op, Value x, ArrayRef<DimExpr> from,
              ArrayRef<DimExpr> to, ArrayRef<Axis> axes) const {
    Resizer resizer(op);
    Type storage = getTensor(x).getElementType();
    SmallVector<DimExpr> dims(from);
    for (const Axis &axis : axes) {
      dims[axis.number] = to[axis.number];
      Value reach = resizer.getReach(b, axis);
      Value source = x;
      bool last = &axis == &axes.back();
      Type type = last ? storage : getComputeType(storage);
      x = createParallel(b, lowering, dims, type, {}, {},
                         [&](Builder &inner, ValueRange) -> Value {
                           SmallVector<Value> loops =
                               getLoopIndices(inner, dims.size());
                           Value value = resizer.interpolate(
                               inner, axis, source, reach, loops);
                           return narrow(inner, value, type);
                         });
    }
    return x;
  }
};

} // namespace

void lowering::populateResize(RewritePatternSet &patterns,
                              const TypeConverter &converter,
                              LoweringContext &lowering) {
  patterns.add<ResizePattern>(converter, patterns.getContext(), lowering);
}

} // namespace cuvil
