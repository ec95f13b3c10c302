// SPDX-License-Identifier: Apache-2.0
// Results of a run as numpy arrays or torch tensors, without copies.
#ifndef CUVIL_PYTHON_RESULTS_H
#define CUVIL_PYTHON_RESULTS_H

#include "cuvil/c_api.h"
#include <nanobind/nanobind.h>

namespace cuvil::python {

/// Frees what the runtime allocated for an output, if anything.
void releaseOutput(cuvil_output &output);

/// A numpy array that owns the output's memory; takes it over.
nanobind::object toNumpy(cuvil_output &output);

/// A torch tensor that owns the output's memory; takes it over.
nanobind::object toTorch(cuvil_output &output);

void bindResults(nanobind::module_ &m);

} // namespace cuvil::python

#endif // CUVIL_PYTHON_RESULTS_H
