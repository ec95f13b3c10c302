// SPDX-License-Identifier: Apache-2.0
// The C API as a C user sees it.
#include "CompiledModel.h"
#include "TestProgram.h"
#include "cuvil/Plugin/Host.h"
#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <future>

using namespace cuvil;
using namespace cuvil::test;

namespace {

constexpr uint32_t kMain = Program::kMain;

std::string take(cuvil_status *status) {
  std::string text = cuvil_status_message(status);
  cuvil_status_release(status);
  return text;
}

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

/// y[n] = x[n] + 1, as if it had been compiled.
cuvil_compiled *makeCompiled() {
  TestProgram p;
  uint32_t n = p.symbol("n", 0, 0);
  uint32_t x = p.input(0, {sym(n)}, "x");
  uint32_t y = p.output(0, {add(sym(n), num(0))}, "y");
  p.call(kMain, addOne, {x, y},
         {.sizes = {sym(n)}, .location = "/add", .flops = sym(n)});
  auto loaded = p.load();
  EXPECT_TRUE(loaded.ok());
  auto model = std::make_shared<CompiledModel>();
  model->program = *loaded;
  describeTensors(*model);
  return new cuvil_compiled_t{model};
}

TEST(Capi, StatusesHaveNamesPlacesAndHints) {
  cuvil_status *status = getHost().status_create_at(
      CUVIL_NOT_FOUND, "no such thing", "there", "look elsewhere");
  EXPECT_EQ(cuvil_status_code(status), CUVIL_NOT_FOUND);
  EXPECT_STREQ(cuvil_status_message(status), "no such thing");
  EXPECT_STREQ(cuvil_status_where(status), "there");
  EXPECT_STREQ(cuvil_status_hint(status), "look elsewhere");
  EXPECT_STREQ(cuvil_status_code_name(CUVIL_NOT_FOUND), "NOT_FOUND");
  EXPECT_STREQ(cuvil_status_code_name(-1), "UNKNOWN");
  cuvil_status_release(status);
  EXPECT_EQ(cuvil_status_code(nullptr), CUVIL_OK);
  EXPECT_STREQ(cuvil_status_message(nullptr), "");
  cuvil_status_release(nullptr);
}

TEST(Capi, ListingDevicesOpensNoCompilerAndLoadsNoPlugin) {
  char *json = nullptr;
  ASSERT_EQ(cuvil_plugins_json(0, &json), nullptr);
  for (const char *key :
       {"devices", "formats", "plugins", "rejected", "searched"})
    EXPECT_TRUE(contains(json, key)) << json;
  cuvil_free(json);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    EXPECT_FALSE(contains(line, "libcuvil-compiler")) << line;
    EXPECT_FALSE(contains(line, "libLLVM")) << line;
    EXPECT_FALSE(contains(line, "cuvil/plugins/")) << line;
  }
}

TEST(Capi, InfoRunAndProfile) {
  cuvil_compiled *compiled = makeCompiled();
  ASSERT_EQ(cuvil_num_inputs(compiled), 1u);
  cuvil_tensor_info info = {};
  info.struct_size = sizeof(info);
  ASSERT_EQ(cuvil_input_info(compiled, 0, &info), nullptr);
  EXPECT_STREQ(info.name, "x");
  EXPECT_EQ(info.dtype, CUVIL_F32);
  ASSERT_EQ(info.rank, 1);
  EXPECT_EQ(info.sizes[0], -1);
  EXPECT_STREQ(info.dims[0], "n");
  EXPECT_TRUE(contains(take(cuvil_output_info(compiled, 1, &info)),
                       "there is no output 1"));

  Tensor<float> x({3}, {1, 2, 3});
  const cuvil_dl_tensor *inputs[] = {&x.view};
  cuvil_output out = {sizeof(out), {}, nullptr, nullptr};
  ASSERT_EQ(cuvil_run(compiled, inputs, 1, &out, 1), nullptr);
  EXPECT_EQ(static_cast<float *>(out.tensor.data)[2], 4);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(out.tensor.data) % 64, 0u);
  out.release(out.owner);

  char *json = nullptr;
  ASSERT_EQ(cuvil_profile(compiled, inputs, 1, &json), nullptr);
  EXPECT_TRUE(contains(json, "\"location\": \"/add\"")) << json;
  EXPECT_TRUE(contains(json, "\"flops\": 3")) << json;
  cuvil_free(json);
  cuvil_compiled_destroy(compiled);
}

TEST(Capi, SubmittedCallsCompleteAfterTheHandleIsGone) {
  struct Call {
    Tensor<float> x{{2}, {1, 2}};
    const cuvil_dl_tensor *inputs[1] = {&x.view};
    cuvil_output out = {sizeof(cuvil_output), {}, nullptr, nullptr};
    std::promise<std::string> done;
  };
  cuvil_compiled *compiled = makeCompiled();
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 50; ++i) {
    calls.push_back(std::make_unique<Call>());
    Call &call = *calls.back();
    ASSERT_EQ(cuvil_submit(
                  compiled, call.inputs, 1, &call.out, 1,
                  [](void *state, cuvil_status *status) {
                    static_cast<Call *>(state)->done.set_value(take(status));
                  },
                  &call),
              nullptr);
  }
  cuvil_compiled_destroy(compiled);
  for (auto &call : calls) {
    EXPECT_EQ(call->done.get_future().get(), "");
    EXPECT_EQ(static_cast<float *>(call->out.tensor.data)[1], 3);
    call->out.release(call->out.owner);
  }
}

TEST(Capi, BadOptionsAndModelsAreErrors) {
  cuvil_compiled *compiled = nullptr;
  auto compile = [&](const char *path, const char *key, const char *value,
                     const char *device = "auto") {
    cuvil_model_source source = {};
    source.struct_size = sizeof(source);
    source.path = path;
    cuvil_options options = {sizeof(options), &key, &value, key ? 1u : 0u};
    return take(cuvil_compile(&source, nullptr, device, &options, nullptr,
                              nullptr, &compiled));
  };
  EXPECT_TRUE(contains(compile("m.onnx", "thread", "2"),
                       "known options: strict, fusion"));
  EXPECT_TRUE(contains(compile("m.onnx", "threads", "-1"), "number"));
  EXPECT_TRUE(contains(compile("m.onnx", "strict", "yes"), "expected 0 or 1"));
  EXPECT_TRUE(contains(compile("m.onnx", "precision", "fp16"),
                       "available: fp32"));
  EXPECT_TRUE(contains(compile("/no/such/file.onnx", nullptr, nullptr),
                       "no such file"));
  EXPECT_TRUE(contains(compile("/dev/zero", nullptr, nullptr),
                       "not a regular file"));
  namespace fs = std::filesystem;
  fs::path garbage = fs::temp_directory_path() / "garbage.bin";
  std::ofstream(garbage) << std::string(100, '\xee');
  EXPECT_TRUE(contains(compile(garbage.c_str(), nullptr, nullptr),
                       "known formats"));
  fs::remove(garbage);
  EXPECT_EQ(compiled, nullptr);
  EXPECT_TRUE(contains(take(cuvil_load_plugin("/no/such/plugin.json")),
                       "no plugin manifest"));
}

} // namespace
