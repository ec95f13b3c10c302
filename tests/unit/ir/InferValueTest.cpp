// SPDX-License-Identifier: Apache-2.0
// Values of small integer tensors as dimension expressions.
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace cuvil;

namespace {

struct Case {
  std::string name, body, expected;
};

void PrintTo(const Case &test, std::ostream *os) { *os << test.name; }

/// The value of the op labelled %r in a function with operands %x (floats) and
/// %i (unknown integers), or "unknown".
std::string inferValue(const std::string &body) {
  mlir::MLIRContext context;
  context.loadDialect<CuvilDialect, mlir::func::FuncDialect>();
  std::string text = "func.func @f(%x: tensor<2xf32>, %i: tensor<2xi64>) {\n" +
                     body + "\nreturn\n}\n";
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return "does not verify";
  auto function = *module->getOps<mlir::func::FuncOp>().begin();
  mlir::Operation *last =
      function.getBody().front().getTerminator()->getPrevNode();
  DimContext dims(&context);
  auto value = dims.getValue(last->getResult(0));
  if (failed(value))
    return "unknown";
  std::string result;
  for (DimExpr element : *value)
    result += (result.empty() ? "" : "; ") + element.str();
  return result;
}

/// `%name = shape_pack of the dims`, one i64 each.
std::string pack(const std::string &name, int64_t count,
                 const std::string &dims) {
  return "%" + name + " = cuvil.shape_pack {dims = #cuvil.dims<[" + dims +
         "]>} : () -> tensor<" + std::to_string(count) + "xi64>\n";
}

std::string constant(const std::string &name, const std::string &values,
                     const std::string &type) {
  return "%" + name + " = cuvil.constant {value = dense<" + values +
         "> : " + type + "} : () -> " + type + "\n";
}

std::string onPair(const std::string &op, const std::string &element = "i64") {
  std::string t = "tensor<1x" + element + ">";
  std::string result = op.find("compare") == 0 ? "tensor<1xi1>" : t;
  return "%r = cuvil." + op + " %a, %b : (" + t + ", " + t + ") -> " + result;
}

std::string pairCase(const std::string &op, const std::string &a,
                     const std::string &b) {
  return pack("a", 1, a) + pack("b", 1, b) + onPair(op);
}

const std::string n2 = pack("s", 2, "@n, 3");
const std::string n4 = pack("s", 4, "@n, 3, @h, 7");
const char *t2 = "tensor<2xi64>";

const std::vector<Case> cases = {
    {"shape_pack", pack("r", 2, "@n, 3"), "@n; 3"},
    {"constant", constant("r", "[4, -1]", t2), "4; -1"},
    {"constant_splat", constant("r", "7", t2), "7; 7"},
    {"constant_unsigned", constant("r", "255", "tensor<ui8>"), "255"},
    {"constant_bool", constant("r", "true", "tensor<i1>"), "1"},
    {"constant_float", constant("r", "1.0", "tensor<f32>"), "unknown"},
    {"constant_large", constant("r", "1", "tensor<257xi64>"), "unknown"},
    {"constant_rank2", constant("r", "1", "tensor<1x1xi64>"), "unknown"},
    {"constant_huge_unsigned",
     constant("r", "18446744073709551615", "tensor<ui64>"), "unknown"},
    {"argument",
     "%r = cuvil.reverse %i {axes = array<i64: 0>} : (tensor<2xi64>) -> "
     "tensor<2xi64>",
     "unknown"},
    {"gather",
     n4 + constant("k", "[-1, 0]", t2) +
         "%r = cuvil.gather %s, %k {axis = 0 : i64} : (tensor<4xi64>, "
         "tensor<2xi64>) -> tensor<2xi64>",
     "7; @n"},
    {"gather_scalar",
     n4 + constant("k", "2", "tensor<i64>") +
         "%r = cuvil.gather %s, %k {axis = 0 : i64} : (tensor<4xi64>, "
         "tensor<i64>) -> tensor<i64>",
     "@h"},
    {"gather_outside",
     n4 + constant("k", "4", "tensor<i64>") +
         "%r = cuvil.gather %s, %k {axis = 0 : i64} : (tensor<4xi64>, "
         "tensor<i64>) -> tensor<i64>",
     "unknown"},
    {"slice",
     n4 + "%r = cuvil.slice %s {starts = #cuvil.dims<[3]>, sizes = "
          "#cuvil.dims<[2]>, steps = array<i64: -2>} : (tensor<4xi64>) -> "
          "tensor<2xi64>",
     "7; 3"},
    {"concat",
     n2 + constant("k", "-1", "tensor<1xi64>") +
         "%r = cuvil.concat %s, %k {axis = 0 : i64} : (tensor<2xi64>, "
         "tensor<1xi64>) -> tensor<3xi64>",
     "@n; 3; -1"},
    {"concat_unknown",
     n2 + "%r = cuvil.concat %s, %i {axis = 0 : i64} : (tensor<2xi64>, "
          "tensor<2xi64>) -> tensor<4xi64>",
     "unknown"},
    {"reshape",
     pack("s", 1, "@n") + "%r = cuvil.reshape %s {shape = #cuvil.dims<[]>} : "
                          "(tensor<1xi64>) -> tensor<i64>",
     "@n"},
    {"refine",
     n2 + "%r = cuvil.refine %s {shape = #cuvil.dims<[2]>} : (tensor<2xi64>) "
          "-> tensor<2xi64>",
     "@n; 3"},
    {"transpose",
     n2 + "%r = cuvil.transpose %s {perm = array<i64: 0>} : (tensor<2xi64>) -> "
          "tensor<2xi64>",
     "@n; 3"},
    {"broadcast",
     pack("s", 1, "@n") +
         "%r = cuvil.broadcast %s {shape = #cuvil.dims<[3]>, mapping = "
         "array<i64: 0>} : (tensor<1xi64>) -> tensor<3xi64>",
     "@n; @n; @n"},
    {"fill",
     constant("k", "5", "tensor<i64>") +
         "%r = cuvil.fill %k {shape = #cuvil.dims<[2]>} : (tensor<i64>) -> "
         "tensor<2xi64>",
     "5; 5"},
    {"iota",
     "%r = cuvil.iota {shape = #cuvil.dims<[3]>, axis = 0 : i64, to = i32} : "
     "() -> tensor<3xi32>",
     "0; 1; 2"},
    {"reduce_prod",
     n4 + "%r = cuvil.reduce prod %s {axes = array<i64: 0>} : (tensor<4xi64>) "
          "-> tensor<i64>",
     "21 * @h * @n"},
    {"reduce_max_keepdims",
     n2 + "%r = cuvil.reduce max %s {axes = array<i64: 0>, keepdims = true} : "
          "(tensor<2xi64>) -> tensor<1xi64>",
     "max(3, @n)"},
    {"reduce_empty_sum",
     pack("s", 0, "") + "%r = cuvil.reduce sum %s {axes = array<i64: 0>} : "
                        "(tensor<0xi64>) -> tensor<i64>",
     "0"},
    {"reduce_empty_max",
     pack("s", 0, "") + "%r = cuvil.reduce max %s {axes = array<i64: 0>} : "
                        "(tensor<0xi64>) -> tensor<i64>",
     "unknown"},
    {"reduce_mean",
     n2 + "%r = cuvil.reduce mean %s {axes = array<i64: 0>} : (tensor<2xi64>) "
          "-> tensor<i64>",
     "unknown"},
    {"add", pairCase("binary add", "@n", "2"), "@n + 2"},
    {"sub", pairCase("binary sub", "@n", "@m"), "-1 * @m + @n"},
    {"mul", pairCase("binary mul", "@n", "@m"), "@m * @n"},
    {"div_natural", pairCase("binary div", "@n", "2"), "floordiv(@n, 2)"},
    {"div_constants", pairCase("binary div", "-7", "2"), "-3"},
    {"div_sign_unknown", pairCase("binary div", "@n + -4", "2"), "unknown"},
    {"div_zero", pairCase("binary div", "@n", "0"), "unknown"},
    {"floordiv", pairCase("binary floordiv", "-7", "2"), "-4"},
    {"floordiv_zero", pairCase("binary floordiv", "7", "0"), "unknown"},
    {"floordiv_overflow",
     pairCase("binary floordiv", "-9223372036854775808", "-1"), "unknown"},
    {"mod", pairCase("binary mod", "-7", "2"), "1"},
    {"rem", pairCase("binary rem", "-7", "2"), "-1"},
    {"min", pairCase("binary min", "@n", "2"), "min(2, @n)"},
    {"pow", pairCase("binary pow", "@n", "2"), "@n * @n"},
    {"pow_negative", pairCase("binary pow", "@n", "-2"), "unknown"},
    {"add_overflow", pairCase("binary add", "9223372036854775807", "1"),
     "unknown"},
    {"compare_known", pairCase("compare lt", "@n", "@n + 1"), "1"},
    {"compare_open", pairCase("compare eq", "@n", "1"),
     "-1 * select(@n + -1, 1, select(-1 * @n + 1, 1, 0)) + 1"},
    {"narrow_wraps",
     constant("a", "127", "tensor<1xi8>") + constant("b", "1", "tensor<1xi8>") +
         onPair("binary add", "i8"),
     "unknown"},
    {"select",
     pack("a", 1, "@n") + pack("b", 1, "3") +
         "%c = cuvil.compare gt %a, %b : (tensor<1xi64>, tensor<1xi64>) -> "
         "tensor<1xi1>\n"
         "%r = cuvil.select %c, %a, %b : (tensor<1xi1>, tensor<1xi64>, "
         "tensor<1xi64>) -> tensor<1xi64>",
     "select(select(@n + -3, 1, 0), @n, 3)"},
    {"neg", n2 + "%r = cuvil.unary neg %s : (tensor<2xi64>) -> tensor<2xi64>",
     "-1 * @n; -3"},
    {"sign",
     constant("s", "[-4, 0]", t2) +
         "%r = cuvil.unary sign %s : (tensor<2xi64>) -> tensor<2xi64>",
     "-1; 0"},
    {"not_of_bool",
     constant("s", "[true, false]", "tensor<2xi1>") +
         "%r = cuvil.unary not %s : (tensor<2xi1>) -> tensor<2xi1>",
     "0; 1"},
    {"convert_symbolic",
     n2 + "%r = cuvil.convert %s {to = i32} : (tensor<2xi64>) -> tensor<2xi32>",
     "@n; 3"},
    {"convert_narrow_symbolic",
     n2 + "%r = cuvil.convert %s {to = i8} : (tensor<2xi64>) -> tensor<2xi8>",
     "unknown"},
    {"convert_wraps",
     constant("s", "[300, -1]", t2) +
         "%r = cuvil.convert %s {to = ui8} : (tensor<2xi64>) -> tensor<2xui8>",
     "44; 255"},
    {"convert_saturates",
     constant("s", "[300, -1]", t2) +
         "%r = cuvil.convert %s {to = i8, saturate = true} : (tensor<2xi64>) "
         "-> tensor<2xi8>",
     "127; -1"},
    {"convert_to_bool",
     constant("s", "[2, 0]", t2) +
         "%r = cuvil.convert %s {to = i1} : (tensor<2xi64>) -> tensor<2xi1>",
     "1; 0"},
    {"convert_to_float",
     n2 + "%r = cuvil.convert %s {to = f32} : (tensor<2xi64>) -> tensor<2xf32>",
     "unknown"},
};

class InferValueTest : public testing::TestWithParam<Case> {};

TEST_P(InferValueTest, Gives) {
  EXPECT_EQ(inferValue(GetParam().body), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Ops, InferValueTest, testing::ValuesIn(cases),
                         [](const auto &info) { return info.param.name; });

} // namespace
