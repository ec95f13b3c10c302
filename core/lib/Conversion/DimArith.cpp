// SPDX-License-Identifier: Apache-2.0
// Expansion of dimension expressions into index arithmetic.
#include "cuvil/Conversion/DimArith.h"
#include "Support.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace cuvil {

using arith::CmpIPredicate;
using lowering::Builder;
using lowering::constantIndex;

namespace {

class Expander {
public:
  Expander(Builder &b, function_ref<Value(StringRef)> symbol)
      : b(b), symbol(symbol) {}

  Value expand(DimExpr expr) {
    if (std::optional<int64_t> value = expr.getConstant())
      return constantIndex(b, *value);
    if (expr.getKind() == DimKind::Symbol)
      return symbol(expr.getSymbol());
    SmallVector<Value> operands;
    for (DimExpr operand : expr.getOperands()) {
      operands.push_back(expand(operand));
      if (!operands.back())
        return {};
    }
    if (expr.getKind() == DimKind::Select) {
      Value positive = compare(CmpIPredicate::sgt, operands[0], 0);
      return b.createOrFold<arith::SelectOp>(positive, operands[1],
                                             operands[2]);
    }
    Value result = operands[0];
    for (auto [operand, value] :
         llvm::drop_begin(llvm::zip(expr.getOperands(), operands)))
      result = combine(expr.getKind(), result, value, operand);
    return result;
  }

private:
  Value compare(CmpIPredicate predicate, Value value, int64_t constant) {
    return b.createOrFold<arith::CmpIOp>(predicate, value,
                                         constantIndex(b, constant));
  }

  /// `rhs` unless it is zero.
  Value guard(Value rhs, DimExpr expr) {
    if (expr.getConstant().value_or(0) != 0)
      return rhs;
    return b.createOrFold<arith::SelectOp>(compare(CmpIPredicate::eq, rhs, 0),
                                           constantIndex(b, 1), rhs);
  }

  Value combine(DimKind kind, Value lhs, Value rhs, DimExpr rhsExpr) {
    switch (kind) {
    case DimKind::Add:
      return b.createOrFold<arith::AddIOp>(lhs, rhs);
    case DimKind::Mul:
      return b.createOrFold<arith::MulIOp>(lhs, rhs);
    case DimKind::FloorDiv:
      return floorDiv(lhs, guard(rhs, rhsExpr));
    case DimKind::CeilDiv: {
      // -floordiv(-a, b)
      Value zero = constantIndex(b, 0);
      Value negated = b.createOrFold<arith::SubIOp>(zero, lhs);
      Value quotient = floorDiv(negated, guard(rhs, rhsExpr));
      return b.createOrFold<arith::SubIOp>(zero, quotient);
    }
    case DimKind::Mod: {
      Value divisor = guard(rhs, rhsExpr);
      Value whole =
          b.createOrFold<arith::MulIOp>(floorDiv(lhs, divisor), divisor);
      return b.createOrFold<arith::SubIOp>(lhs, whole);
    }
    case DimKind::Min:
      return b.createOrFold<arith::MinSIOp>(lhs, rhs);
    case DimKind::Max:
      return b.createOrFold<arith::MaxSIOp>(lhs, rhs);
    case DimKind::Bcast:
      return b.createOrFold<arith::SelectOp>(compare(CmpIPredicate::eq, lhs, 1),
                                             rhs, lhs);
    case DimKind::Constant:
    case DimKind::Symbol:
    case DimKind::Select:
      break;
    }
    llvm_unreachable("not a binary dimension operator");
  }

  Value floorDiv(Value lhs, Value rhs) {
    Value quotient = b.createOrFold<arith::DivSIOp>(lhs, rhs);
    Value rest = b.createOrFold<arith::RemSIOp>(lhs, rhs);
    Value differ = compare(CmpIPredicate::slt,
                           b.createOrFold<arith::XOrIOp>(rest, rhs), 0);
    Value inexact = compare(CmpIPredicate::ne, rest, 0);
    Value fix = b.createOrFold<arith::AndIOp>(differ, inexact);
    Value below = b.createOrFold<arith::SubIOp>(quotient, constantIndex(b, 1));
    return b.createOrFold<arith::SelectOp>(fix, below, quotient);
  }

  Builder &b;
  function_ref<Value(StringRef)> symbol;
};

} // namespace

Value expandDimExpr(OpBuilder &builder, Location loc, DimExpr expr,
                    function_ref<Value(StringRef)> symbol) {
  Builder b(loc, builder);
  return Expander(b, symbol).expand(expr);
}

} // namespace cuvil
