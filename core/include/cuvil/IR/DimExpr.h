// SPDX-License-Identifier: Apache-2.0
// Dimension expressions: integers over named symbols, in canonical form.
#ifndef CUVIL_IR_DIMEXPR_H
#define CUVIL_IR_DIMEXPR_H

#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace mlir {
class AsmParser;
} // namespace mlir

namespace cuvil {

namespace detail {
struct DimExprStorage;
struct DimsAttrStorage;
struct WeightAttrStorage;
} // namespace detail

/// Operators of a dimension expression; the numbers are the ABI's CUVIL_DIM_*.
enum class DimKind : uint8_t {
  Constant = 0,
  Symbol = 1,
  Add = 2,
  Mul = 3,
  FloorDiv = 4,
  CeilDiv = 5,
  Mod = 6,
  Min = 7,
  Max = 8,
  Bcast = 9,
  Select = 10,
};

/// An integer expression over named symbols, uniqued in its context. Sums of
/// products are expanded, ordered and merged, so equal polynomials are the
/// same object; pointer equality means provable equality.
class DimExpr : public mlir::Attribute::AttrBase<DimExpr, mlir::Attribute,
                                                 detail::DimExprStorage> {
public:
  using Base::Base;
  static constexpr mlir::StringLiteral name = "cuvil.dim";

  static DimExpr constant(mlir::MLIRContext *context, int64_t value);
  static DimExpr symbol(mlir::MLIRContext *context, llvm::StringRef name);
  /// `kind` applied to a and b, simplified. Division and modulo by a constant
  /// zero are left as they stand (they fail when evaluated).
  static DimExpr get(DimKind kind, DimExpr a, DimExpr b);
  /// condition > 0 ? a : b.
  static DimExpr select(DimExpr condition, DimExpr a, DimExpr b);

  DimKind getKind() const;
  /// The operands of an operator; empty for constants and symbols.
  llvm::ArrayRef<DimExpr> getOperands() const;
  /// The name of a symbol, without '@'.
  llvm::StringRef getSymbol() const;
  std::optional<int64_t> getConstant() const;
  bool isConstant(int64_t value) const { return getConstant() == value; }

  DimExpr operator+(DimExpr other) const;
  DimExpr operator-(DimExpr other) const;
  DimExpr operator*(DimExpr other) const;
  DimExpr operator+(int64_t other) const;
  DimExpr operator-(int64_t other) const;
  DimExpr operator*(int64_t other) const;
  DimExpr floorDiv(DimExpr other) const;
  DimExpr ceilDiv(DimExpr other) const;
  DimExpr mod(DimExpr other) const;
  DimExpr min(DimExpr other) const;
  DimExpr max(DimExpr other) const;
  /// The size of a broadcast of two sizes: this == 1 ? other : this.
  DimExpr bcast(DimExpr other) const;

  /// The value under an assignment of the symbols; nullopt when a symbol is
  /// missing, on overflow or on division by zero.
  std::optional<int64_t>
  evaluate(llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> symbols) const;
  /// The expression with symbols replaced (an empty DimExpr keeps one).
  DimExpr substitute(llvm::function_ref<DimExpr(llvm::StringRef)> replace) const;
  void walkSymbols(llvm::function_ref<void(llvm::StringRef)> visit) const;

  /// Bounds that hold for every assignment of non-negative symbol values.
  std::optional<int64_t> getLowerBound() const;
  std::optional<int64_t> getUpperBound() const;

  /// Appends the postfix form of plugin.h (CUVIL_DIM_*); `symbol` numbers the
  /// symbols.
  void getPostfix(llvm::function_ref<int64_t(llvm::StringRef)> symbol,
                  llvm::SmallVectorImpl<int64_t> &code) const;

  void print(llvm::raw_ostream &os) const;
  std::string str() const;
};

/// Three-valued facts: what is not provable is nullopt.
std::optional<bool> provablyEqual(DimExpr a, DimExpr b);
std::optional<bool> provablyLessEqual(DimExpr a, DimExpr b);

/// The product of dims (1 for none).
DimExpr product(mlir::MLIRContext *context, llvm::ArrayRef<DimExpr> dims);

/// `#cuvil.dims<[...]>`: a list of dimension expressions.
class DimsAttr : public mlir::Attribute::AttrBase<DimsAttr, mlir::Attribute,
                                                  detail::DimsAttrStorage> {
public:
  using Base::Base;
  static constexpr mlir::StringLiteral name = "cuvil.dims";
  static DimsAttr get(mlir::MLIRContext *context, llvm::ArrayRef<DimExpr> dims);
  llvm::ArrayRef<DimExpr> getDims() const;
  static mlir::Attribute parse(mlir::AsmParser &parser);
  void print(mlir::AsmPrinter &printer) const;
};

/// `#cuvil.weight<id>`: bytes in the weight store of the compilation.
class WeightAttr
    : public mlir::Attribute::AttrBase<WeightAttr, mlir::Attribute, detail::WeightAttrStorage,
                                       mlir::TypedAttr::Trait> {
public:
  using Base::Base;
  static constexpr mlir::StringLiteral name = "cuvil.weight";
  static WeightAttr get(int64_t id, mlir::RankedTensorType type);
  int64_t getId() const;
  mlir::Type getType() const;
  static mlir::Attribute parse(mlir::AsmParser &parser, mlir::Type type);
  void print(mlir::AsmPrinter &printer) const;
};

/// A tensor type of these dims: static without an encoding, else with one.
mlir::RankedTensorType getTensorType(llvm::ArrayRef<DimExpr> dims, mlir::Type element);
/// The dims of a tensor type, as expressions.
llvm::SmallVector<DimExpr> getDims(mlir::RankedTensorType type);
llvm::SmallVector<DimExpr> getDims(mlir::Value tensor);

/// A relation between dims that could not be decided while compiling.
struct DimCheck {
  enum Relation { Equal, LessEqual, Bcast } relation;
  DimExpr lhs, rhs;
};

/// What an op's shape function may ask and make.
class DimContext {
public:
  explicit DimContext(mlir::MLIRContext *context) : context(context) {}
  mlir::MLIRContext *getContext() const { return context; }
  DimExpr constant(int64_t value) const { return DimExpr::constant(context, value); }

  /// Requirements of the op at hand: false when provably violated. What cannot
  /// be decided is recorded and checked at run time before the op runs.
  bool requireEqual(DimExpr a, DimExpr b);
  bool requireLessEqual(DimExpr a, DimExpr b);
  /// a == 1 or a == b.
  bool requireBcast(DimExpr a, DimExpr b);
  llvm::ArrayRef<DimCheck> getChecks() const { return checks; }

  /// A small integer tensor's elements (rank 0 or 1) as expressions; memoised.
  llvm::FailureOr<llvm::SmallVector<DimExpr>> getValue(mlir::Value tensor);

private:
  mlir::MLIRContext *context;
  llvm::SmallVector<DimCheck> checks;
  llvm::DenseMap<mlir::Value, std::optional<llvm::SmallVector<DimExpr>>> values;
};

/// Parses one expression: integers, @symbols, + - * ( ), and the functions
/// floordiv, ceildiv, mod, min, max, bcast(a, b) and select(c, a, b).
mlir::FailureOr<DimExpr> parseDimExpr(mlir::AsmParser &parser);

} // namespace cuvil

#endif // CUVIL_IR_DIMEXPR_H
