// SPDX-License-Identifier: Apache-2.0
// Comparisons, boolean operators and Where.
#include "Common.h"

namespace cuvil::onnx {
namespace {

void where(Node &n) { n.out(n.b.select(n.in(0), n.in(1), n.in(2))); }

} // namespace

OpTable logicOps() {
  static constexpr OpEntry table[] = {
      {"", "Equal", 7, latest, compareOp<"eq">},
      {"", "Less", 7, latest, compareOp<"lt">},
      {"", "Greater", 7, latest, compareOp<"gt">},
      {"", "LessOrEqual", 12, latest, compareOp<"le">},
      {"", "GreaterOrEqual", 12, latest, compareOp<"ge">},
      {"", "And", 7, latest, binaryOp<"and">},
      {"", "Or", 7, latest, binaryOp<"or">},
      {"", "Xor", 7, latest, binaryOp<"xor">},
      {"", "Not", 1, latest, unaryOp<"not">},
      {"", "Where", 9, latest, where},
  };
  return table;
}

} // namespace cuvil::onnx
