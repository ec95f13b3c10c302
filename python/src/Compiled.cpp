// SPDX-License-Identifier: Apache-2.0
// Calling a compiled model.
#include "Compiled.h"
#include "Errors.h"
#include "Results.h"
#include <algorithm>
#include <atomic>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace cuvil::python {
namespace {

std::string quoteAll(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "'" : ", '") + name + "'";
  return text.empty() ? "none" : text;
}

//===----------------------------------------------------------------------===//
// Asynchronous calls
//===----------------------------------------------------------------------===//

/// Submitted calls that have not completed.
std::atomic<int> pending{0};

struct Submitted {
  Call call;
  nb::object self, done;

  static void complete(void *state, cuvil_status *status) {
    auto *submitted = static_cast<Submitted *>(state);
    {
      nb::gil_scoped_acquire gil;
      try {
        if (status)
          submitted->done(makeException(status), nb::none());
        else
          submitted->done(nb::none(), takeResults(submitted->call));
      } catch (nb::python_error &error) {
        error.discard_as_unraisable(
            "cuvil: completion of an asynchronous call");
      } catch (std::exception &error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());
        PyErr_WriteUnraisable(submitted->done.ptr());
      }
      delete submitted;
    }
    pending.fetch_sub(1);
    pending.notify_all();
  }
};

void waitForPending() {
  nb::gil_scoped_release nogil;
  while (int n = pending.load())
    pending.wait(n);
}

} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Call::~Call() {
  for (cuvil_output &output : outputs)
    releaseOutput(output);
}

Compiled::Compiled(cuvil_compiled *handle) : handle(handle) {
  cuvil_tensor_info info = {};
  info.struct_size = sizeof info;
  for (size_t i = 0; i < cuvil_num_inputs(handle); ++i) {
    check(cuvil_input_info(handle, i, &info));
    inputNames.push_back(info.name);
    inputRoles.push_back("input '" + inputNames.back() + "'");
  }
  for (size_t i = 0; i < cuvil_num_outputs(handle); ++i) {
    check(cuvil_output_info(handle, i, &info));
    outputNames.push_back(info.name);
  }
}

Compiled::~Compiled() {
  nb::gil_scoped_release nogil;
  cuvil_compiled_destroy(handle);
}

void Compiled::orderInputs(nb::handle args, nb::handle kwargs,
                           std::vector<nb::handle> &values,
                           nb::handle &out) const {
  size_t count = PyTuple_GET_SIZE(args.ptr());
  PyObject *names = kwargs.is_valid() ? kwargs.ptr() : nullptr;
  // One dict stands for keywords: names of tensors need not be identifiers.
  bool isDict = count == 1 && PyDict_Check(PyTuple_GET_ITEM(args.ptr(), 0));
  values.assign(inputNames.size(), nb::handle());
  if (!isDict) {
    if (count > values.size())
      raise(CUVIL_INVALID_ARGUMENT,
            "expected " + std::to_string(values.size()) + " inputs (" +
                quoteAll(inputNames) + "), got " + std::to_string(count));
    for (size_t i = 0; i < count; ++i)
      values[i] = PyTuple_GET_ITEM(args.ptr(), i);
  }
  auto place = [&](PyObject *dict, bool keywords) {
    PyObject *key, *value;
    Py_ssize_t position = 0;
    while (PyDict_Next(dict, &position, &key, &value)) {
      std::string name = nb::cast<std::string>(nb::str(nb::handle(key)));
      auto found = std::find(inputNames.begin(), inputNames.end(), name);
      if (found == inputNames.end()) {
        if (keywords && name == "out") {
          out = value;
          continue;
        }
        raise(CUVIL_INVALID_ARGUMENT,
              "no input is called '" + name + "'; expected " +
                  quoteAll(inputNames),
              name);
      }
      nb::handle &slot = values[found - inputNames.begin()];
      if (slot.is_valid())
        raise(CUVIL_INVALID_ARGUMENT, "input '" + name + "' is given twice",
              name);
      slot = value;
    }
  };
  if (isDict)
    place(PyTuple_GET_ITEM(args.ptr(), 0), false);
  if (names)
    place(names, true);
  for (size_t i = 0; i < values.size(); ++i)
    if (!values[i].is_valid())
      raise(CUVIL_INVALID_ARGUMENT,
            inputRoles[i] + " is missing; expected " + quoteAll(inputNames),
            inputNames[i]);
}

void Compiled::bind(Call &call, nb::handle args, nb::handle kwargs) const {
  std::vector<nb::handle> values;
  nb::handle out;
  orderInputs(args, kwargs, values, out);
  call.inputs = std::make_unique<TensorArgument[]>(values.size());
  call.pointers.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    call.inputs[i].open(values[i], inputRoles[i], false);
    call.pointers[i] = &call.inputs[i].getTensor();
    call.torch |= call.inputs[i].getOrigin() == TensorOrigin::Torch;
  }
  call.outputs.resize(outputNames.size());
  for (cuvil_output &output : call.outputs)
    output.struct_size = sizeof output;
  if (out.is_valid() && !out.is_none())
    bindOutputs(call, out);
}

void Compiled::bindOutputs(Call &call, nb::handle out) const {
  size_t n = outputNames.size();
  std::vector<nb::object> arrays;
  bool isSequence = PyTuple_Check(out.ptr()) || PyList_Check(out.ptr());
  if (PyDict_Check(out.ptr())) {
    for (const std::string &name : outputNames) {
      PyObject *array = PyDict_GetItemString(out.ptr(), name.c_str());
      if (!array)
        raise(CUVIL_INVALID_ARGUMENT, "out lacks output '" + name + "'", name);
      arrays.push_back(nb::borrow(array));
    }
  } else if (isSequence) {
    for (nb::handle array : out)
      arrays.push_back(nb::borrow(array));
  } else {
    arrays.push_back(nb::borrow(out));
  }
  size_t got = PyDict_Check(out.ptr()) ? PyDict_Size(out.ptr()) : arrays.size();
  if (got != n)
    raise(CUVIL_INVALID_ARGUMENT, "out: expected " + std::to_string(n) +
                                      " tensors (" + quoteAll(outputNames) +
                                      "), got " + std::to_string(got));
  call.given = std::make_unique<TensorArgument[]>(n);
  for (size_t i = 0; i < n; ++i) {
    call.given[i].open(arrays[i], "output '" + outputNames[i] + "'", true);
    call.outputs[i].tensor = call.given[i].getTensor();
  }
  call.out = nb::borrow(out);
}

nb::object takeResults(Call &call) {
  if (call.out.is_valid())
    return call.out;
  auto take = [&](cuvil_output &output) {
    return call.torch ? toTorch(output) : toNumpy(output);
  };
  if (call.outputs.size() == 1)
    return take(call.outputs[0]);
  nb::object results = nb::steal(PyTuple_New(call.outputs.size()));
  for (size_t i = 0; i < call.outputs.size(); ++i)
    PyTuple_SET_ITEM(results.ptr(), i, take(call.outputs[i]).release().ptr());
  return results;
}

nb::object Compiled::run(nb::handle args, nb::handle kwargs) {
  Call call;
  bind(call, args, kwargs);
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status = cuvil_run(handle, call.pointers.data(), call.pointers.size(),
                       call.outputs.data(), call.outputs.size());
  }
  check(status);
  return takeResults(call);
}

void Compiled::submit(nb::tuple args, nb::dict kwargs, nb::object done) {
  auto submitted = std::make_unique<Submitted>();
  bind(submitted->call, args, kwargs);
  submitted->self = nb::find(this);
  submitted->done = std::move(done);
  Submitted *state = submitted.release();
  pending.fetch_add(1);
  Call &call = state->call;
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status = cuvil_submit(handle, call.pointers.data(), call.pointers.size(),
                          call.outputs.data(), call.outputs.size(),
                          Submitted::complete, state);
  }
  if (status) { // Then `complete` is never called.
    pending.fetch_sub(1);
    delete state;
    check(status);
  }
}

nb::str Compiled::profile(nb::tuple args, nb::dict kwargs) {
  Call call;
  bind(call, args, kwargs);
  char *json = nullptr;
  cuvil_status *status;
  {
    nb::gil_scoped_release nogil;
    status = cuvil_profile(handle, call.pointers.data(), call.pointers.size(),
                           &json);
  }
  check(status);
  nb::str text(json);
  cuvil_free(json);
  return text;
}

nb::list Compiled::describe(bool inputs) const {
  nb::list tensors;
  for (size_t i = 0, n = (inputs ? inputNames : outputNames).size(); i < n;
       ++i) {
    cuvil_tensor_info info = {};
    info.struct_size = sizeof info;
    check(inputs ? cuvil_input_info(handle, i, &info)
                 : cuvil_output_info(handle, i, &info));
    tensors.append(describeTensor(info));
  }
  return tensors;
}

/// The call operator as a type slot: no method object on the way.
static PyObject *callSlot(PyObject *self, PyObject *args, PyObject *kwargs) {
  try {
    if (!nb::inst_ready(self)) {
      PyErr_SetString(PyExc_RuntimeError, "the model is not initialised");
      return nullptr;
    }
    return nb::inst_ptr<Compiled>(self)->run(args, kwargs).release().ptr();
  } catch (nb::python_error &error) {
    error.restore();
  } catch (std::bad_alloc &) {
    PyErr_NoMemory();
  } catch (std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

void bindCompiled(nb::module_ &m) {
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void *>(callSlot)}, {0, nullptr}};
  nb::class_<Compiled>(m, "Compiled", nb::type_slots(slots), nb::dynamic_attr())
      .def("__init__", initFromIr, nb::arg("ir"), nb::arg("device"),
           nb::arg("options"), nb::arg("progress").none())
      .def("__init__", initFromModel, nb::arg("path").none(),
           nb::arg("data").none(), nb::arg("folder").none(), nb::arg("format"),
           nb::arg("device"), nb::arg("options"), nb::arg("progress").none())
      .def("_submit", &Compiled::submit)
      .def("_profile", &Compiled::profile)
      .def("_describe", &Compiled::describe)
      .def("_report",
           [](const Compiled &self) { return nb::str(self.getReport()); });
  m.def("wait_for_pending", waitForPending);
}

} // namespace cuvil::python
