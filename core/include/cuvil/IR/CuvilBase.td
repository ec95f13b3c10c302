// SPDX-License-Identifier: Apache-2.0
// The dialect, its attributes and the base classes of its ops.
#ifndef CUVIL_IR_BASE_TD
#define CUVIL_IR_BASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "cuvil/IR/CuvilInterfaces.td"

def Cuvil_Dialect : Dialect {
  let name = "cuvil";
  let cppNamespace = "::cuvil";
  let summary = "Tensor programs for inference, one meaning per op";
  let description = [{
    Broadcast and type conversion are explicit, ranks are static, values are
    immutable. Every dimension of every tensor is an integer expression over
    named symbols: a tensor with a dynamic dimension carries the encoding
    `#cuvil.dims<[...]>`, a fully static one carries none.
  }];
  let usePropertiesForAttributes = 1;
  let hasConstantMaterializer = 1;
  let extraClassDeclaration = [{
    /// The weights of this compilation (one context per compilation).
    ::cuvil::WeightStore &getWeights() { return *weights; }

    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser,
                                     ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr,
                        ::mlir::DialectAsmPrinter &printer) const override;

  private:
    std::shared_ptr<::cuvil::WeightStore> weights;
  }];
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

// bool is i1, signed integers are signless iN, unsigned ones uiN.
def Cuvil_Element : AnyTypeOf<[I1, I8, I16, I32, I64, UI8, UI16, UI32, UI64,
                               F16, BF16, F32, F64]>;
def Cuvil_Float : AnyTypeOf<[F16, BF16, F32, F64]>;
def Cuvil_Int : AnyTypeOf<[I8, I16, I32, I64, UI8, UI16, UI32, UI64]>;

def Cuvil_Tensor : RankedTensorOf<[Cuvil_Element]>;
def Cuvil_FloatTensor : RankedTensorOf<[Cuvil_Float]>;
def Cuvil_NumTensor : RankedTensorOf<[Cuvil_Int, Cuvil_Float]>;
def Cuvil_BoolTensor : RankedTensorOf<[I1]>;
def Cuvil_IndexTensor : RankedTensorOf<[I32, I64]>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Cuvil_DimsAttr : Attr<CPred<"::llvm::isa<::cuvil::DimsAttr>($_self)">,
                          "list of dimension expressions"> {
  let storageType = [{ ::cuvil::DimsAttr }];
  let returnType = [{ ::llvm::ArrayRef<::cuvil::DimExpr> }];
  let convertFromStorage = "$_self.getDims()";
  let constBuilderCall = "::cuvil::DimsAttr::get($_builder.getContext(), $0)";
}

// A word out of a fixed list, printed bare by `custom<Keyword>`.
class Cuvil_Keyword<list<string> words>
    : Attr<CPred<"::llvm::isa<::mlir::StringAttr>($_self) && "
                 "::llvm::is_contained(std::initializer_list<::llvm::StringRef>{\""
                 # !interleave(words, "\", \"") # "\"}, "
                 "::llvm::cast<::mlir::StringAttr>($_self).getValue())">,
           "one of " # !interleave(words, ", ")> {
  let storageType = [{ ::mlir::StringAttr }];
  let returnType = [{ ::llvm::StringRef }];
  let convertFromStorage = "$_self.getValue()";
  let constBuilderCall = "$_builder.getStringAttr($0)";
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

// How an op touches its elements (Traits.h).
class Cuvil_Trait<string name> : NativeOpTrait<name> { let cppNamespace = "::cuvil"; }
def Pointwise : Cuvil_Trait<"Pointwise">;
def Renaming : Cuvil_Trait<"Renaming">;
def Spreading : Cuvil_Trait<"Spreading">;
def Reducing : Cuvil_Trait<"Reducing">;
def Contracting : Cuvil_Trait<"Contracting">;

// An op that computes tensors from tensors. `inferTypes` holds its numbered
// constraints and its symbolic shape function (lib/IR/Ops/<Family>.cpp),
// `eval` its reference kernel (lib/Eval/<Family>.cpp); its lowering is one
// pattern of lib/Conversion/<Family>.cpp. One constraint holds for every op,
// with the tag `size`: a result has no negative or overflowing dim, and a
// static one less than 2^63 bytes at eight per element.
class Cuvil_Op<string mnemonic, list<Trait> traits = [],
               list<string> methods = []>
    : Op<Cuvil_Dialect, mnemonic,
         traits # [DeclareOpInterfaceMethods<CuvilOpInterface, methods>]> {
  // operands, then attributes, then types; families with a leading keyword
  // override this.
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

class Cuvil_PureOp<string mnemonic, list<Trait> traits = [],
                   list<string> methods = []>
    : Cuvil_Op<mnemonic, [Pure] # traits, methods>;

// A pure op whose first word is its kind: `cuvil.unary relu %x : ...`.
class Cuvil_KindOp<string mnemonic, list<Trait> traits = [],
                   list<string> methods = []>
    : Cuvil_PureOp<mnemonic, traits, methods> {
  let assemblyFormat =
    "custom<Keyword>($kind) operands attr-dict `:` functional-type(operands, results)";
}

#endif // CUVIL_IR_BASE_TD
