// SPDX-License-Identifier: Apache-2.0
// The extension module `cuvil._cuvil`: the C API for the package's own use.
#include "Compiled.h"
#include "Errors.h"
#include "Ir.h"
#include "Results.h"
#include <nanobind/stl/string.h>

namespace nb = nanobind;
using namespace cuvil::python;

static nb::str getPluginsJson(bool probe) {
  char *json = nullptr;
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status = cuvil_plugins_json(probe, &json);
  }
  check(status);
  nb::str text(json);
  cuvil_free(json);
  return text;
}

static void loadPlugin(const std::string &path) {
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status = cuvil_load_plugin(path.c_str());
  }
  check(status);
}

NB_MODULE(_cuvil, m) {
  bindErrors(m);
  bindResults(m);
  bindIr(m);
  bindBuilder(m);
  bindCompiled(m);
  m.def("version", [] { return nb::str(cuvil_version()); });
  m.def("plugins_json", getPluginsJson);
  m.def("load_plugin", loadPlugin);
  m.def("add_plugin_path",
        [](const std::string &path, const std::string &origin) {
          cuvil_add_plugin_path(path.c_str(), origin.c_str());
        });
}
