// SPDX-License-Identifier: Apache-2.0
// Recurrent layers.
#ifndef CUVIL_IR_RECURRENT_TD
#define CUVIL_IR_RECURRENT_TD
include "cuvil/IR/CuvilBase.td"

def Cuvil_RnnOp : Cuvil_KindOp<"rnn", [AttrSizedOperandSegments], ["getFlops"]> {
  let summary = "LSTM, GRU or simple recurrent layer over a sequence";
  let description = [{
    x [S, B, I]; w [D, G*H, I]; r [D, G*H, H]; b [D, 2*G*H] or absent (zero);
    lengths [B] i32 or absent; h0, c0 [D, B, H] or absent (zero); peephole
    [D, 3*H] (lstm) or absent. G = 4 in order i, o, f, c for lstm; 3 in order
    z, r, h for gru; 1 for simple. D = 2 for bidirectional. Results y
    [S, D, B, H], h [D, B, H], c [D, B, H] (zeros unless lstm). Equations and
    activation names (lower case) as ONNX defines them; `activations` lists
    them per direction, `alphas`/`betas` their parameters. Steps past a
    sequence's length give zero in y and keep the state.

    Constraints: (c1) ranks and dims fit as listed; (c2) equal float element
    types; (c3) activations has (lstm 3, gru 2, simple 1) * D known names and
    alphas, betas as many entries; (c4) clip > 0 or 0 = none; (c5) kind-specific
    options given only for their kind.

    Example:
    ```mlir
    %y, %h, %c = cuvil.rnn lstm %x, %w, %r, %b {direction = "forward", activations = ["sigmoid", "tanh", "tanh"], alphas = array<f64: 0.0, 0.0, 0.0>, betas = array<f64: 0.0, 0.0, 0.0>, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 0>} : (tensor<5x1x2xf32>, tensor<1x12x2xf32>, tensor<1x12x3xf32>, tensor<1x24xf32>) -> (tensor<5x1x1x3xf32>, tensor<1x1x3xf32>, tensor<1x1x3xf32>)
    ```
  }];
  let arguments = (ins Cuvil_Keyword<["lstm", "gru", "simple"]>:$kind,
    Cuvil_FloatTensor:$x, Cuvil_FloatTensor:$w, Cuvil_FloatTensor:$r,
    Optional<Cuvil_FloatTensor>:$b, Optional<Cuvil_IndexTensor>:$lengths,
    Optional<Cuvil_FloatTensor>:$h0, Optional<Cuvil_FloatTensor>:$c0,
    Optional<Cuvil_FloatTensor>:$peephole,
    Cuvil_Keyword<["forward", "reverse", "bidirectional"]>:$direction,
    StrArrayAttr:$activations, DenseF64ArrayAttr:$alphas, DenseF64ArrayAttr:$betas,
    DefaultValuedAttr<F64Attr, "0.0">:$clip,
    DefaultValuedAttr<BoolAttr, "false">:$input_forget,
    DefaultValuedAttr<BoolAttr, "false">:$linear_before_reset);
  let results = (outs Cuvil_FloatTensor:$y, Cuvil_FloatTensor:$h, Cuvil_FloatTensor:$c);
}

#endif // CUVIL_IR_RECURRENT_TD
