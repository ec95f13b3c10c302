// SPDX-License-Identifier: Apache-2.0
// Folding, scanning and ordering along axes.
#ifndef CUVIL_IR_REDUCTION_TD
#define CUVIL_IR_REDUCTION_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_ReduceOp : Cuvil_KindOp<"reduce", [Reducing], ["inferValue"]> {
  let summary = "Reduction over axes";
  let description = [{
    Over an empty set: sum 0, prod 1, max lowest (-inf), min highest (+inf),
    and true, or false, mean NaN. max and min propagate NaN. Integers wrap;
    the integer mean truncates the quotient of the wrapped sum. f16 and bf16
    accumulate in f32.

    Constraints: (c1) axes distinct and within the rank; (c2) and, or, xor need
    bool or integers, the others a numeric type.

    Example:
    ```mlir
    %y = cuvil.reduce sum %x {axes = array<i64: 1>, keepdims = true} : (tensor<2x3xf32>) -> tensor<2x1xf32>
    ```
  }];
  let arguments = (ins
    Cuvil_Keyword<["sum", "mean", "prod", "max", "min", "and", "or", "xor"]>:$kind,
    Cuvil_Tensor:$x, DenseI64ArrayAttr:$axes,
    DefaultValuedAttr<BoolAttr, "false">:$keepdims);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_ArgReduceOp : Cuvil_KindOp<"arg_reduce"> {
  let summary = "Position of the extreme element along an axis (i64)";
  let description = [{
    The first of equal elements, the last with `last`. NaN counts as extreme.
    An empty axis is a run-time error.

    Constraints: (c1) axis within the rank (rank >= 1); (c2) numeric type.

    Example:
    ```mlir
    %y = cuvil.arg_reduce max %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["max", "min"]>:$kind, Cuvil_NumTensor:$x,
                       I64Attr:$axis, DefaultValuedAttr<BoolAttr, "false">:$keepdims,
                       DefaultValuedAttr<BoolAttr, "false">:$last);
  let results = (outs Cuvil_IndexTensor:$y);
}

def Cuvil_CumulateOp : Cuvil_KindOp<"cumulate"> {
  let summary = "Running sum or product along an axis";
  let description = [{
    Constraints: (c1) axis within the rank (rank >= 1); (c2) numeric type.

    Example:
    ```mlir
    %y = cuvil.cumulate sum %x {axis = 0 : i64, exclusive = true} : (tensor<3xf32>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["sum", "prod"]>:$kind, Cuvil_NumTensor:$x,
                       I64Attr:$axis, DefaultValuedAttr<BoolAttr, "false">:$exclusive,
                       DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Cuvil_NumTensor:$y);
}

def Cuvil_TopKOp : Cuvil_PureOp<"topk"> {
  let summary = "The k extreme elements along an axis, in order, with positions (i64)";
  let description = [{
    Equal elements keep their order (lower index first). With k equal to the
    dim it is a stable sort. NaN counts as largest. k larger than the dim is a
    run-time error.

    Constraints: (c1) axis within the rank (rank >= 1); (c2) k is one
    expression, not provably larger than the dim; (c3) numeric type.

    Example:
    ```mlir
    %v, %i = cuvil.topk %x {k = #cuvil.dims<[2]>, axis = 0 : i64, largest = true} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xi64>)
    ```
  }];
  let arguments = (ins Cuvil_NumTensor:$x, Cuvil_DimsAttr:$k, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "true">:$largest);
  let results = (outs Cuvil_NumTensor:$values, Cuvil_IndexTensor:$indices);
}

#endif // CUVIL_IR_REDUCTION_TD
