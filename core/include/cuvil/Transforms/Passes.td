// SPDX-License-Identifier: Apache-2.0
// The passes of the device-independent pipeline.
#ifndef CUVIL_TRANSFORMS_PASSES_TD
#define CUVIL_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CuvilFoldConstants : Pass<"cuvil-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "Evaluate pure ops on small constants with the reference kernels";
  let description = [{
    An op whose operands are constants becomes a constant when its result
    takes at most `max-bytes`. Larger ones stay: they run once, at load.
  }];
  let options = [Option<"maxBytes", "max-bytes", "int64_t", /*default=*/"1024",
                        "Largest result, in bytes">];
  let dependentDialects = ["::cuvil::CuvilDialect"];
}

def CuvilPruneSymbols : Pass<"cuvil-prune-symbols", "::mlir::func::FuncOp"> {
  let summary = "Drop bindings of symbols that nothing mentions";
  let dependentDialects = ["::cuvil::CuvilDialect"];
}

def CuvilDecomposeBatchNorm : Pass<"cuvil-decompose-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "Turn batch normalisation into one multiply and one add";
  let description = [{
    Runs after the fusion rules, for what they left. The factor and the offset
    per channel depend on constants alone, so they are computed once, and the
    rest is pointwise and joins the tail of the op before it.
  }];
  let dependentDialects = ["::cuvil::CuvilDialect"];
}

def CuvilGroup : Pass<"cuvil-group", "::mlir::func::FuncOp"> {
  let summary = "Put every op into a fusion region";
  let description = [{
    The default grouping: a region is grown backwards from its last op. It
    takes pointwise producers of the same dims that nobody else uses, repeats
    spreading ops (broadcasts, fills) and scalar constants inside, and holds at
    most one contraction or one reduction. With `fusion=false` each region
    holds one op. Regions that exist already are kept.
  }];
  let options = [Option<"fusion", "fusion", "bool", /*default=*/"true",
                        "Group neighbours; false = one op per region">];
  let dependentDialects = ["::cuvil::CuvilDialect"];
}

#endif // CUVIL_TRANSFORMS_PASSES_TD
