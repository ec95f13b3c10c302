// SPDX-License-Identifier: Apache-2.0
// From statuses of the C API to Python exceptions.
#ifndef CUVIL_PYTHON_ERRORS_H
#define CUVIL_PYTHON_ERRORS_H

#include "cuvil/c_api.h"
#include <nanobind/nanobind.h>
#include <string>

namespace cuvil::python {

/// Takes a status over; raises the CuvilError it stands for unless it is NULL.
void check(cuvil_status *status);

/// Takes a failed status over and makes the exception, without raising it.
nanobind::object makeException(cuvil_status *status);

/// Raises a CuvilError of this code.
[[noreturn]] void raise(int32_t code, const std::string &message,
                        const std::string &where = "",
                        const std::string &hint = "");

void bindErrors(nanobind::module_ &m);

} // namespace cuvil::python

#endif // CUVIL_PYTHON_ERRORS_H
