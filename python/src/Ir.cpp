// SPDX-License-Identifier: Apache-2.0
// Import, parse and print models.
#include "Ir.h"
#include "Dtypes.h"
#include "Errors.h"
#include <atomic>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace cuvil::python {
namespace {

/// Bytes that are shared with the core; the last holder lets go of the
/// Python object.
struct SharedBytes {
  Py_buffer view;
  std::atomic<int> holders{1};
};

void retainBytes(void *owner) {
  static_cast<SharedBytes *>(owner)->holders.fetch_add(1);
}

void releaseBytes(void *owner) {
  auto *bytes = static_cast<SharedBytes *>(owner);
  if (bytes->holders.fetch_sub(1) != 1)
    return;
  // Once the interpreter is gone so is the memory.
  if (!Py_IsInitialized())
    return;
  nb::gil_scoped_acquire gil;
  PyBuffer_Release(&bytes->view);
  delete bytes;
}

Ir *importModel(nb::object path, nb::object data, nb::object folder,
                const std::string &format, nb::dict options) {
  ModelSource source(path, data, folder);
  Options given(options);
  cuvil_ir *ir = nullptr;
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status =
        cuvil_import(source.get(), format.empty() ? nullptr : format.c_str(),
                     given.get(), &ir);
  }
  check(status);
  return new Ir(ir);
}

Ir *parseModel(const std::string &text) {
  cuvil_ir *ir = nullptr;
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status = cuvil_ir_parse(text.data(), text.size(), &ir);
  }
  check(status);
  return new Ir(ir);
}

nb::list listTensors(const Ir &ir, int32_t which) {
  nb::list tensors;
  for (size_t i = 0, n = cuvil_ir_num_tensors(ir.get(), which); i < n; ++i) {
    cuvil_tensor_info info = {};
    info.struct_size = sizeof info;
    check(cuvil_ir_tensor_at(ir.get(), which, i, &info));
    tensors.append(describeTensor(info));
  }
  return tensors;
}

} // namespace

Ir::~Ir() {
  nb::gil_scoped_release nogil;
  cuvil_ir_destroy(handle);
}

Options::Options(nb::dict given) {
  texts.reserve(2 * given.size());
  for (auto [key, value] : given) {
    texts.push_back(nb::cast<std::string>(key));
    texts.push_back(nb::cast<std::string>(value));
  }
  for (size_t i = 0; i < texts.size(); i += 2) {
    keys.push_back(texts[i].c_str());
    values.push_back(texts[i + 1].c_str());
  }
  options = {sizeof options, keys.data(), values.data(), keys.size()};
}

ModelSource::ModelSource(nb::object givenPath, nb::object data,
                         nb::object givenFolder) {
  source.struct_size = sizeof source;
  if (!givenPath.is_none()) {
    path = nb::cast<std::string>(givenPath);
    source.path = path.c_str();
  }
  if (!givenFolder.is_none()) {
    folder = nb::cast<std::string>(givenFolder);
    source.base_folder = folder.c_str();
  }
  if (data.is_none())
    return;
  auto *bytes = new SharedBytes;
  if (PyObject_GetBuffer(data.ptr(), &bytes->view, PyBUF_SIMPLE) != 0) {
    delete bytes;
    throw nb::python_error();
  }
  source.data = bytes->view.buf;
  source.size = bytes->view.len;
  source.owner = bytes;
  source.retain = retainBytes;
  source.release = releaseBytes;
}

ModelSource::~ModelSource() {
  if (source.owner)
    releaseBytes(source.owner);
}

nb::tuple describeTensor(const cuvil_tensor_info &info) {
  nb::list dims;
  for (int32_t i = 0; i < info.rank; ++i) {
    if (info.sizes && info.sizes[i] >= 0)
      dims.append(nb::int_(info.sizes[i]));
    else
      dims.append(nb::str(info.dims[i]));
  }
  return nb::make_tuple(nb::str(info.name), nb::str(getDtypeName(info.dtype)),
                        dims);
}

void bindIr(nb::module_ &m) {
  nb::class_<Ir>(m, "Ir")
      .def("print",
           [](const Ir &ir) { return nb::str(cuvil_ir_print(ir.get())); })
      .def("tensor",
           [](const Ir &ir, const std::string &name) {
             cuvil_tensor_info info = {};
             info.struct_size = sizeof info;
             check(cuvil_ir_tensor(ir.get(), name.c_str(), &info));
             return describeTensor(info);
           })
      .def("inputs",
           [](const Ir &ir) { return listTensors(ir, CUVIL_TENSOR_INPUTS); })
      .def("outputs",
           [](const Ir &ir) { return listTensors(ir, CUVIL_TENSOR_OUTPUTS); });
  m.def("import_model", importModel, nb::arg("path").none(),
        nb::arg("data").none(), nb::arg("folder").none(), nb::arg("format"),
        nb::arg("options"));
  m.def("parse_model", parseModel);
}

} // namespace cuvil::python
