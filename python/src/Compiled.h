// SPDX-License-Identifier: Apache-2.0
// A compiled model and its calls.
#ifndef CUVIL_PYTHON_COMPILED_H
#define CUVIL_PYTHON_COMPILED_H

#include "Ir.h"
#include "TensorArgument.h"
#include <memory>
#include <string>
#include <vector>

namespace cuvil::python {

/// One call's arguments and results; alive until the run has ended.
struct Call {
  std::unique_ptr<TensorArgument[]> inputs;
  std::vector<const cuvil_dl_tensor *> pointers;
  std::vector<cuvil_output> outputs;
  std::unique_ptr<TensorArgument[]> given; ///< Memory of `out=`, if any.
  nanobind::object out;
  bool torch = false;

  ~Call();
};

/// A model that is ready to run. Calls may overlap on several threads.
class Compiled {
public:
  explicit Compiled(cuvil_compiled *handle);
  Compiled(const Compiled &) = delete;
  Compiled &operator=(const Compiled &) = delete;
  ~Compiled();

  nanobind::object run(nanobind::handle args, nanobind::handle kwargs);
  void submit(nanobind::tuple args, nanobind::dict kwargs,
              nanobind::object done);
  nanobind::str profile(nanobind::tuple args, nanobind::dict kwargs);
  nanobind::list describe(bool inputs) const;
  const char *getReport() const { return cuvil_report(handle); }

private:
  void bind(Call &call, nanobind::handle args, nanobind::handle kwargs) const;
  void bindOutputs(Call &call, nanobind::handle out) const;
  void orderInputs(nanobind::handle args, nanobind::handle kwargs,
                   std::vector<nanobind::handle> &values,
                   nanobind::handle &out) const;

  cuvil_compiled *handle;
  std::vector<std::string> inputNames, outputNames;
  std::vector<std::string> inputRoles;
};

/// Constructors from an IR and from a model's file or bytes. `callback` is
/// called with each stage's name and the seconds of the one before.
void initFromIr(Compiled *self, const Ir &ir, const std::string &device,
                nanobind::dict options, nanobind::object callback);
void initFromModel(Compiled *self, nanobind::object path, nanobind::object data,
                   nanobind::object folder, const std::string &format,
                   const std::string &device, nanobind::dict options,
                   nanobind::object callback);

/// What the call returns: one tensor, or a tuple of them.
nanobind::object takeResults(Call &call);

void bindCompiled(nanobind::module_ &m);

} // namespace cuvil::python

#endif // CUVIL_PYTHON_COMPILED_H
