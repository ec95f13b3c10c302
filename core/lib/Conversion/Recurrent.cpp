// SPDX-License-Identifier: Apache-2.0
// Recurrent layers: one product for all inputs, then a loop over time.
#include "ScalarMath.h"
#include "Support.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace cuvil {
namespace {

using namespace lowering;

/// Emits activation functions by their ONNX names.
class Activations {
public:
  Activations(RnnOp op, unsigned first) : op(op), first(first) {}

  /// Activation `number` of the direction, on clipped input.
  Value apply(Builder &b, unsigned number, Value x) {
    double clip = op.getClip().convertToDouble();
    Type type = x.getType();
    if (clip > 0) {
      x = emitMin(b, x, constantOf(b, type, clip), type);
      x = emitMax(b, x, constantOf(b, type, -clip), type);
    }
    unsigned entry = first + number;
    StringRef name = cast<StringAttr>(op.getActivations()[entry]).getValue();
    double alpha = op.getAlphas()[entry], beta = op.getBetas()[entry];
    auto num = [&](double value) { return constantOf(b, type, value); };
    if (name == "affine")
      return emitAdd(b, emitMul(b, num(alpha), x), num(beta));
    if (name == "scaledtanh") {
      Value inner = emitMul(b, num(beta), x);
      return emitMul(b, num(alpha), b.create<math::TanhOp>(inner));
    }
    if (name == "thresholdedrelu") {
      Value keep = emitCompare(b, "ge", x, num(alpha), type);
      return b.create<arith::SelectOp>(keep, x, num(0));
    }
    StringRef kind = name == "leakyrelu"     ? "leaky_relu"
                     : name == "hardsigmoid" ? "hard_sigmoid"
                                             : name;
    return emitUnary(b, kind, x, type, alpha, beta);
  }

private:
  RnnOp op;
  unsigned first;
};

/// The lowering of one direction.
class Direction {
public:
  Direction(RnnOp op, RnnOp::Adaptor adaptor, LoweringContext &lowering,
            unsigned number)
      : op(op), adaptor(adaptor), lowering(lowering), number(number),
        kind(op.getKind()), gates(kind == "lstm" ? 4 : (kind == "gru" ? 3 : 1)),
        activations(op,
                    number * (kind == "lstm" ? 3 : (kind == "gru" ? 2 : 1))),
        storage(getElement(op.getX())), compute(getComputeType(storage)),
        steps(getDims(op.getX())[0]), batch(getDims(op.getX())[1]),
        input(getDims(op.getX())[2]), hidden(getDims(op.getR())[2]) {}

  /// Runs the loop over y [S, D, B, H], h and c (both [D, B, H], in the compute
  /// type), of which it fills this direction's parts.
  SmallVector<Value> run(Builder &b, ValueRange inits) {
    Value products = createInputProducts(b);
    recurrent = sliceDirection(b, adaptor.getR(), {hidden * gates, hidden});
    // One buffer serves every step.
    Value scratch = createEmpty(b, lowering, {batch, hidden * gates}, compute);
    Value size = materialize(b, lowering, steps);
    bool backwards = op.getDirection() == "reverse" || number == 1;
    return createLoops(
        b, size, inits, [&](Builder &inner, ValueRange loop, ValueRange state) {
          Value time = loop[0];
          if (backwards) {
            Value last =
                inner.create<arith::SubIOp>(size, constantIndex(inner, 1));
            time = inner.create<arith::SubIOp>(last, time);
          }
          return step(inner, time, products, scratch, state);
        });
  }

private:
  /// A dense part of a tensor that starts at `offsets`, of `sizes`, without
  /// its leading axes of size 1.
  Value slice(Builder &b, Value tensor, ArrayRef<OpFoldResult> offsets,
              ArrayRef<DimExpr> sizes, unsigned dropped) {
    SmallVector<OpFoldResult> extents(dropped, b.getIndexAttr(1));
    llvm::append_range(extents, materializeFold(b, lowering, sizes));
    SmallVector<OpFoldResult> ones(extents.size(), b.getIndexAttr(1));
    RankedTensorType type = getPlainType(sizes, getElement(tensor));
    return b.create<tensor::ExtractSliceOp>(type, tensor, offsets, extents,
                                            ones);
  }

  Value sliceDirection(Builder &b, Value tensor, ArrayRef<DimExpr> sizes) {
    SmallVector<OpFoldResult> offsets(sizes.size() + 1, b.getIndexAttr(0));
    offsets[0] = b.getIndexAttr(number);
    return slice(b, tensor, offsets, sizes, 1);
  }

  /// Columns [first, first + count) of blocks of `hidden` columns.
  Value sliceGates(Builder &b, Value tensor, unsigned first, unsigned count) {
    OpFoldResult offset = materializeFold(b, lowering, hidden * first);
    if (getTensor(tensor).getRank() == 1)
      return slice(b, tensor, offset, hidden * count, 0);
    return slice(b, tensor, {b.getIndexAttr(0), offset},
                 {batch, hidden * count}, 0);
  }

  /// Puts [B, H] back where slice took it from.
  Value insert(Builder &b, Value part, Value tensor,
               ArrayRef<OpFoldResult> offsets) {
    SmallVector<OpFoldResult> sizes(offsets.size() - 2, b.getIndexAttr(1));
    SmallVector<DimExpr> tail{batch, hidden};
    llvm::append_range(sizes, materializeFold(b, lowering, tail));
    SmallVector<OpFoldResult> ones(offsets.size(), b.getIndexAttr(1));
    return b.create<tensor::InsertSliceOp>(part, tensor, offsets, sizes, ones);
  }

  /// Half 0 (of the input) or 1 (of the state) of the bias, from gate `first`
  /// on, spread over `dims`, or zeros. Written into `init`.
  Value createBias(Builder &b, unsigned half, unsigned first, unsigned count,
                   ArrayRef<DimExpr> dims, Value init) {
    unsigned rank = dims.size();
    SmallVector<IteratorType> loops(rank, IteratorType::parallel);
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs;
    if (adaptor.getB()) {
      Value bias = sliceDirection(b, adaptor.getB(), hidden * (2 * gates));
      inputs.push_back(sliceGates(b, bias, half * gates + first, count));
      maps.push_back(selectDims(b, rank, {rank - 1}));
    }
    maps.push_back(identityMap(b, rank));
    return createGeneric(b, inputs, init, maps, loops,
                         [&](Builder &inner, ValueRange args) {
                           Value value = inputs.empty()
                                             ? constantOf(inner, compute, 0)
                                             : widen(inner, args[0]);
                           return SmallVector<Value>{value};
                         })
        .front();
  }

  /// init[.., j] + sum over k of x[.., k] * w[j, k]
  Value multiply(Builder &b, Value x, Value w, Value init) {
    unsigned rank = getTensor(x).getRank();
    SmallVector<unsigned> outer = llvm::to_vector(llvm::seq<unsigned>(0, rank));
    SmallVector<unsigned> left(outer.begin(), outer.end() - 1);
    left.push_back(rank);
    SmallVector<IteratorType> loops(rank, IteratorType::parallel);
    loops.push_back(IteratorType::reduction);
    return createGeneric(b, {x, w}, init,
                         {selectDims(b, rank + 1, left),
                          selectDims(b, rank + 1, {rank - 1, rank}),
                          selectDims(b, rank + 1, outer)},
                         loops,
                         [](Builder &inner, ValueRange args) {
                           Value product = emitMul(inner, widen(inner, args[0]),
                                                   widen(inner, args[1]));
                           return SmallVector<Value>{
                               emitAdd(inner, args[2], product)};
                         })
        .front();
  }

  /// [S, B, gates * H]: what the inputs add to every gate.
  Value createInputProducts(Builder &b) {
    SmallVector<DimExpr> dims{steps, batch, hidden * gates};
    Value weights = sliceDirection(b, adaptor.getW(), {hidden * gates, input});
    Value init = createBias(b, 0, 0, gates, dims,
                            createEmpty(b, lowering, dims, compute));
    return multiply(b, adaptor.getX(), weights, init);
  }

  /// [B, count * H]: what the state adds to gates from `first` on.
  Value createStateProducts(Builder &b, Value state, Value scratch,
                            unsigned first, unsigned count) {
    Value weights = recurrent;
    if (count != gates) {
      OpFoldResult offset = materializeFold(b, lowering, hidden * first);
      weights = slice(b, weights, {offset, b.getIndexAttr(0)},
                      {hidden * count, hidden}, 0);
      scratch = sliceGates(b, scratch, first, count);
    }
    Value init =
        createBias(b, 1, first, count, {batch, hidden * count}, scratch);
    return multiply(b, state, weights, init);
  }

  /// One time step: y, h and c after it.
  SmallVector<Value> step(Builder &b, Value time, Value products, Value scratch,
                          ValueRange state) {
    OpFoldResult zero = b.getIndexAttr(0), direction = b.getIndexAttr(number);
    SmallVector<OpFoldResult> place{time, direction, zero, zero},
        statePlace{direction, zero, zero};
    SmallVector<DimExpr> unit{batch, hidden};
    Value y = slice(b, state[0], place, unit, 2),
          h = slice(b, state[1], statePlace, unit, 1),
          c = slice(b, state[2], statePlace, unit, 1);
    SmallVector<OpFoldResult> at{time, zero, zero};
    Value fromInput = slice(b, products, at, {batch, hidden * gates}, 1);
    SmallVector<Value> inputs;
    for (unsigned gate = 0; gate < gates; ++gate)
      inputs.push_back(sliceGates(b, fromInput, gate, 1));
    if (kind == "gru" && !op.getLinearBeforeReset()) {
      Value early = createStateProducts(b, h, scratch, 0, 2);
      for (unsigned gate = 0; gate < 2; ++gate)
        inputs.push_back(sliceGates(b, early, gate, 1));
      Value reset = createReset(b, inputs[1], inputs[4], h);
      inputs.push_back(createStateProducts(b, reset, scratch, 2, 1));
    } else {
      Value fromState = createStateProducts(b, h, scratch, 0, gates);
      for (unsigned gate = 0; gate < gates; ++gate)
        inputs.push_back(sliceGates(b, fromState, gate, 1));
    }
    SmallVector<AffineMap> maps(inputs.size(), identityMap(b, 2));
    if (adaptor.getPeephole()) {
      Value peephole = sliceDirection(b, adaptor.getPeephole(), hidden * 3);
      for (unsigned i = 0; i < 3; ++i) {
        inputs.push_back(sliceGates(b, peephole, i, 1));
        maps.push_back(selectDims(b, 2, {1}));
      }
    }
    if (adaptor.getLengths()) {
      inputs.push_back(adaptor.getLengths());
      maps.push_back(selectDims(b, 2, {0}));
    }
    maps.append(3, identityMap(b, 2));
    SmallVector<Value> results =
        createGeneric(b, inputs, {y, h, c}, maps,
                      {IteratorType::parallel, IteratorType::parallel},
                      [&](Builder &inner, ValueRange args) {
                        return update(inner, time, args);
                      });
    return {insert(b, results[0], state[0], place),
            insert(b, results[1], state[1], statePlace),
            insert(b, results[2], state[2], statePlace)};
  }

  /// gru: the reset gate times the state.
  Value createReset(Builder &b, Value fromInput, Value fromState, Value h) {
    AffineMap identity = identityMap(b, 2);
    return createParallel(
        b, lowering, {batch, hidden}, compute, {fromInput, fromState, h},
        {identity, identity, identity}, [&](Builder &inner, ValueRange args) {
          Value gate =
              activations.apply(inner, 0, emitAdd(inner, args[0], args[1]));
          return emitMul(inner, gate, args[2]);
        });
  }

  /// The scalars y, h and c of one unit, from its gates' inputs.
  SmallVector<Value> update(Builder &b, Value time, ValueRange args) {
    Value h = args[args.size() - 2], c = args.back();
    auto sum = [&](unsigned gate) {
      return emitAdd(b, args[gate], args[gates + gate]);
    };
    Value nextH, nextC = c;
    if (kind == "simple") {
      nextH = activations.apply(b, 0, sum(0));
    } else if (kind == "gru") {
      Value z = activations.apply(b, 0, sum(0));
      Value candidate = args[5];
      if (op.getLinearBeforeReset())
        candidate = emitMul(b, activations.apply(b, 0, sum(1)), candidate);
      candidate = activations.apply(b, 1, emitAdd(b, args[2], candidate));
      Value rest = b.create<arith::SubFOp>(constantOf(b, compute, 1), z);
      nextH = emitAdd(b, emitMul(b, rest, candidate), emitMul(b, z, h));
    } else {
      std::tie(nextH, nextC) = updateLstm(b, args, c, sum);
    }
    Value y = nextH;
    if (adaptor.getLengths()) {
      Value length = toIndex(b, args[args.size() - 4]);
      Value active =
          b.create<arith::CmpIOp>(arith::CmpIPredicate::slt, time, length);
      y = b.create<arith::SelectOp>(active, nextH, constantOf(b, compute, 0));
      nextH = b.create<arith::SelectOp>(active, nextH, h);
      nextC = b.create<arith::SelectOp>(active, nextC, c);
    }
    return {narrow(b, y, storage), nextH, nextC};
  }

  std::pair<Value, Value> updateLstm(Builder &b, ValueRange args, Value c,
                                     function_ref<Value(unsigned)> sum) {
    // Gates i, o, f, c; peepholes i, o, f.
    auto gate = [&](unsigned number, Value cell) {
      Value pre = sum(number);
      if (adaptor.getPeephole()) {
        Value weight = widen(b, args[2 * gates + number]);
        pre = emitAdd(b, pre, emitMul(b, weight, cell));
      }
      return activations.apply(b, 0, pre);
    };
    Value i = gate(0, c);
    Value f = op.getInputForget()
                  ? Value(b.create<arith::SubFOp>(constantOf(b, compute, 1), i))
                  : gate(2, c);
    Value candidate = activations.apply(b, 1, sum(3));
    Value nextC = emitAdd(b, emitMul(b, f, c), emitMul(b, i, candidate));
    Value o = gate(1, nextC);
    Value shown = activations.apply(b, 2, nextC);
    return {emitMul(b, o, shown), nextC};
  }

  RnnOp op;
  RnnOp::Adaptor adaptor;
  LoweringContext &lowering;
  unsigned number;
  StringRef kind;
  unsigned gates;
  Activations activations;
  Type storage, compute;
  DimExpr steps, batch, input, hidden;
  Value recurrent;
};

struct RnnPattern : Pattern<RnnOp> {
  using Pattern::Pattern;
  LogicalResult
  matchAndRewrite(RnnOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Builder b(op.getLoc(), rewriter);
    Type storage = getElement(op.getX());
    SmallVector<DimExpr> dims = getDims(op.getH());
    SmallVector<Value> state{
        createEmpty(b, lowering, getDims(op.getY()), storage),
        createState(b, adaptor.getH0(), dims, storage),
        createState(b, adaptor.getC0(), dims, storage)};
    unsigned directions = op.getDirection() == "bidirectional" ? 2 : 1;
    for (unsigned number = 0; number < directions; ++number)
      state = Direction(op, adaptor, lowering, number).run(b, state);
    for (Value &value : MutableArrayRef(state).drop_front())
      if (getElement(value) != storage)
        value = createParallel(b, lowering, dims, storage, value,
                               identityMap(b, dims.size()),
                               [&](Builder &inner, ValueRange args) {
                                 return narrow(inner, args[0], storage);
                               });
    rewriter.replaceOp(op, state);
    return success();
  }

private:
  /// The given initial state, or zeros, in the compute type.
  Value createState(Builder &b, Value given, ArrayRef<DimExpr> dims,
                    Type storage) const {
    Type compute = getComputeType(storage);
    if (!given)
      return createFilled(b, lowering, dims, constantOf(b, compute, 0));
    if (compute == storage)
      return castTo(b, given, getPlainType(dims, storage));
    return createParallel(
        b, lowering, dims, compute, given, identityMap(b, dims.size()),
        [&](Builder &inner, ValueRange args) { return widen(inner, args[0]); });
  }
};

} // namespace

void populateRecurrentToLinalg(RewritePatternSet &patterns,
                               const TypeConverter &converter,
                               LoweringContext &lowering) {
  patterns.add<RnnPattern>(converter, patterns.getContext(), lowering);
}

} // namespace cuvil
