// SPDX-License-Identifier: Apache-2.0
// Imported models, and what describes their tensors and options.
#ifndef CUVIL_PYTHON_IR_H
#define CUVIL_PYTHON_IR_H

#include "cuvil/c_api.h"
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace cuvil::python {

/// A module of Cuvil-IR; owns the C handle.
class Ir {
public:
  explicit Ir(cuvil_ir *handle) : handle(handle) {}
  Ir(const Ir &) = delete;
  Ir &operator=(const Ir &) = delete;
  ~Ir();
  cuvil_ir *get() const { return handle; }

private:
  cuvil_ir *handle;
};

/// The C form of a dict from str to str.
class Options {
public:
  explicit Options(nanobind::dict options);
  Options(const Options &) = delete;
  Options &operator=(const Options &) = delete;
  const cuvil_options *get() const { return &options; }

private:
  std::vector<std::string> texts;
  std::vector<const char *> keys, values;
  cuvil_options options;
};

/// A model as path or bytes. What keeps the bytes keeps the Python object.
class ModelSource {
public:
  ModelSource(nanobind::object path, nanobind::object data,
              nanobind::object folder);
  ModelSource(const ModelSource &) = delete;
  ModelSource &operator=(const ModelSource &) = delete;
  ~ModelSource();
  const cuvil_model_source *get() const { return &source; }

private:
  std::string path, folder;
  Py_buffer *view = nullptr;
  cuvil_model_source source = {};
};

/// A tensor's (name, dtype, dims); a dim is an int or an expression.
nanobind::tuple describeTensor(const cuvil_tensor_info &info);

void bindIr(nanobind::module_ &m);
void bindBuilder(nanobind::module_ &m);

} // namespace cuvil::python

#endif // CUVIL_PYTHON_IR_H
