// SPDX-License-Identifier: Apache-2.0
// The device `ref` through the public C API.
#include "cuvil/c_api.h"
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

/// A status' text, "" for success.
std::string take(cuvil_status *status) {
  std::string text = status ? cuvil_status_message(status) : "";
  cuvil_status_release(status);
  return text;
}

struct Output {
  std::vector<int64_t> dims;
  std::vector<int64_t> values;
};

class RefDevice : public testing::Test {
protected:
  ~RefDevice() override {
    cuvil_compiled_destroy(compiled);
    cuvil_ir_destroy(ir);
  }
  std::string compile(const char *text) {
    std::string error = take(cuvil_ir_parse(text, std::strlen(text), &ir));
    if (error.empty())
      error = take(
          cuvil_compile_ir(ir, "ref", nullptr, nullptr, nullptr, &compiled));
    return error;
  }
  /// Runs on one i64 vector and gives one i64 result.
  std::string run(std::vector<int64_t> values, Output &out) {
    int64_t size = values.size();
    cuvil_dl_tensor input = {values.data(), {1, 0},  1, {0, 64, 1},
                             &size,         nullptr, 0};
    const cuvil_dl_tensor *inputs[] = {&input};
    cuvil_output output = {};
    output.struct_size = sizeof(output);
    std::string error = take(cuvil_run(compiled, inputs, 1, &output, 1));
    if (!error.empty())
      return error;
    const cuvil_dl_tensor &tensor = output.tensor;
    out.dims.assign(tensor.shape, tensor.shape + tensor.ndim);
    int64_t count = 1;
    for (int64_t dim : out.dims)
      count *= dim;
    auto *data = reinterpret_cast<const int64_t *>(
        static_cast<const char *>(tensor.data) + tensor.byte_offset);
    out.values.assign(data, data + count);
    if (output.release)
      output.release(output.owner);
    return "";
  }

  cuvil_ir *ir = nullptr;
  cuvil_compiled *compiled = nullptr;
};

} // namespace

TEST_F(RefDevice, RunsWithNamedSizes) {
  ASSERT_EQ(compile(R"(
func.func @main(%x: tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[2 * @n]>> {
  %y = cuvil.unary neg %x : (tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[@n]>>
  %z = cuvil.concat %x, %y {axis = 0 : i64} : (tensor<?xi64, #cuvil.dims<[@n]>>, tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[2 * @n]>>
  return %z : tensor<?xi64, #cuvil.dims<[2 * @n]>>
})"),
            "");
  Output out;
  ASSERT_EQ(run({1, 2}, out), "");
  EXPECT_EQ(out.values, (std::vector<int64_t>{1, 2, -1, -2}));
  ASSERT_EQ(run({}, out), "");
  EXPECT_EQ(out.dims, (std::vector<int64_t>{0}));
}

TEST_F(RefDevice, RunsWithSizesThatDependOnData) {
  ASSERT_EQ(compile(R"(
func.func @main(%x: tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<1x?xi64, #cuvil.dims<[1, @m]>> {
  %b = cuvil.convert %x {to = i1} : (tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<?xi1, #cuvil.dims<[@n]>>
  %i = cuvil.convert %b {to = i64} : (tensor<?xi1, #cuvil.dims<[@n]>>) -> tensor<?xi64, #cuvil.dims<[@n]>>
  %s = cuvil.reduce sum %i {axes = array<i64: 0>} : (tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<i64>
  cuvil.sym_bind %s {symbols = ["m"]} : (tensor<i64>) -> ()
  %y = cuvil.nonzero %x {count = #cuvil.dims<[@m]>} : (tensor<?xi64, #cuvil.dims<[@n]>>) -> tensor<1x?xi64, #cuvil.dims<[1, @m]>>
  return %y : tensor<1x?xi64, #cuvil.dims<[1, @m]>>
})"),
            "");
  Output out;
  ASSERT_EQ(run({0, 5, 0, 7}, out), "");
  EXPECT_EQ(out.dims, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(out.values, (std::vector<int64_t>{1, 3}));
}

TEST_F(RefDevice, ReportsErrorsOfTheRun) {
  ASSERT_EQ(compile(R"(
func.func @main(%x: tensor<1xi64>) -> tensor<1xi64> {
  %c = cuvil.constant {value = dense<[4, 5]> : tensor<2xi64>} : () -> tensor<2xi64>
  %y = cuvil.gather %c, %x {axis = 0 : i64} : (tensor<2xi64>, tensor<1xi64>) -> tensor<1xi64>
  return %y : tensor<1xi64>
})"),
            "");
  Output out;
  ASSERT_EQ(run({-1}, out), "");
  EXPECT_EQ(out.values, (std::vector<int64_t>{5}));
  EXPECT_NE(run({2}, out).find("index 2 is out of range"), std::string::npos);
}
