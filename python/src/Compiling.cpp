// SPDX-License-Identifier: Apache-2.0
// Compiling without the GIL, with progress told to Python.
#include "Compiled.h"
#include "Errors.h"

namespace nb = nanobind;

namespace cuvil::python {
namespace {

/// Tells Python about stages; what it raises, Ctrl-C too, ends the compile.
struct Progress {
  nb::object callback;
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;

  static int32_t report(void *state, const char *stage, double seconds) {
    auto &self = *static_cast<Progress *>(state);
    nb::gil_scoped_acquire gil;
    bool failed = PyErr_CheckSignals() != 0;
    if (!failed && !self.callback.is_none()) {
      PyObject *result =
          PyObject_CallFunction(self.callback.ptr(), "sd", stage, seconds);
      failed = !result;
      Py_XDECREF(result);
    }
    if (failed)
      PyErr_Fetch(&self.type, &self.value, &self.trace);
    return failed;
  }

  void finish(cuvil_status *status) {
    if (type) {
      cuvil_status_release(status);
      PyErr_Restore(type, value, trace);
      throw nb::python_error();
    }
    check(status);
  }
};

} // namespace

void initFromIr(Compiled *self, const Ir &ir, const std::string &device,
                nb::dict options, nb::object callback) {
  Options given(options);
  Progress progress{callback};
  cuvil_compiled *compiled = nullptr;
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status = cuvil_compile_ir(ir.get(), device.c_str(), given.get(),
                              Progress::report, &progress, &compiled);
  }
  progress.finish(status);
  new (self) Compiled(compiled);
}

void initFromModel(Compiled *self, nb::object path, nb::object data,
                   nb::object folder, const std::string &format,
                   const std::string &device, nb::dict options,
                   nb::object callback) {
  ModelSource source(path, data, folder);
  Options given(options);
  Progress progress{callback};
  cuvil_compiled *compiled = nullptr;
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status = cuvil_compile(
        source.get(), format.empty() ? nullptr : format.c_str(), device.c_str(),
        given.get(), Progress::report, &progress, &compiled);
  }
  progress.finish(status);
  new (self) Compiled(compiled);
}

} // namespace cuvil::python
