// SPDX-License-Identifier: Apache-2.0
// All op classes, family by family.
#ifndef CUVIL_IR_CUVILOPS_H
#define CUVIL_IR_CUVILOPS_H

#include "cuvil/IR/CuvilDialect.h"
#include "cuvil/IR/Traits.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cuvil {
/// The directive `custom<Keyword>`: a string attribute as a bare word.
mlir::ParseResult parseKeyword(mlir::OpAsmParser &parser,
                               mlir::StringAttr &keyword);
void printKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *op,
                  mlir::StringAttr keyword);
} // namespace cuvil

#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Elementwise.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Layout.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Indexing.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Reduction.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Contraction.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Normalization.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Recurrent.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Quant.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Shape.h.inc"
#define GET_OP_CLASSES
#include "cuvil/IR/Ops/Control.h.inc"

#endif // CUVIL_IR_CUVILOPS_H
