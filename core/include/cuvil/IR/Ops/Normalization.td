// SPDX-License-Identifier: Apache-2.0
// Softmax and the normalisation family.
#ifndef CUVIL_IR_NORMALIZATION_TD
#define CUVIL_IR_NORMALIZATION_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_SoftmaxOp : Cuvil_PureOp<"softmax", [Reducing]> {
  let summary = "exp(x - max) / sum over one axis, or its logarithm";
  let description = [{
    Constraints: (c1) float type, axis within the rank (rank >= 1).

    Example:
    ```mlir
    %y = cuvil.softmax %x {axis = 1 : i64} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Cuvil_FloatTensor:$x, I64Attr:$axis,
                       DefaultValuedAttr<BoolAttr, "false">:$log);
  let results = (outs Cuvil_FloatTensor:$y);
}

def Cuvil_NormalizeOp : Cuvil_KindOp<"normalize", [AttrSizedOperandSegments, Reducing]> {
  let summary = "(x - mean) / sqrt(var + eps) * scale + bias";
  let description = [{
    Variance is the population variance; f16 and bf16 compute in f32.
      batch:    channel axis 1; scale, bias, mean, var all given, each [C].
      layer:    statistics over the axes >= `axis`; scale and bias have the
                dims x.dims[axis:] or are absent.
      rms:      as layer without mean subtraction and bias: x / sqrt(mean(x^2)
                + eps) * scale.
      instance: statistics over the axes >= 2; scale, bias [C].
      group:    statistics over each of `groups` equal parts of axis 1 together
                with the axes >= 2; scale, bias [C] or absent.

    Constraints: (c1) operands fit the kind as listed; (c2) equal element
    types; (c3) axis within the rank; (c4) groups divides C, given exactly for
    group; (c5) eps is finite and >= 0.

    Example:
    ```mlir
    %y = cuvil.normalize batch %x, %s, %b, %m, %v {eps = 1.0e-5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1>} : (tensor<1x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4xf32>
    ```
  }];
  let arguments = (ins
    Cuvil_Keyword<["batch", "layer", "rms", "instance", "group"]>:$kind,
    Cuvil_FloatTensor:$x, Optional<Cuvil_FloatTensor>:$scale,
    Optional<Cuvil_FloatTensor>:$bias, Optional<Cuvil_FloatTensor>:$mean,
    Optional<Cuvil_FloatTensor>:$var, F64Attr:$eps,
    OptionalAttr<I64Attr>:$axis, OptionalAttr<I64Attr>:$groups);
  let results = (outs Cuvil_FloatTensor:$y);
}

#endif // CUVIL_IR_NORMALIZATION_TD
