// SPDX-License-Identifier: Apache-2.0
// Affine quantisation.
#ifndef CUVIL_IR_QUANT_TD
#define CUVIL_IR_QUANT_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_QuantizeOp : Cuvil_PureOp<"quantize"> {
  let summary = "saturate(round_even(x / scale) + zero_point)";
  let description = [{
    scale and zero_point are of rank 0 (per tensor) or rank 1 (per `axis`).
    The result has zero_point's element type.

    Constraints: (c1) x and scale of one float type; (c2) zero_point is i8, u8,
    i16 or u16 and has scale's dims; (c3) rank 0, or rank 1 with an axis whose dim is not
    provably different.

    Example:
    ```mlir
    %q = cuvil.quantize %x, %s, %z : (tensor<4xf32>, tensor<f32>, tensor<ui8>) -> tensor<4xui8>
    ```
  }];
  let arguments = (ins Cuvil_FloatTensor:$x, Cuvil_FloatTensor:$scale,
                       Cuvil_NumTensor:$zero_point, OptionalAttr<I64Attr>:$axis);
  let results = (outs Cuvil_NumTensor:$y);
}

def Cuvil_DequantizeOp : Cuvil_PureOp<"dequantize"> {
  let summary = "(x - zero_point) * scale";
  let description = [{
    Constraints: (c1) x and zero_point of one integer type; (c2), (c3) as for
    quantize.

    Example:
    ```mlir
    %y = cuvil.dequantize %q, %s, %z : (tensor<4xui8>, tensor<f32>, tensor<ui8>) -> tensor<4xf32>
    ```
  }];
  let arguments = (ins Cuvil_NumTensor:$x, Cuvil_FloatTensor:$scale,
                       Cuvil_NumTensor:$zero_point, OptionalAttr<I64Attr>:$axis);
  let results = (outs Cuvil_FloatTensor:$y);
}

#endif // CUVIL_IR_QUANT_TD
