// SPDX-License-Identifier: Apache-2.0
// Control flow and regions.
#ifndef CUVIL_IR_CONTROL_TD
#define CUVIL_IR_CONTROL_TD
include "cuvil/IR/CuvilBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Cuvil_YieldOp : Op<Cuvil_Dialect, "yield", [Pure, ReturnLike, Terminator]> {
  let summary = "Ends a region with its values";
  let arguments = (ins Variadic<Cuvil_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
  let builders = [OpBuilder<(ins), [{}]>];
}

def Cuvil_ConditionOp : Op<Cuvil_Dialect, "condition", [Pure, Terminator]> {
  let summary = "Ends a while's condition region: goes on while the bool is true";
  let arguments = (ins Cuvil_BoolTensor:$condition, Variadic<Cuvil_Tensor>:$values);
  let assemblyFormat = "$condition (`,` $values^)? `:` type($condition) (`,` type($values)^)? attr-dict";
}

def Cuvil_IfOp : Op<Cuvil_Dialect, "if", [RecursiveMemoryEffects, NoRegionArguments,
                                          SingleBlock]> {
  let summary = "Runs one of two regions";
  let description = [{
    Both regions yield values of the results' ranks and element types; a
    result dim that differs between them is a symbol of its own, bound on exit.

    Constraints: (c1) the condition has one element; (c2) both regions end in
    cuvil.yield with as many values as results, equal in rank and element type.

    Example:
    ```mlir
    %r = cuvil.if %c : (tensor<i1>) -> tensor<2xf32> {
      cuvil.yield %a : tensor<2xf32>
    } else {
      cuvil.yield %b : tensor<2xf32>
    }
    ```
  }];
  let arguments = (ins Cuvil_BoolTensor:$condition);
  let results = (outs Variadic<Cuvil_Tensor>:$values);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let assemblyFormat = [{
    $condition attr-dict `:` functional-type(operands, results)
    $then_region `else` $else_region
  }];
  let hasVerifier = 1;
}

def Cuvil_WhileOp : Op<Cuvil_Dialect, "while", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "Repeats a region while a condition holds";
  let description = [{
    The condition region takes the carried values and ends in cuvil.condition
    with a bool and the values that go to the body, or out of the loop. The
    body ends in cuvil.yield with the next carried values. Carried values keep
    rank and element type; where a dim changes between iterations the region
    argument's dim is a symbol of its own, bound on entry, and the result's one
    bound on exit.

    Constraints: (c1) region arguments match the operands in number, rank and
    element type; (c2) terminators match likewise.

    Example:
    ```mlir
    %r = cuvil.while %i : (tensor<i64>) -> tensor<i64> {
    ^bb0(%a: tensor<i64>):
      %go = cuvil.compare lt %a, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      cuvil.condition %go, %a : tensor<i1>, tensor<i64>
    } do {
    ^bb0(%a: tensor<i64>):
      %b = cuvil.binary add %a, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
      cuvil.yield %b : tensor<i64>
    }
    ```
  }];
  let arguments = (ins Variadic<Cuvil_Tensor>:$carried);
  let results = (outs Variadic<Cuvil_Tensor>:$values);
  let regions = (region SizedRegion<1>:$condition_region, SizedRegion<1>:$body_region);
  let assemblyFormat = [{
    ($carried^)? attr-dict `:` functional-type(operands, results)
    $condition_region `do` $body_region
  }];
  let hasVerifier = 1;
}

def Cuvil_FusionOp : Op<Cuvil_Dialect, "fusion", [RecursiveMemoryEffects, SingleBlock,
                                                  IsolatedFromAbove]> {
  let summary = "A named region that a backend compiles as one kernel";
  let description = [{
    Region arguments stand for the operands one to one. `device` is set by the
    partition.

    Constraints: (c1) region arguments have the operands' types; (c2) the
    region ends in cuvil.yield with the results' types; (c3) no control flow or
    nested fusion inside.

    Example:
    ```mlir
    %r = cuvil.fusion "Relu" (%x) : (tensor<4xf32>) -> tensor<4xf32> {
    ^bb0(%a: tensor<4xf32>):
      %y = cuvil.unary relu %a : (tensor<4xf32>) -> tensor<4xf32>
      cuvil.yield %y : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<Cuvil_Tensor>:$inputs, StrAttr:$label,
                       OptionalAttr<StrAttr>:$device);
  let results = (outs Variadic<Cuvil_Tensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $label `(` $inputs `)` attr-dict `:` functional-type(operands, results) $body
  }];
  let hasVerifier = 1;
}

def Cuvil_InvokeOp : Op<Cuvil_Dialect, "invoke", [
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "Runs a partition (a function of this module) on its device";
  let description = [{
    Made by the partition stage. Binding symbols inside the callee is visible
    to the caller.

    Constraints: (c1) operand and result counts, ranks and element types match
    the callee's.

    Example:
    ```mlir
    %y = cuvil.invoke @part0 on "cpu" (%x) : (tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, StrAttr:$device,
                       Variadic<Cuvil_Tensor>:$inputs);
  let results = (outs Variadic<Cuvil_Tensor>:$outputs);
  let assemblyFormat = [{
    $callee `on` $device `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}

#endif // CUVIL_IR_CONTROL_TD
