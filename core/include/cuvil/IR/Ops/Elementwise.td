// SPDX-License-Identifier: Apache-2.0
// One scalar function applied to each element.
#ifndef CUVIL_IR_ELEMENTWISE_TD
#define CUVIL_IR_ELEMENTWISE_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_UnaryOp : Cuvil_KindOp<"unary", [Pointwise], ["inferValue"]> {
  let summary = "Scalar function of one argument, elementwise";
  let description = [{
    The result has the operand's type, except `is_nan` and `is_inf` (bool).
    Integers: only neg, abs, sign, not (bitwise; logical on bool), popcount,
    relu; neg and abs wrap. Parameters `alpha`, `beta`:
    leaky_relu alpha*x for x<0; elu alpha*(exp(x)-1) for x<0; celu
    max(0,x)+min(0,alpha*(exp(x/alpha)-1)); selu beta*(x or alpha*(exp(x)-1));
    hard_sigmoid max(0,min(1,alpha*x+beta)); hard_swish x*hard_sigmoid(x;1/6,0.5);
    softplus log(1+exp(x)); softsign x/(1+|x|); silu x*sigmoid(x);
    mish x*tanh(softplus(x)); gelu x*0.5*(1+erf(x/sqrt 2)); gelu_tanh its tanh
    approximation; round_even ties to even; sign(0)=0, sign(nan)=nan;
    relu max(0,x) with relu(nan)=nan.

    Constraints: (c1) the kind accepts the element type; (c2) alpha/beta are
    given exactly for the kinds that have them.

    Example:
    ```mlir
    %y = cuvil.unary relu %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %z = cuvil.unary leaky_relu %x {alpha = 1.0e-2 : f64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins
    Cuvil_Keyword<["neg", "abs", "sign", "ceil", "floor", "round_even", "trunc",
      "sqrt", "rsqrt", "reciprocal", "exp", "expm1", "log", "log1p", "sin",
      "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
      "acosh", "atanh", "erf", "lgamma", "sigmoid", "gelu", "gelu_tanh", "relu",
      "leaky_relu", "elu", "celu", "selu", "silu", "mish", "hard_swish",
      "hard_sigmoid", "softplus", "softsign", "not", "is_nan", "is_inf",
      "popcount"]>:$kind,
    Cuvil_Tensor:$x,
    OptionalAttr<F64Attr>:$alpha, OptionalAttr<F64Attr>:$beta);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_BinaryOp : Cuvil_KindOp<"binary", [Pointwise], ["inferValue"]> {
  let summary = "Scalar function of two arguments, elementwise";
  let description = [{
    Both operands and the result have one type; broadcast explicitly first.
    Integer arithmetic wraps. div truncates on integers, floordiv rounds down,
    mod takes the divisor's sign, rem the dividend's; integer division by zero
    is a run-time error. min and max propagate NaN. pow: integer exponents of
    integers wrap, negative ones give 0 except for bases 1 and -1. Shifts by at least
    the width give 0 (sign fill for shr_s). and, or, xor are bitwise, logical
    on bool.

    Constraints: (c1) equal element types; (c2) equal ranks and no provably
    different dims; (c3) the kind accepts the element type.

    Example:
    ```mlir
    %z = cuvil.binary add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins
    Cuvil_Keyword<["add", "sub", "mul", "div", "floordiv", "mod", "rem", "pow",
      "atan2", "min", "max", "and", "or", "xor", "shl", "shr_s", "shr_u",
      "nextafter", "copysign"]>:$kind,
    Cuvil_Tensor:$lhs, Cuvil_Tensor:$rhs);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_CompareOp : Cuvil_KindOp<"compare", [Pointwise], ["inferValue"]> {
  let summary = "Elementwise comparison to bool";
  let description = [{
    IEEE comparison on floats: every comparison with NaN is false except `ne`.

    Constraints: (c1) equal element types; (c2) equal ranks and no provably
    different dims; (c3) bool operands allow only eq and ne.

    Example:
    ```mlir
    %m = cuvil.compare lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
    ```
  }];
  let arguments = (ins
    Cuvil_Keyword<["eq", "ne", "lt", "le", "gt", "ge"]>:$kind,
    Cuvil_Tensor:$lhs, Cuvil_Tensor:$rhs);
  let results = (outs Cuvil_BoolTensor:$y);
}

def Cuvil_SelectOp : Cuvil_PureOp<"select", [Pointwise], ["inferValue"]> {
  let summary = "Elementwise choice";
  let description = [{
    Constraints: (c1) equal element types of the choices; (c2) equal ranks and
    no provably different dims of all three operands.

    Example:
    ```mlir
    %r = cuvil.select %m, %x, %y : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Cuvil_BoolTensor:$condition, Cuvil_Tensor:$on_true,
                       Cuvil_Tensor:$on_false);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_ClampOp : Cuvil_PureOp<"clamp", [Pointwise]> {
  let summary = "min(max(x, low), high) with scalar bounds";
  let description = [{
    Bounds are rank-0 tensors of x's element type; low > high gives high. NaN
    in x stays NaN.

    Constraints: (c1) bounds are of rank 0 and x's element type; (c2) x is
    numeric.

    Example:
    ```mlir
    %y = cuvil.clamp %x, %lo, %hi : (tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Cuvil_NumTensor:$x, Cuvil_NumTensor:$low, Cuvil_NumTensor:$high);
  let results = (outs Cuvil_NumTensor:$y);
}

def Cuvil_ConvertOp : Cuvil_PureOp<"convert", [Pointwise], ["inferValue"]> {
  let summary = "Element type conversion";
  let description = [{
    `round`: "trunc" (float to integer toward zero, C semantics) or "even".
    `saturate`: out-of-range values clamp to the integer's range and NaN gives
    0; without it integer-to-integer wraps and float-to-integer out of range
    gives the value modulo 2^bits of the truncation to i64 (see
    docs/semantics.md). To bool: x != 0. Float narrowing rounds to nearest even.

    Constraints: (c1) `to` is an element type.

    Example:
    ```mlir
    %y = cuvil.convert %x {to = i64} : (tensor<4xf32>) -> tensor<4xi64>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, TypeAttr:$to,
    DefaultValuedAttr<Cuvil_Keyword<["trunc", "even"]>, "\"trunc\"">:$round,
    DefaultValuedAttr<BoolAttr, "false">:$saturate);
  let results = (outs Cuvil_Tensor:$y);
}

def Cuvil_BitcastOp : Cuvil_PureOp<"bitcast", [Pointwise]> {
  let summary = "Reinterpretation of the bits as another type of equal width";
  let description = [{
    Constraints: (c1) equal bit widths, neither bool.

    Example:
    ```mlir
    %y = cuvil.bitcast %x {to = i32} : (tensor<4xf32>) -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Cuvil_Tensor:$x, TypeAttr:$to);
  let results = (outs Cuvil_Tensor:$y);
}

#endif // CUVIL_IR_ELEMENTWISE_TD
