// SPDX-License-Identifier: Apache-2.0
// Sums of products, windows and sampling.
#ifndef CUVIL_IR_CONTRACTION_TD
#define CUVIL_IR_CONTRACTION_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_DotOp : Cuvil_PureOp<"dot", [Contracting], ["getFlops"]> {
  let summary = "Generalised matrix product";
  let description = [{
    y has the batch dims (in the order of lhs_batch), then lhs's free dims,
    then rhs's, each in their own order. f16 and bf16 accumulate in f32,
    integers wrap. MatMul of [B,M,K] x [B,K,N] is lhs_batch = rhs_batch = [0],
    lhs_contract = [2], rhs_contract = [1].

    Constraints: (c1) equal numeric element types; (c2) batch and contract axes
    distinct, within the rank and as many on both sides; (c3) paired dims not
    provably different.

    Example:
    ```mlir
    %y = cuvil.dot %a, %b {lhs_batch = array<i64>, rhs_batch = array<i64>, lhs_contract = array<i64: 1>, rhs_contract = array<i64: 0>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Cuvil_NumTensor:$lhs, Cuvil_NumTensor:$rhs,
                       DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch,
                       DenseI64ArrayAttr:$lhs_contract, DenseI64ArrayAttr:$rhs_contract);
  let results = (outs Cuvil_NumTensor:$y);
}

def Cuvil_ConvOp : Cuvil_PureOp<"conv", [Contracting], ["getFlops"]> {
  let summary = "Convolution (cross-correlation) with channels second";
  let description = [{
    x [N, C, spatial...], w [OC, C/groups, kernel...], bias [OC] or absent;
    y [N, OC, out...] with, per spatial axis,
    out = floordiv(d + low + high - dilation*(k-1) - 1, stride) + 1 where
    d = (in-1)*input_dilation + 1. A transposed convolution is a conv with
    input_dilations = its strides and a flipped kernel. f16 and bf16 accumulate
    in f32.

    Constraints: (c1) equal element types; (c2) 1 to 3 spatial axes, ranks
    agree; (c3) one stride, dilation, input dilation (all positive) and pad
    pair per spatial axis; (c4) groups divides C and OC, C = groups * w.dim[1];
    (c5) bias is [OC]; (c6) no provably negative output dim.

    Example:
    ```mlir
    %y = cuvil.conv %x, %w {strides = array<i64: 1, 1>, low = #cuvil.dims<[1, 1]>, high = #cuvil.dims<[1, 1]>, dilations = array<i64: 1, 1>, input_dilations = array<i64: 1, 1>, groups = 1 : i64} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
    ```
  }];
  let arguments = (ins Cuvil_NumTensor:$x, Cuvil_NumTensor:$w,
                       Optional<Cuvil_NumTensor>:$bias,
                       DenseI64ArrayAttr:$strides, Cuvil_DimsAttr:$low,
                       Cuvil_DimsAttr:$high, DenseI64ArrayAttr:$dilations,
                       DenseI64ArrayAttr:$input_dilations, I64Attr:$groups);
  let results = (outs Cuvil_NumTensor:$y);
}

def Cuvil_PoolOp : Cuvil_KindOp<"pool"> {
  let summary = "Window reduction over the spatial axes";
  let description = [{
    x [N, C, spatial...]; `out` gives the spatial output dims (the builder
    computes them, including the ceil rule). A window element outside the
    padded input never counts; one in the padding counts for avg as 0 and in
    the divisor only with count_include_pad (as far as it lies inside the
    padded extent low + in + high). max ignores padding. lp: (sum |x|^p)^(1/p).

    Constraints: (c1) 1 to 3 spatial axes; (c2) one kernel, stride, dilation
    (all positive), low, high and out entry per spatial axis; (c3) p given
    exactly for lp; (c4) avg and lp need a float type.

    Example:
    ```mlir
    %y = cuvil.pool max %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xf32>
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["max", "avg", "lp"]>:$kind, Cuvil_NumTensor:$x,
                       DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       Cuvil_DimsAttr:$low, Cuvil_DimsAttr:$high,
                       DenseI64ArrayAttr:$dilations, Cuvil_DimsAttr:$out,
                       DefaultValuedAttr<BoolAttr, "false">:$count_include_pad,
                       OptionalAttr<I64Attr>:$p);
  let results = (outs Cuvil_NumTensor:$y);
}

def Cuvil_ArgPoolOp : Cuvil_PureOp<"arg_pool"> {
  let summary = "Row-major position of each max-pool window's maximum (i64)";
  let description = [{
    The position is counted over the whole of x (N and C included); with
    column_major the spatial part counts in column-major order. First of equal
    elements in row-major window order. Same attributes as `pool max`.

    Constraints: (c1), (c2) as for pool.

    Example:
    ```mlir
    %i = cuvil.arg_pool %x {kernel = array<i64: 2>, strides = array<i64: 2>, low = #cuvil.dims<[0]>, high = #cuvil.dims<[0]>, dilations = array<i64: 1>, out = #cuvil.dims<[2]>} : (tensor<1x1x4xf32>) -> tensor<1x1x2xi64>
    ```
  }];
  let arguments = (ins Cuvil_NumTensor:$x,
                       DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       Cuvil_DimsAttr:$low, Cuvil_DimsAttr:$high,
                       DenseI64ArrayAttr:$dilations, Cuvil_DimsAttr:$out,
                       DefaultValuedAttr<BoolAttr, "false">:$column_major);
  let results = (outs Cuvil_IndexTensor:$y);
}

def Cuvil_ResizeOp : Cuvil_KindOp<"resize"> {
  let summary = "Resampling to another size, axis by axis";
  let description = [{
    `shape` is the full result shape. `scales` gives per axis the exact factor
    used by the coordinate rule (0.0 = result dim / operand dim).
    `coordinate`: half_pixel, pytorch_half_pixel, align_corners, asymmetric,
    half_pixel_symmetric, as ONNX Resize defines them. nearest rounds by
    `rounding`; linear and cubic (coefficient `cubic_a`) clamp at the border,
    or with exclude_outside renormalise. antialias widens the filter when
    shrinking. Axes of equal size and scale 1 are copied.

    Constraints: (c1) shape and scales have one entry per axis; (c2) float or
    (nearest only) any numeric type.

    Example:
    ```mlir
    %y = cuvil.resize nearest %x {shape = #cuvil.dims<[1, 1, 4]>, scales = array<f64: 1.0, 1.0, 2.0>, coordinate = "asymmetric", rounding = "floor"} : (tensor<1x1x2xf32>) -> tensor<1x1x4xf32>
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["nearest", "linear", "cubic"]>:$kind,
    Cuvil_NumTensor:$x, Cuvil_DimsAttr:$shape, DenseF64ArrayAttr:$scales,
    DefaultValuedAttr<Cuvil_Keyword<["half_pixel", "pytorch_half_pixel",
      "align_corners", "asymmetric", "half_pixel_symmetric"]>,
      "\"half_pixel\"">:$coordinate,
    DefaultValuedAttr<Cuvil_Keyword<["round_prefer_floor", "round_prefer_ceil",
      "floor", "ceil"]>, "\"round_prefer_floor\"">:$rounding,
    DefaultValuedAttr<F64Attr, "-0.75">:$cubic_a,
    DefaultValuedAttr<BoolAttr, "false">:$exclude_outside,
    DefaultValuedAttr<BoolAttr, "false">:$antialias);
  let results = (outs Cuvil_NumTensor:$y);
}

#endif // CUVIL_IR_CONTRACTION_TD
