// SPDX-License-Identifier: Apache-2.0
// Between sizes and values.
#ifndef CUVIL_IR_SHAPE_TD
#define CUVIL_IR_SHAPE_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_ShapePackOp : Cuvil_PureOp<"shape_pack", [], ["inferValue"]> {
  let summary = "Dimension expressions as an i64 tensor";
  let description = [{
    Rank 1 with one element per expression, or rank 0 with `scalar`.

    Constraints: (c1) scalar needs exactly one expression.

    Example:
    ```mlir
    %s = cuvil.shape_pack {dims = #cuvil.dims<[@n, 3]>} : () -> tensor<2xi64>
    ```
  }];
  let arguments = (ins Cuvil_DimsAttr:$dims, DefaultValuedAttr<BoolAttr, "false">:$scalar);
  let results = (outs RankedTensorOf<[I64]>:$y);
}

def Cuvil_SymBindOp : Cuvil_Op<"sym_bind", [MemoryEffects<[MemWrite]>]> {
  let summary = "Binds symbols to the elements of a small integer tensor";
  let description = [{
    From here on (in program order, nested regions included) `@symbols[i]` is
    element i of x.

    Constraints: (c1) x has rank 0 or 1 and as many elements as symbols.

    Example:
    ```mlir
    cuvil.sym_bind %x {symbols = ["n", "m"]} : (tensor<2xi64>) -> ()
    ```
  }];
  let arguments = (ins Cuvil_IndexTensor:$x, StrArrayAttr:$symbols);
  let results = (outs);
}

def Cuvil_AssertOp : Cuvil_Op<"assert", [MemoryEffects<[MemWrite]>]> {
  let summary = "Run-time check of relations between dimension expressions";
  let description = [{
    Requires lhs[i] `relation` rhs[i] for each i, else the run ends with
    `message`.

    Constraints: (c1) as many left as right sides.

    Example:
    ```mlir
    cuvil.assert eq {lhs = #cuvil.dims<[@n]>, rhs = #cuvil.dims<[@m]>, message = "sizes differ"} : () -> ()
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["eq", "le", "lt", "bcast"]>:$relation,
                       Cuvil_DimsAttr:$lhs, Cuvil_DimsAttr:$rhs, StrAttr:$message);
  let results = (outs);
  let assemblyFormat =
    "custom<Keyword>($relation) operands attr-dict `:` functional-type(operands, results)";
}

def Cuvil_RefineOp : Cuvil_PureOp<"refine", [Renaming], ["inferValue"]> {
  let summary = "The same tensor under other, equal dimension expressions";
  let description = [{
    The only op that retypes. Equality is checked by an `assert` that the
    builder puts before it, unless it is proven.

    Constraints: (c1) as many dims as the rank, none provably different.

    Example:
    ```mlir
    %y = cuvil.refine %x {shape = #cuvil.dims<[4]>} : (tensor<?xf32, #cuvil.dims<[@n]>>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, Cuvil_DimsAttr:$shape);
  let results = (outs Cuvil_Tensor:$y);
}

#endif // CUVIL_IR_SHAPE_TD
