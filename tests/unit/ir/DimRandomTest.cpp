// SPDX-License-Identifier: Apache-2.0
// Random dimension expressions against a direct evaluation of their trees.
#include "cuvil/IR/CuvilDialect.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include <array>
#include <functional>
#include <gtest/gtest.h>
#include <random>

using namespace cuvil;

namespace {

constexpr std::array<const char *, 3> kNames = {"a", "b", "c"};
using Values = std::array<int64_t, 3>;
using Function = std::function<std::optional<int64_t>(const Values &)>;

/// An expression and what it means, built side by side.
struct Sample {
  DimExpr expr;
  Function value;
};

int64_t floorDiv(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

std::optional<int64_t> apply(DimKind kind, int64_t a, int64_t b) {
  switch (kind) {
  case DimKind::Add:
    return a + b;
  case DimKind::Mul:
    return a * b;
  case DimKind::FloorDiv:
    return b ? std::optional(floorDiv(a, b)) : std::nullopt;
  case DimKind::CeilDiv:
    return b ? std::optional(-floorDiv(-a, b)) : std::nullopt;
  case DimKind::Mod:
    return b ? std::optional(a - b * floorDiv(a, b)) : std::nullopt;
  case DimKind::Min:
    return std::min(a, b);
  case DimKind::Max:
    return std::max(a, b);
  default: // Bcast has a meaning for sizes that broadcast only.
    if (a != b && a != 1 && b != 1)
      return std::nullopt;
    return a == 1 ? b : a;
  }
}

class Generator {
public:
  Generator(mlir::MLIRContext *context, unsigned seed)
      : context(context), random(seed) {}

  int64_t pick(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  }

  Sample constant(int64_t value) {
    return {DimExpr::constant(context, value),
            [=](const Values &) { return std::optional(value); }};
  }

  Sample symbol() {
    size_t index = pick(0, kNames.size() - 1);
    return {DimExpr::symbol(context, kNames[index]),
            [=](const Values &v) { return std::optional(v[index]); }};
  }

  Sample binary(DimKind kind, Sample a, Sample b) {
    return {DimExpr::get(kind, a.expr, b.expr),
            [=](const Values &v) -> std::optional<int64_t> {
              auto x = a.value(v), y = b.value(v);
              return x && y ? apply(kind, *x, *y) : std::nullopt;
            }};
  }

  /// Not zero: any other constant, or a symbol plus something above zero.
  Sample divisor() {
    if (pick(0, 1)) {
      int64_t value = pick(-4, 4);
      return constant(value ? value : 5);
    }
    return binary(DimKind::Add, symbol(), constant(pick(1, 3)));
  }

  Sample make(int depth) {
    if (depth == 0 || pick(0, 5) == 0)
      return pick(0, 2) ? symbol() : constant(pick(-5, 5));
    int64_t choice = pick(0, 9);
    if (choice == 9) {
      Sample c = make(depth - 1), a = make(depth - 1), b = make(depth - 1);
      return {DimExpr::select(c.expr, a.expr, b.expr),
              [=](const Values &v) -> std::optional<int64_t> {
                auto x = c.value(v), y = a.value(v), z = b.value(v);
                if (!x || !y || !z)
                  return std::nullopt;
                return *x > 0 ? y : z;
              }};
    }
    static const DimKind kinds[] = {
        DimKind::Add,      DimKind::Add,     DimKind::Mul,
        DimKind::FloorDiv, DimKind::CeilDiv, DimKind::Mod,
        DimKind::Min,      DimKind::Max,     DimKind::Bcast};
    DimKind kind = kinds[choice];
    bool divides = kind == DimKind::FloorDiv || kind == DimKind::CeilDiv ||
                   kind == DimKind::Mod;
    Sample left = make(depth - 1);
    return binary(kind, left, divides ? divisor() : make(depth - 1));
  }

private:
  mlir::MLIRContext *context;
  std::mt19937 random;
};

std::optional<int64_t> evaluate(DimExpr expr, const Values &values) {
  return expr.evaluate([&](llvm::StringRef name) -> std::optional<int64_t> {
    return values[name[0] - 'a'];
  });
}

class DimRandomTest : public testing::TestWithParam<unsigned> {
protected:
  DimRandomTest() : generator(&context, GetParam()) {
    context.loadDialect<CuvilDialect>();
  }
  Values values() {
    return {generator.pick(0, 6), generator.pick(0, 6), generator.pick(0, 6)};
  }

  mlir::MLIRContext context;
  Generator generator;
};

constexpr int kSamples = 400, kAssignments = 12;

TEST_P(DimRandomTest, CanonicalFormKeepsTheValue) {
  for (int i = 0; i < kSamples; ++i) {
    Sample sample = generator.make(4);
    for (int j = 0; j < kAssignments; ++j) {
      Values v = values();
      auto expected = sample.value(v);
      if (!expected)
        continue;
      ASSERT_EQ(evaluate(sample.expr, v), expected)
          << sample.expr.str() << " at " << testing::PrintToString(v);
    }
  }
}

TEST_P(DimRandomTest, TextRoundTrips) {
  for (int i = 0; i < kSamples; ++i) {
    DimExpr expr = generator.make(4).expr;
    ASSERT_EQ(mlir::parseAttribute("#cuvil.dim<" + expr.str() + ">", &context),
              mlir::Attribute(expr))
        << expr.str();
  }
}

TEST_P(DimRandomTest, BoundsHold) {
  for (int i = 0; i < kSamples; ++i) {
    Sample sample = generator.make(4);
    auto low = sample.expr.getLowerBound(), high = sample.expr.getUpperBound();
    for (int j = 0; j < kAssignments; ++j) {
      auto value = sample.value(values());
      if (!value)
        continue;
      ASSERT_LE(low.value_or(INT64_MIN), *value) << sample.expr.str();
      ASSERT_GE(high.value_or(INT64_MAX), *value) << sample.expr.str();
    }
  }
}

TEST_P(DimRandomTest, FactsHold) {
  for (int i = 0; i < kSamples; ++i) {
    Sample a = generator.make(3), b = generator.make(3);
    auto equal = provablyEqual(a.expr, b.expr);
    auto lessEqual = provablyLessEqual(a.expr, b.expr);
    for (int j = 0; j < kAssignments; ++j) {
      Values v = values();
      auto x = a.value(v), y = b.value(v);
      if (!x || !y)
        continue;
      ASSERT_EQ(equal.value_or(*x == *y), *x == *y)
          << a.expr.str() << " ? " << b.expr.str();
      ASSERT_EQ(lessEqual.value_or(*x <= *y), *x <= *y)
          << a.expr.str() << " ? " << b.expr.str();
    }
  }
}

TEST_P(DimRandomTest, SubstitutionComposes) {
  for (int i = 0; i < kSamples; ++i) {
    Sample outer = generator.make(3);
    // Symbols stand for sizes, so what replaces one must be natural.
    Sample inner = generator.binary(DimKind::Add, generator.symbol(),
                                    generator.constant(generator.pick(0, 3)));
    DimExpr whole = outer.expr.substitute([&](llvm::StringRef name) {
      return name == "a" ? inner.expr : DimExpr();
    });
    for (int j = 0; j < kAssignments; ++j) {
      Values v = values(), replaced = v;
      replaced[0] = *inner.value(v);
      auto expected = outer.value(replaced);
      if (!expected)
        continue;
      ASSERT_EQ(evaluate(whole, v), expected)
          << outer.expr.str() << " with a = " << inner.expr.str();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, DimRandomTest, testing::Range(1u, 9u));

} // namespace
