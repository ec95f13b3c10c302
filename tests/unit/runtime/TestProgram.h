// SPDX-License-Identifier: Apache-2.0
// Builds small programs through the C table and runs them.
#ifndef CUVIL_TESTS_UNIT_RUNTIME_TESTPROGRAM_H
#define CUVIL_TESTS_UNIT_RUNTIME_TESTPROGRAM_H

#include "cuvil/Runtime/LoadedProgram.h"
#include <gtest/gtest.h>

namespace cuvil::test {

/// An expression and the code it borrows.
using Code = std::vector<int64_t>;
inline Code num(int64_t value) { return {CUVIL_DIM_CONST, value}; }
inline Code sym(uint32_t id) { return {CUVIL_DIM_SYM, id}; }
inline Code op(int64_t kind, Code a, const Code &b) {
  a.insert(a.end(), b.begin(), b.end());
  a.push_back(kind);
  return a;
}
inline Code add(Code a, const Code &b) {
  return op(CUVIL_DIM_ADD, std::move(a), b);
}
inline Code mul(Code a, const Code &b) {
  return op(CUVIL_DIM_MUL, std::move(a), b);
}

/// What a step has beyond its kind and buffers.
struct StepParts {
  uint32_t kernel = 0;
  uint32_t writes = 1;
  std::vector<Code> sizes = {};
  Code tiles = {};
  Code scratch = {};
  std::vector<uint32_t> symbols = {};
  uint32_t block0 = 0, block1 = 0;
  int32_t relation = CUVIL_CHECK_EQ;
  const char *message = nullptr;
  const char *location = "";
  const char *label = "";
  Code flops = {};
  cuvil_host_fn host = nullptr;
  void *hostState = nullptr;
  cuvil_executable *executable = nullptr;
};

class TestProgram {
public:
  TestProgram() : program(api->create()) {}
  ~TestProgram() { api->destroy(program); }

  uint32_t symbol(const char *name, int64_t arg = -1, int64_t dim = -1) {
    return api->add_symbol(program, name, arg, dim);
  }
  uint32_t block() { return api->add_block(program); }
  uint32_t kernel(cuvil_kernel_fn function, const char *name = "kernel") {
    return api->add_kernel(program, name, function);
  }
  uint32_t buffer(int32_t kind, int64_t index, const std::vector<Code> &dims,
                  cuvil_dtype dtype = CUVIL_F32, const char *name = "",
                  const void *constant = nullptr) {
    std::vector<cuvil_expr> exprs;
    for (const Code &dim : dims)
      exprs.push_back({dim.data(), dim.size()});
    cuvil_buffer_desc desc = {sizeof(desc), kind,        dtype,    index,
                              exprs.data(), exprs.size(), {},      constant,
                              name};
    return api->add_buffer(program, &desc);
  }
  uint32_t input(int64_t index, const std::vector<Code> &dims,
                 const char *name = "x", cuvil_dtype dtype = CUVIL_F32) {
    return buffer(CUVIL_BUFFER_ARGUMENT, index, dims, dtype, name);
  }
  uint32_t output(int64_t index, const std::vector<Code> &dims,
                  const char *name = "y", cuvil_dtype dtype = CUVIL_F32) {
    return buffer(CUVIL_BUFFER_RESULT, index, dims, dtype, name);
  }
  uint32_t temp(const std::vector<Code> &dims, cuvil_dtype dtype = CUVIL_F32) {
    return buffer(CUVIL_BUFFER_TEMPORARY, -1, dims, dtype);
  }
  uint32_t persistent(const std::vector<Code> &dims,
                      cuvil_dtype dtype = CUVIL_F32) {
    return buffer(CUVIL_BUFFER_PERSISTENT, -1, dims, dtype);
  }
  template <typename T>
  uint32_t constant(const std::vector<T> &values, cuvil_dtype dtype) {
    int64_t n = values.size();
    return buffer(CUVIL_BUFFER_CONSTANT, -1, {num(n)}, dtype, "c",
                  Constant::copy(dtype, {n}, values.data(), n * sizeof(T)));
  }

  void step(uint32_t block, int32_t kind, const std::vector<uint32_t> &buffers,
            const StepParts &parts = {}) {
    auto expr = [](const Code &code) {
      return cuvil_expr{code.data(), code.size()};
    };
    std::vector<cuvil_expr> sizes;
    for (const Code &size : parts.sizes)
      sizes.push_back(expr(size));
    cuvil_step_desc desc = {};
    desc.struct_size = sizeof(desc);
    desc.kind = kind;
    desc.relation = parts.relation;
    desc.kernel = parts.kernel;
    bool writes = kind == CUVIL_STEP_CALL || kind == CUVIL_STEP_INVOKE ||
                  kind == CUVIL_STEP_HOST;
    desc.num_writes = writes ? parts.writes : 0;
    desc.buffers = buffers.data();
    desc.num_buffers = buffers.size();
    desc.sizes = sizes.data();
    desc.num_sizes = sizes.size();
    desc.tiles = expr(parts.tiles);
    desc.scratch = expr(parts.scratch);
    desc.symbols = parts.symbols.data();
    desc.num_symbols = parts.symbols.size();
    desc.blocks[0] = parts.block0;
    desc.blocks[1] = parts.block1;
    desc.message = parts.message;
    desc.location = parts.location;
    desc.label = parts.label;
    desc.flops = expr(parts.flops);
    desc.host = parts.host;
    desc.host_state = parts.hostState;
    desc.executable = parts.executable;
    cuvil_status *failed = api->add_step(program, block, &desc);
    ASSERT_EQ(failed, nullptr) << cuvil_status_message(failed);
  }
  void call(uint32_t block, cuvil_kernel_fn function,
            const std::vector<uint32_t> &buffers, StepParts parts = {}) {
    parts.kernel = kernel(function);
    step(block, CUVIL_STEP_CALL, buffers, parts);
  }

  /// Gives the program away.
  std::unique_ptr<Program> take() {
    return std::unique_ptr<Program>(std::exchange(program, api->create()));
  }
  StatusOr<std::shared_ptr<LoadedProgram>> load(LoadOptions options = {}) {
    return LoadedProgram::load(take(), options);
  }

  const cuvil_program_api *api = getProgramApi();
  cuvil_program *program;
};

/// A tensor with its own memory.
template <typename T> struct Tensor {
  std::vector<T> data;
  std::vector<int64_t> shape;
  cuvil_dl_tensor view;

  Tensor(std::vector<int64_t> dims, std::vector<T> values,
         cuvil_dtype dtype = CUVIL_F32)
      : data(std::move(values)), shape(std::move(dims)) {
    view = {data.data(), {1, 0}, int32_t(shape.size()), getDlDtype(dtype),
            shape.data(), nullptr, 0};
  }
};

/// Runs with one input and one output made by the runtime; returns its values.
template <typename T = float>
std::vector<T> runOne(LoadedProgram &program,
                      const std::vector<const cuvil_dl_tensor *> &inputs,
                      Status *status = nullptr) {
  cuvil_output output = {sizeof(cuvil_output), {}, nullptr, nullptr};
  Status s = program.run(inputs.data(), inputs.size(), &output, 1);
  std::vector<T> values;
  if (s.ok()) {
    int64_t n = 1;
    for (int32_t d = 0; d < output.tensor.ndim; ++d)
      n *= output.tensor.shape[d];
    auto *data = static_cast<const T *>(output.tensor.data);
    values.assign(data, data + n);
    output.release(output.owner);
  } else {
    EXPECT_EQ(output.release, nullptr);
  }
  if (status)
    *status = std::move(s);
  else
    EXPECT_TRUE(s.ok()) << s.message();
  return values;
}

// Kernels. sizes[0] = elements; tiles split them evenly.
inline void tileRange(const cuvil_kernel_args *a, int64_t tiles, int64_t begin,
                      int64_t end, int64_t &from, int64_t &to) {
  int64_t n = a->sizes[0];
  from = n * begin / tiles;
  to = n * end / tiles;
}

/// y = x + 1
inline int32_t addOne(const cuvil_kernel_args *a, int64_t, int64_t) {
  auto *x = static_cast<const float *>(a->buffers[0]);
  auto *y = static_cast<float *>(a->buffers[1]);
  for (int64_t i = 0; i < a->sizes[0]; ++i)
    y[i] = x[i] + 1;
  return 0;
}

/// y = a + b
inline int32_t addTwo(const cuvil_kernel_args *args, int64_t, int64_t) {
  auto *a = static_cast<const float *>(args->buffers[0]);
  auto *b = static_cast<const float *>(args->buffers[1]);
  auto *y = static_cast<float *>(args->buffers[2]);
  for (int64_t i = 0; i < args->sizes[0]; ++i)
    y[i] = a[i] + b[i];
  return 0;
}

} // namespace cuvil::test

#endif // CUVIL_TESTS_UNIT_RUNTIME_TESTPROGRAM_H
