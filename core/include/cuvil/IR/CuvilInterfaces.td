// SPDX-License-Identifier: Apache-2.0
// The interface through which every pass, backend and test sees an op.
#ifndef CUVIL_IR_INTERFACES_TD
#define CUVIL_IR_INTERFACES_TD

include "mlir/IR/OpBase.td"

def CuvilOpInterface : OpInterface<"CuvilOpInterface"> {
  let cppNamespace = "::cuvil";
  let description = [{
    The parts of an op that generic code needs; nothing switches over op names.
  }];
  let methods = [
    StaticInterfaceMethod<[{
        How many operand positions the op has when several are optional (their
        segment sizes are stored), else 0.
      }],
      "unsigned", "getNumOperandGroups", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/[{
        if constexpr (ConcreteOp::template hasTrait<
                          ::mlir::OpTrait::AttrSizedOperandSegments>())
          return std::tuple_size_v<
              decltype(ConcreteOp::Properties::operandSegmentSizes)>;
        else
          return 0;
      }]>,
    InterfaceMethod<[{
        Checks the op's constraints and infers its result types from operands
        and attributes. Emits an error at the op, ending in its constraint tag,
        e.g. `(concat_c2)`, and fails when one is violated. Must not look at
        the current result types.
      }],
      "::llvm::LogicalResult", "inferTypes",
      (ins "::cuvil::DimContext &":$dims,
           "::llvm::SmallVectorImpl<::mlir::Type> &":$types)>,
    InterfaceMethod<[{
        The reference kernel: clear loops, f64 accumulation. `outputs` come
        allocated with their concrete dims. Fails with a message on a run-time
        error (index out of range, integer division by zero).
      }],
      "::llvm::LogicalResult", "eval",
      (ins "::cuvil::EvalContext &":$context,
           "::llvm::ArrayRef<const ::cuvil::EvalTensor *>":$inputs,
           "::llvm::ArrayRef<::cuvil::EvalTensor *>":$outputs)>,
    InterfaceMethod<[{
        The elements of the (only) result, a small integer tensor of rank 0 or
        1, as dimension expressions; fails when they are not expressible.
      }],
      "::llvm::LogicalResult", "inferValue",
      (ins "::cuvil::DimContext &":$dims,
           "::llvm::SmallVectorImpl<::cuvil::DimExpr> &":$elements),
      /*methodBody=*/"", /*defaultImplementation=*/"return ::mlir::failure();">,
    InterfaceMethod<[{
        Arithmetic operations of one evaluation, for cost models and reports: by
        default one per element of the first result.
      }],
      "::cuvil::DimExpr", "getFlops", (ins), /*methodBody=*/"",
      /*defaultImplementation=*/[{
        return ::cuvil::product($_op->getContext(),
            $_op->getNumResults() ? ::cuvil::getDims($_op->getResult(0))
                                  : ::llvm::SmallVector<::cuvil::DimExpr>());
      }]>
  ];
  let verify = "return ::cuvil::detail::verifyCuvilOp($_op);";
}

#endif // CUVIL_IR_INTERFACES_TD
