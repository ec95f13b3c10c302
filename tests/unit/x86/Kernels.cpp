// SPDX-License-Identifier: Apache-2.0
// Writes whole kernels around the emitters.
#include "Kernels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace cuvil::x86;
using namespace cuvil::x86::test;

static Value relu(KernelBuilder &kb, Value x) {
  OpBuilder &b = kb.builder();
  Value zero =
      b.create<arith::ConstantOp>(kb.loc(), b.getZeroAttr(x.getType()));
  Value positive =
      b.create<arith::CmpFOp>(kb.loc(), arith::CmpFPredicate::UGT, x, zero);
  return b.create<arith::SelectOp>(kb.loc(), positive, x, zero);
}

/// Stores the item count through the first pointer.
static void storeCount(KernelArgs &args, Value count) {
  args.kb.store(count, args.pointers[0]);
}

GemmKernel::GemmKernel(const CpuTarget &target, const GemmCase &c) : shape(c) {
  MLIRContext types;
  Type element =
      c.f64 ? Type(Float64Type::get(&types)) : Type(Float32Type::get(&types));
  GemmShape known;
  if (!c.dynamic)
    known.m = c.m;
  known.n = c.n;
  known.k = c.k;
  chosen =
      c.tiling ? *c.tiling : chooseGemmTiling(target, element, known, c.layout);
  int64_t width = chosen.tile.nv * target.lanes(c.f64 ? 64 : 32);
  panels = (c.n + width - 1) / width;
  packed = packedBSize(target, element, chosen.tile.nv, c.k, c.n);

  std::vector<int64_t> sizes = {c.batch, c.m, c.n, c.k};
  if (c.dynamic)
    sizes.assign(4, -1);
  auto spec = [c, tiling = chosen](KernelArgs &args) {
    GemmSpec s;
    s.batch = args.sizes[0];
    s.m = args.sizes[1];
    s.n = args.sizes[2];
    s.k = args.sizes[3];
    s.aRowStride = s.k;
    s.bLayout = c.layout;
    s.bRowStride = c.layout == BLayout::Transposed ? s.k : s.n;
    s.cRowStride = s.n;
    s.tiling = tiling;
    s.loopEpilogue = c.loopEpilogue;
    s.pointers = [args, m = s.m, n = s.n, k = s.k, c](KernelBuilder &kb,
                                                      Value batch) {
      Value bSize = c.layout == BLayout::Packed ? kb.index(0) : kb.mul(k, n);
      return GemmPointers{kb.at(args.pointers[0], kb.mul(batch, kb.mul(m, k))),
                          kb.at(args.pointers[1], kb.mul(batch, bSize)),
                          kb.at(args.pointers[2], kb.mul(batch, kb.mul(m, n)))};
    };
    if (c.bias)
      s.init = [args](KernelBuilder &kb, const TilePoint &at) {
        return kb.loadVector(kb.at(args.pointers[3], at.col), at.mask);
      };
    if (c.residual)
      s.init = [args, m = s.m, n = s.n](KernelBuilder &kb,
                                        const TilePoint &at) {
        Value row = kb.add(kb.mul(at.batch, m), at.row);
        return kb.loadVector(
            kb.at(args.pointers[2], kb.add(kb.mul(row, n), at.col)), at.mask);
      };
    if (c.relu)
      s.epilogue = [](KernelBuilder &kb, Value x, const TilePoint &) {
        return relu(kb, x);
      };
    return s;
  };
  kernel = std::make_unique<Jit>(
      target, 4, sizes,
      [spec](KernelArgs &args) {
        emitGemm(args.kb, spec(args), args.begin, args.end);
      },
      c.f64);
  counter = std::make_unique<Jit>(
      target, 1, sizes,
      [spec](KernelArgs &args) {
        args.pointers.resize(4, args.pointers[0]);
        storeCount(args, emitGemmTileCount(args.kb, spec(args)));
      },
      c.f64);
  if (c.layout == BLayout::Packed)
    packer = std::make_unique<Jit>(
        target, 2, sizes,
        [c, nv = chosen.tile.nv](KernelArgs &args) {
          emitPackB(args.kb,
                    c.packTransposed ? BLayout::Transposed : BLayout::RowMajor,
                    args.pointers[0],
                    c.packTransposed ? args.sizes[3] : args.sizes[2],
                    args.sizes[3], args.sizes[2], nv, args.pointers[1],
                    args.begin, args.end);
        },
        c.f64);
}

void GemmKernel::pack(const void *b, void *to) {
  void *pointers[] = {const_cast<void *>(b), to};
  int64_t sizes[] = {shape.batch, shape.m, shape.n, shape.k};
  packer->function()(pointers, sizes, 0, panels);
}

int64_t GemmKernel::items() {
  int64_t count = -1;
  void *pointers[] = {&count};
  int64_t sizes[] = {shape.batch, shape.m, shape.n, shape.k};
  counter->function()(pointers, sizes, 0, 0);
  return count;
}

void GemmKernel::runItems(const void *a, const void *b, void *c,
                          const void *bias, int64_t begin, int64_t end) {
  void *pointers[] = {const_cast<void *>(a), const_cast<void *>(b), c,
                      const_cast<void *>(bias)};
  int64_t sizes[] = {shape.batch, shape.m, shape.n, shape.k};
  kernel->function()(pointers, sizes, begin, end);
}

void GemmKernel::run(const void *a, const void *b, void *c, const void *bias) {
  runItems(a, b, c, bias, 0, items());
}

std::vector<int64_t> ConvKernel::sizes() const {
  return {shape.batch, shape.ih, shape.iw, shape.oh(), shape.ow()};
}

ConvKernel::ConvKernel(const CpuTarget &target, const ConvCase &c,
                       bool depthwise)
    : shape(c) {
  MLIRContext types;
  Type f32 = Float32Type::get(&types);
  ConvShape known;
  known.groups = c.groups;
  known.inputsPerGroup = c.ic / c.groups;
  known.outputsPerGroup = c.oc / c.groups;
  known.window = c.window;
  if (!c.dynamic) {
    known.batch = c.batch;
    known.pixels = c.oh() * c.ow();
  }
  chosen = c.tiling ? *c.tiling : chooseConvTiling(target, f32, known);

  std::vector<int64_t> statics =
      c.dynamic ? std::vector<int64_t>(5, -1) : sizes();
  auto init = [c](KernelArgs &args) -> InitFn {
    Value pixels = args.kb.mul(args.sizes[3], args.sizes[4]);
    if (c.residual)
      return [args, pixels, c](KernelBuilder &kb, const TilePoint &at) {
        Value row = kb.add(kb.mul(at.batch, c.oc), at.row);
        Value offset = kb.add(kb.mul(row, pixels), at.col);
        return kb.loadVector(kb.at(args.pointers[2], offset), at.mask);
      };
    if (c.bias)
      return [args](KernelBuilder &kb, const TilePoint &at) {
        return kb.splat(kb.load(kb.at(args.pointers[3], at.row)));
      };
    return {};
  };
  EpilogueFn epilogue;
  if (c.relu)
    epilogue = [](KernelBuilder &kb, Value x, const TilePoint &) {
      return relu(kb, x);
    };

  auto spec = [c, init, epilogue, tiling = chosen](KernelArgs &args) {
    ConvSpec s;
    s.batch = args.sizes[0];
    s.groups = c.groups;
    s.inputsPerGroup = c.ic / c.groups;
    s.outputsPerGroup = c.oc / c.groups;
    s.inputH = args.sizes[1];
    s.inputW = args.sizes[2];
    s.outputH = args.sizes[3];
    s.outputW = args.sizes[4];
    s.window = c.window;
    s.x = args.pointers[0];
    s.weights = args.pointers[1];
    s.y = args.pointers[2];
    s.init = init(args);
    s.epilogue = epilogue;
    s.loopEpilogue = c.loopEpilogue;
    s.tiling = tiling;
    return s;
  };
  auto depthwiseSpec = [c, init, epilogue, target](KernelArgs &args) {
    DepthwiseSpec s;
    s.batch = args.sizes[0];
    s.channels = args.kb.index(c.ic);
    s.inputH = args.sizes[1];
    s.inputW = args.sizes[2];
    s.outputH = args.sizes[3];
    s.outputW = args.sizes[4];
    s.window = c.window;
    s.x = args.pointers[0];
    s.weights = args.pointers[1];
    s.y = args.pointers[2];
    s.init = init(args);
    s.epilogue = epilogue;
    chooseDepthwiseTiling(target, s, args.kb.element());
    return s;
  };

  kernel = std::make_unique<Jit>(target, 4, statics, [=](KernelArgs &args) {
    if (depthwise)
      emitDepthwise(args.kb, depthwiseSpec(args), args.begin, args.end);
    else
      emitConv2d(args.kb, spec(args), args.begin, args.end);
  });
  counter = std::make_unique<Jit>(target, 1, statics, [=](KernelArgs &args) {
    args.pointers.resize(4, args.pointers[0]);
    storeCount(args, depthwise
                         ? emitDepthwiseTileCount(args.kb, depthwiseSpec(args))
                         : emitConvTileCount(args.kb, spec(args)));
  });
  if (!depthwise)
    packer = std::make_unique<Jit>(target, 2, statics, [=](KernelArgs &args) {
      Value from = args.pointers[0], to = args.pointers[1];
      args.pointers.resize(4, from);
      emitPackConvWeights(args.kb, spec(args), from, to, args.begin, args.end);
    });
}

void ConvKernel::pack(const float *weights, float *to) {
  void *pointers[] = {const_cast<float *>(weights), to};
  std::vector<int64_t> s = sizes();
  packer->function()(pointers, s.data(), 0, shape.groups);
}

void ConvKernel::run(const float *x, const float *weights, float *y,
                     const float *bias) {
  std::vector<int64_t> s = sizes();
  int64_t count = -1;
  void *countPointer[] = {&count};
  counter->function()(countPointer, s.data(), 0, 0);
  void *pointers[] = {const_cast<float *>(x), const_cast<float *>(weights), y,
                      const_cast<float *>(bias)};
  kernel->function()(pointers, s.data(), 0, count);
}
