// SPDX-License-Identifier: Apache-2.0
// Reads and writes at computed positions. An index may be negative and then
// counts from the end; one outside [-n, n) is a run-time error.
#ifndef CUVIL_IR_INDEXING_TD
#define CUVIL_IR_INDEXING_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_GatherOp : Cuvil_PureOp<"gather", [], ["inferValue"]> {
  let summary = "Whole slices along one axis, chosen by index";
  let description = [{
    y = x.dims[:axis] + indices.dims[batch_dims:] + x.dims[axis+1:]; the first
    batch_dims dims of x and indices run together.

    Constraints: (c1) axis within the rank (rank >= 1); (c2) 0 <= batch_dims <=
    min(axis, rank of indices); (c3) batch dims not provably different.

    Example:
    ```mlir
    %y = cuvil.gather %x, %i {axis = 0 : i64} : (tensor<5x2xf32>, tensor<3xi64>) -> tensor<3x2xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_IndexTensor:$indices, I64Attr:$axis,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_GatherNDOp : Cuvil_PureOp<"gather_nd"> {
  let summary = "Slices chosen by index tuples";
  let description = [{
    indices.dims[-1] = k (static) addresses the k axes of x after batch_dims.
    y = indices.dims[:-1] + x.dims[batch_dims+k:].

    Constraints: (c1) indices of rank >= 1 with static last dim k, batch_dims <
    rank of indices, batch_dims + k <= rank of x; (c2) batch dims not provably
    different.

    Example:
    ```mlir
    %y = cuvil.gather_nd %x, %i : (tensor<2x2xf32>, tensor<3x2xi64>) -> tensor<3xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_IndexTensor:$indices,
                       DefaultValuedAttr<I64Attr, "0">:$batch_dims);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_GatherElementsOp : Cuvil_PureOp<"gather_elements"> {
  let summary = "y[i0..] = x[i0.., indices[i0..] at axis, ..]";
  let description = [{
    Constraints: (c1) equal ranks >= 1, axis within the rank; (c2) off the axis
    no index dim provably larger than x's.

    Example:
    ```mlir
    %y = cuvil.gather_elements %x, %i {axis = 1 : i64} : (tensor<2x3xf32>, tensor<2x2xi64>) -> tensor<2x2xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_IndexTensor:$indices, I64Attr:$axis);
  let results = (outs Cuvil_Tensor:$y);
}

class Cuvil_ScatterBase<string mnemonic> : Cuvil_PureOp<mnemonic> {
  let results = (outs Cuvil_Tensor:$y);
  let assemblyFormat =
    "custom<Keyword>($reduction) operands attr-dict `:` functional-type(operands, results)";
}

def Cuvil_ScatterNDOp : Cuvil_ScatterBase<"scatter_nd"> {
  let summary = "A copy of x with slices at index tuples replaced or combined";
  let description = [{
    Updates apply in row-major order of `indices`; with reduction none the last
    one wins.

    Constraints: (c1) indices of rank >= 1 with static last dim k <= rank of x;
    (c2) updates have x's element type and dims indices.dims[:-1] + x.dims[k:].

    Example:
    ```mlir
    %y = cuvil.scatter_nd add %x, %i, %u : (tensor<4xf32>, tensor<2x1xi64>, tensor<2xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["none", "add", "mul", "min", "max"]>:$reduction,
                       Cuvil_Tensor:$x, Cuvil_IndexTensor:$indices, Cuvil_Tensor:$updates);
}

def Cuvil_ScatterElementsOp : Cuvil_ScatterBase<"scatter_elements"> {
  let summary = "A copy of x with single elements replaced or combined along an axis";
  let description = [{
    Constraints: (c1) equal ranks >= 1 of all operands, axis within the rank;
    (c2) updates have x's element type and the dims of indices.

    Example:
    ```mlir
    %y = cuvil.scatter_elements none %x, %i, %u {axis = 0 : i64} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["none", "add", "mul", "min", "max"]>:$reduction,
                       Cuvil_Tensor:$x, Cuvil_IndexTensor:$indices,
                       Cuvil_Tensor:$updates, I64Attr:$axis);
}

def Cuvil_NonZeroOp : Cuvil_PureOp<"nonzero"> {
  let summary = "Row-major positions of the non-zero elements";
  let description = [{
    y has dims [rank, count]; `count` is a symbol bound before from the number
    of non-zero elements (the builder does both).

    Constraints: (c1) x of rank >= 1; (c2) count is one expression.

    Example:
    ```mlir
    %y = cuvil.nonzero %x {count = #cuvil.dims<[@n]>} : (tensor<4xf32>) -> tensor<1x?xi64, #cuvil.dims<[1, @n]>>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_DimsAttr:$count);
  let results = (outs Cuvil_Tensor:$y);
}

#endif // CUVIL_IR_INDEXING_TD
