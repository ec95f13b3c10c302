// SPDX-License-Identifier: Apache-2.0
// Constants and movement of elements; nothing here computes on them.
#ifndef CUVIL_IR_LAYOUT_TD
#define CUVIL_IR_LAYOUT_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_ConstantOp : Cuvil_PureOp<"constant", [ConstantLike], ["inferValue"]> {
  let summary = "A constant tensor";
  let description = [{
    `value` is a dense attribute (up to 1 KiB) or `#cuvil.weight<id>`, whose
    bytes live in the weight store outside the IR.

    Constraints: (c1) the value is one of these; its type is the result type.

    Example:
    ```mlir
    %c = cuvil.constant {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    ```
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs Cuvil_Tensor:$y);
  let hasFolder = 1;
}

def Cuvil_FillOp : Cuvil_PureOp<"fill", [Spreading], ["inferValue"]> {
  let summary = "A tensor of one repeated scalar";
  let description = [{
    Constraints: (c1) the operand has rank 0; (c2) no provably negative dim.

    Example:
    ```mlir
    %y = cuvil.fill %c {shape = #cuvil.dims<[2, 3]>} : (tensor<f32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_DimsAttr:$shape);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_IotaOp : Cuvil_PureOp<"iota", [Spreading], ["inferValue"]> {
  let summary = "The index along one axis";
  let description = [{
    y[.., i, ..] = i at `axis`, converted to `to`.

    Constraints: (c1) axis within the rank (rank >= 1); (c2) `to` is numeric.

    Example:
    ```mlir
    %y = cuvil.iota {shape = #cuvil.dims<[4]>, axis = 0 : i64, to = i64} : () -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Cuvil_DimsAttr:$shape, I64Attr:$axis, TypeAttr:$to);
  let results = (outs Cuvil_NumTensor:$y);
}

def Cuvil_ReshapeOp : Cuvil_PureOp<"reshape", [Renaming], ["inferValue"]> {
  let summary = "The same elements in row-major order under other dims";
  let description = [{
    Constraints: (c1) the element counts are not provably different (what can't
    be proven is checked at run time).

    Example:
    ```mlir
    %y = cuvil.reshape %x {shape = #cuvil.dims<[6]>} : (tensor<2x3xf32>) -> tensor<6xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_DimsAttr:$shape);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_TransposeOp : Cuvil_PureOp<"transpose", [], ["inferValue"]> {
  let summary = "Permutation of the axes: y.dim[i] = x.dim[perm[i]]";
  let description = [{
    Constraints: (c1) perm is a permutation of the axes.

    Example:
    ```mlir
    %y = cuvil.transpose %x {perm = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, DenseI64ArrayAttr:$perm);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_BroadcastOp : Cuvil_PureOp<"broadcast", [Spreading], ["inferValue"]> {
  let summary = "Repetition along axes";
  let description = [{
    Operand axis i becomes result axis mapping[i] (strictly increasing); an
    operand dim of size 1 is repeated, any other must equal the result's (what
    can't be proven is checked at run time).

    Constraints: (c1) mapping has one strictly increasing entry per operand
    axis, within the result rank; (c2) no operand dim that is provably neither
    1 nor the result's.

    Example:
    ```mlir
    %y = cuvil.broadcast %x {shape = #cuvil.dims<[2, 3]>, mapping = array<i64: 1>} : (tensor<3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_DimsAttr:$shape,
                       DenseI64ArrayAttr:$mapping);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_SliceOp : Cuvil_PureOp<"slice", [], ["inferValue"]> {
  let summary = "Strided part: y[i] = x[starts + i * steps]";
  let description = [{
    `starts` and `sizes` (of the result) are expressions already clamped by
    the importer; `steps` are non-zero and may be negative. Every touched
    index must lie inside x (checked at run time where not provable).

    Constraints: (c1) one start, size and step per axis; (c2) steps non-zero;
    (c3) no provably out-of-range access.

    Example:
    ```mlir
    %y = cuvil.slice %x {starts = #cuvil.dims<[1]>, sizes = #cuvil.dims<[2]>, steps = array<i64: 2>} : (tensor<5xf32>) -> tensor<2xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_DimsAttr:$starts,
                       Cuvil_DimsAttr:$sizes, DenseI64ArrayAttr:$steps);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_InsertSliceOp : Cuvil_PureOp<"insert_slice"> {
  let summary = "A copy of x whose strided part is replaced by `part`";
  let description = [{
    Constraints: (c1) equal ranks and element types, one start and step per
    axis; (c2) steps positive; (c3) no provably out-of-range access.

    Example:
    ```mlir
    %y = cuvil.insert_slice %x, %p {starts = #cuvil.dims<[1]>, steps = array<i64: 1>} : (tensor<5xf32>, tensor<2xf32>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_Tensor:$part,
                       Cuvil_DimsAttr:$starts, DenseI64ArrayAttr:$steps);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_ConcatOp : Cuvil_PureOp<"concat", [], ["inferValue"]> {
  let summary = "Operands one after the other along an axis";
  let description = [{
    Constraints: (c1) at least one operand, axis within the rank (rank >= 1);
    (c2) equal element types and ranks; (c3) no provably different dims off
    the axis.

    Example:
    ```mlir
    %y = cuvil.concat %a, %b {axis = 0 : i64} : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
    ```
  }];
  let arguments = (ins Variadic<Cuvil_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_PadOp : Cuvil_PureOp<"pad"> {
  let summary = "Elements added (or, with negative counts, removed) at the borders";
  let description = [{
    `value` is a rank-0 tensor, required for mode constant and absent for the
    others. reflect does not repeat the border element, edge repeats it, wrap
    continues from the other side.

    Constraints: (c1) one low and one high entry per axis; (c2) value of rank
    0 and x's element type, given exactly for mode constant.

    Example:
    ```mlir
    %y = cuvil.pad constant %x, %v {low = #cuvil.dims<[1]>, high = #cuvil.dims<[2]>} : (tensor<3xf32>, tensor<f32>) -> tensor<6xf32>
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["constant", "reflect", "edge", "wrap"]>:$mode,
                       Cuvil_Tensor:$x, Optional<Cuvil_Tensor>:$value,
                       Cuvil_DimsAttr:$low, Cuvil_DimsAttr:$high);
  let results = (outs Cuvil_Tensor:$y);
  let assemblyFormat =
    "custom<Keyword>($mode) operands attr-dict `:` functional-type(operands, results)";
}

def Cuvil_ReverseOp : Cuvil_PureOp<"reverse"> {
  let summary = "Elements in opposite order along axes";
  let description = [{
    Constraints: (c1) axes distinct and within the rank.

    Example:
    ```mlir
    %y = cuvil.reverse %x {axes = array<i64: 0>} : (tensor<3xf32>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, DenseI64ArrayAttr:$axes);
  let results = (outs Cuvil_Tensor:$y);
}

#endif // CUVIL_IR_LAYOUT_TD
