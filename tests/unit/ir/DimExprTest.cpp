// SPDX-License-Identifier: Apache-2.0
// Dimension expressions: canonical forms, limits and text.
#include "cuvil/IR/CuvilDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace cuvil;

namespace {

class DimExprTest : public testing::Test {
protected:
  DimExprTest() { context.loadDialect<CuvilDialect>(); }

  DimExpr c(int64_t value) { return DimExpr::constant(&context, value); }
  DimExpr s(llvm::StringRef name) { return DimExpr::symbol(&context, name); }
  DimExpr parse(const std::string &text) {
    return llvm::dyn_cast_or_null<DimExpr>(
        mlir::parseAttribute("#cuvil.dim<" + text + ">", &context));
  }
  std::optional<int64_t> evaluate(DimExpr expr, int64_t n) {
    return expr.evaluate([&](llvm::StringRef) { return std::optional(n); });
  }

  mlir::MLIRContext context;
};

constexpr int64_t kMax = INT64_MAX, kMin = INT64_MIN;

TEST_F(DimExprTest, EqualPolynomialsAreOneObject) {
  DimExpr n = s("n"), m = s("m");
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_EQ((n + 1) * 2, n * 2 + 2);
  EXPECT_EQ(n - n, c(0));
  EXPECT_EQ(n * 0, c(0));
  EXPECT_EQ(m + n + m, n + m * 2);
}

TEST_F(DimExprTest, DivisionPullsOutMultiples) {
  DimExpr n = s("n"), m = s("m");
  EXPECT_EQ((n * 2).floorDiv(c(2)), n);
  EXPECT_EQ((n * m * 6).floorDiv(n * 3), m * 2);
  EXPECT_EQ((n * 2 + 5).floorDiv(c(2)), n + 2);
  EXPECT_EQ((n * 2 + 5).mod(c(2)), c(1));
  EXPECT_EQ((n * 2 - 5).mod(c(2)), c(1));
  EXPECT_EQ(n.floorDiv(c(2)).floorDiv(c(3)), n.floorDiv(c(6)));
  EXPECT_EQ(n.mod(c(1)), c(0));
  EXPECT_EQ(n.mod(c(4)).floorDiv(c(4)), c(0));
}

TEST_F(DimExprTest, SignsOfDivision) {
  EXPECT_EQ(c(-7).floorDiv(c(2)), c(-4));
  EXPECT_EQ(c(-7).mod(c(2)), c(1));
  EXPECT_EQ(c(7).floorDiv(c(-2)), c(-4));
  EXPECT_EQ(c(7).mod(c(-2)), c(-1));
  EXPECT_EQ(c(-7).ceilDiv(c(2)), c(-3));
  EXPECT_EQ(c(7).ceilDiv(c(-2)), c(-3));
  EXPECT_EQ(c(7).ceilDiv(c(2)), c(4));
}

TEST_F(DimExprTest, LatticeForms) {
  DimExpr n = s("n"), m = s("m");
  EXPECT_EQ(n.min(m).min(n), m.min(n));
  EXPECT_EQ(n.max(c(0)), n);
  EXPECT_EQ(n.min(n + 1), n);
  EXPECT_EQ(n.bcast(c(1)), n);
  EXPECT_EQ(c(1).bcast(n), n);
  EXPECT_EQ(DimExpr::select(c(1), n, m), n);
  EXPECT_EQ(DimExpr::select(c(0), n, m), m);
  EXPECT_EQ(DimExpr::select(n + 1, n, m), n);
  EXPECT_EQ(DimExpr::select(s("k"), n, n), n);
}

TEST_F(DimExprTest, OverflowHasNoValue) {
  for (DimExpr expr : {c(kMax) + 1, c(kMin) - 1, c(kMax) * 2, c(kMin) * -1,
                       c(kMin).floorDiv(c(-1)), c(1).floorDiv(c(0)),
                       c(1).mod(c(0)), c(kMax) * 2 - c(kMax) * 2 + c(kMax) * 2,
                       c(10) - c(kMax) * 2, (c(kMax) * 2).floorDiv(c(3)),
                       (c(kMax) + 1).mod(c(3)), (c(kMax) + 1) * 2}) {
    EXPECT_FALSE(expr.getConstant()) << expr.str();
    EXPECT_FALSE(evaluate(expr, 1)) << expr.str();
  }
  DimExpr n = s("n");
  EXPECT_FALSE(evaluate(n * kMax + n * kMax, 1));
  EXPECT_FALSE(evaluate(n * n * n, 1 << 30));
  EXPECT_FALSE(evaluate(c(7).mod(n), 0));
}

TEST_F(DimExprTest, ExtremesDoNotTrap) {
  DimExpr n = s("n");
  for (int64_t a : {kMin, kMin + 1, int64_t(-1), int64_t(0), kMax})
    for (int64_t b : {kMin, int64_t(-1), int64_t(0), int64_t(1), kMax})
      for (DimKind kind :
           {DimKind::Add, DimKind::Mul, DimKind::FloorDiv, DimKind::CeilDiv,
            DimKind::Mod, DimKind::Min, DimKind::Max, DimKind::Bcast}) {
        DimExpr sum = DimExpr::get(kind, n * a + b, c(b));
        sum = DimExpr::get(kind, c(a), sum);
        (void)sum.getLowerBound();
        (void)sum.getUpperBound();
        (void)provablyEqual(sum, n);
        (void)evaluate(sum, 3);
      }
}

TEST_F(DimExprTest, MissingSymbolHasNoValue) {
  auto none = [](llvm::StringRef) { return std::optional<int64_t>(); };
  EXPECT_FALSE((s("n") + 1).evaluate(none));
  EXPECT_EQ(c(3).evaluate(none), 3);
}

TEST_F(DimExprTest, ProductOfNothingIsOne) {
  EXPECT_EQ(product(&context, {}), c(1));
  EXPECT_EQ(product(&context, {s("n"), c(2), s("n")}), s("n") * s("n") * 2);
}

TEST_F(DimExprTest, Facts) {
  DimExpr n = s("n"), m = s("m");
  EXPECT_EQ(provablyEqual(n, n), true);
  EXPECT_EQ(provablyEqual(n, n + 1), false);
  EXPECT_EQ(provablyEqual(n, m), std::nullopt);
  EXPECT_EQ(provablyLessEqual(n, n + m), true);
  EXPECT_EQ(provablyLessEqual(n + 1, n), false);
  EXPECT_EQ(provablyLessEqual(n, m), std::nullopt);
  EXPECT_EQ(provablyLessEqual(c(0), n.mod(c(3))), true);
}

TEST_F(DimExprTest, Substitution) {
  DimExpr n = s("n"), m = s("m");
  auto replace = [&](llvm::StringRef name) {
    return name == "n" ? m * 2 : DimExpr();
  };
  EXPECT_EQ((n.floorDiv(c(2)) + m).substitute(replace), m * 2);
  EXPECT_EQ(DimExpr::select(n - m * 2, n, m).substitute(replace), m);
}

TEST_F(DimExprTest, Text) {
  EXPECT_EQ((s("n") * 2 + 1).str(), "2 * @n + 1");
  EXPECT_EQ(s("a b\"").str(), "@\"a b\\22\"");
  for (const char *text :
       {"-9223372036854775808", "select(@n + -3, 1, max(@m, 4))", "-5",
        "@n * @m", "floordiv(@n, @m)", "bcast(@n, @m)", "@\"x y\""}) {
    DimExpr expr = parse(text);
    ASSERT_TRUE(expr) << text;
    EXPECT_EQ(parse(expr.str()), expr) << text;
  }
}

TEST_F(DimExprTest, BadTextIsRefused) {
  context.getDiagEngine().registerHandler([](mlir::Diagnostic &) {});
  std::string deep = std::string(1000, '(') + "1" + std::string(1000, ')');
  std::string nested;
  for (int i = 0; i < 5000; ++i)
    nested += "mod(";
  for (const std::string &text :
       {std::string(""), std::string("@"), std::string("n"), std::string("1 +"),
        std::string("foo(1, 2)"), std::string("mod(1)"),
        std::string("select(1, 2)"), std::string("99999999999999999999"), deep,
        nested})
    EXPECT_FALSE(parse(text)) << text.substr(0, 40);
}

} // namespace
