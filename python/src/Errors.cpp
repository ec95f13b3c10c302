// SPDX-License-Identifier: Apache-2.0
// Exceptions are classes of cuvil/errors.py, made by its factory function.
#include "Errors.h"

namespace nb = nanobind;

namespace cuvil::python {
namespace {

// Kept for the life of the process: threads may fail while it ends.
PyObject *errorFactory = nullptr;

nb::object create(int32_t code, const char *message, const char *where,
                  const char *hint) {
  if (!errorFactory)
    throw std::runtime_error(message);
  // Text of a broken model need not be UTF-8.
  auto text = [](const char *s) {
    return nb::steal(
        PyUnicode_DecodeUTF8(s ? s : "", s ? strlen(s) : 0, "replace"));
  };
  return nb::handle(errorFactory)(cuvil_status_code_name(code), text(message),
                                  text(where), text(hint));
}

[[noreturn]] void throwObject(const nb::object &exception) {
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw nb::python_error();
}

} // namespace

nb::object makeException(cuvil_status *status) {
  nb::object exception;
  try {
    exception = create(cuvil_status_code(status), cuvil_status_message(status),
                       cuvil_status_where(status), cuvil_status_hint(status));
  } catch (...) {
    cuvil_status_release(status);
    throw;
  }
  cuvil_status_release(status);
  return exception;
}

void check(cuvil_status *status) {
  if (status)
    throwObject(makeException(status));
}

void raise(int32_t code, const std::string &message, const std::string &where,
           const std::string &hint) {
  throwObject(create(code, message.c_str(), where.c_str(), hint.c_str()));
}

void bindErrors(nb::module_ &m) {
  m.def("set_error_factory", [](nb::object factory) {
    Py_XDECREF(errorFactory);
    errorFactory = factory.release().ptr();
  });
}

} // namespace cuvil::python
