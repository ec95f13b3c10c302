// SPDX-License-Identifier: Apache-2.0
// The C graph builder for cuvil/graph.py. Values and dims are integers there,
// valid as long as their builder.
#include "Dtypes.h"
#include "Errors.h"
#include "Ir.h"
#include "TensorArgument.h"
#include <cstring>
#include <deque>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace cuvil::python {
namespace {

using Handles = std::vector<uintptr_t>;

cuvil_value toValue(uintptr_t handle) {
  return reinterpret_cast<cuvil_value>(handle);
}
cuvil_dim toDim(uintptr_t handle) {
  return reinterpret_cast<cuvil_dim>(handle);
}
uintptr_t fromPointer(const void *pointer) {
  return reinterpret_cast<uintptr_t>(pointer);
}

template <typename T> std::vector<T> toPointers(const Handles &handles) {
  std::vector<T> pointers;
  for (uintptr_t handle : handles)
    pointers.push_back(reinterpret_cast<T>(handle));
  return pointers;
}

template <typename T> Handles fromPointers(const std::vector<T> &pointers) {
  Handles handles;
  for (T pointer : pointers)
    handles.push_back(fromPointer(pointer));
  return handles;
}

/// One list of (name, kind, value), kept alive for a call of add_op.
class Attributes {
public:
  explicit Attributes(nb::list given) {
    for (nb::handle item : given)
      add(nb::cast<std::string>(item[0]), nb::cast<std::string>(item[1]),
          item[2]);
  }
  const std::vector<cuvil_attr> &get() const { return attrs; }

private:
  void add(const std::string &name, const std::string &kind, nb::handle value) {
    cuvil_attr attr = {};
    attr.struct_size = sizeof attr;
    attr.name = texts.emplace_back(name).c_str();
    if (kind == "int" || kind == "bool" || kind == "dtype") {
      attr.kind = kind == "int"    ? CUVIL_ATTR_INT
                  : kind == "bool" ? CUVIL_ATTR_BOOL
                                   : CUVIL_ATTR_DTYPE;
      attr.i = nb::cast<int64_t>(value);
    } else if (kind == "float") {
      attr.kind = CUVIL_ATTR_FLOAT;
      attr.f = nb::cast<double>(value);
    } else if (kind == "string") {
      attr.kind = CUVIL_ATTR_STRING;
      attr.s = texts.emplace_back(nb::cast<std::string>(value)).c_str();
    } else if (kind == "ints") {
      auto &list = ints.emplace_back(nb::cast<std::vector<int64_t>>(value));
      attr.kind = CUVIL_ATTR_INTS;
      attr.ints = list.data();
      attr.count = list.size();
    } else if (kind == "floats") {
      auto &list = floats.emplace_back(nb::cast<std::vector<double>>(value));
      attr.kind = CUVIL_ATTR_FLOATS;
      attr.floats = list.data();
      attr.count = list.size();
    } else if (kind == "dims") {
      auto &list =
          dims.emplace_back(toPointers<cuvil_dim>(nb::cast<Handles>(value)));
      attr.kind = CUVIL_ATTR_DIMS;
      attr.dims = list.data();
      attr.count = list.size();
    } else {
      auto &list = pointers.emplace_back();
      for (const auto &text : nb::cast<std::vector<std::string>>(value))
        list.push_back(texts.emplace_back(text).c_str());
      attr.kind = CUVIL_ATTR_STRINGS;
      attr.strings = list.data();
      attr.count = list.size();
    }
    attrs.push_back(attr);
  }

  std::vector<cuvil_attr> attrs;
  // Deques, because elements are pointed to.
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> ints;
  std::deque<std::vector<double>> floats;
  std::deque<std::vector<cuvil_dim>> dims;
  std::deque<std::vector<const char *>> pointers;
};

void releaseArgument(void *owner) {
  if (!Py_IsInitialized())
    return;
  nb::gil_scoped_acquire gil;
  delete static_cast<TensorArgument *>(owner);
}

class Builder {
public:
  Builder() {
    check(cuvil_get_builder_api(&api));
    cuvil_ir *handle = nullptr;
    check(cuvil_ir_create(nullptr, &handle));
    ir = std::make_shared<Ir>(handle);
    builder = cuvil_ir_builder(handle);
  }

  uintptr_t addInput(const std::string &name, cuvil_dtype dtype,
                     const Handles &dims) {
    cuvil_value value = nullptr;
    auto list = toPointers<cuvil_dim>(dims);
    check(api->add_input(builder, name.c_str(), dtype, list.data(), list.size(),
                         &value));
    return fromPointer(value);
  }
  void addOutput(const std::string &name, uintptr_t value) {
    check(api->add_output(builder, name.c_str(), toValue(value)));
  }
  uintptr_t addConstant(nb::object array, const std::string &name) {
    auto argument = std::make_unique<TensorArgument>();
    argument->open(array, "constant '" + name + "'", false);
    cuvil_constant constant = {};
    constant.struct_size = sizeof constant;
    constant.tensor = argument->getTensor();
    constant.name = name.c_str();
    constant.owner = argument.release();
    constant.release = releaseArgument;
    cuvil_value value = nullptr;
    check(api->add_constant(builder, &constant, &value));
    return fromPointer(value);
  }
  Handles addOp(const std::string &name, const Handles &operands,
                nb::list attrs, size_t numResults) {
    auto values = toPointers<cuvil_value>(operands);
    std::vector<cuvil_value> results(numResults);
    Attributes given(attrs);
    check(api->add_op(builder, name.c_str(), values.data(), values.size(),
                      given.get().data(), given.get().size(), results.data(),
                      results.size()));
    return fromPointers(results);
  }

  void beginIf(uintptr_t condition) {
    check(api->begin_if(builder, toValue(condition)));
  }
  Handles beginWhile(const Handles &carried,
                     const std::vector<uint64_t> &varying) {
    auto values = toPointers<cuvil_value>(carried);
    std::vector<cuvil_value> args(values.size());
    check(api->begin_while(builder, values.data(),
                           varying.size() == values.size() ? varying.data()
                                                           : nullptr,
                           values.size(), args.data()));
    return fromPointers(args);
  }
  Handles nextRegion(const Handles &yields, size_t numArgs) {
    auto values = toPointers<cuvil_value>(yields);
    std::vector<cuvil_value> args(numArgs);
    check(api->next_region(builder, values.data(), values.size(), args.data(),
                           numArgs));
    return fromPointers(args);
  }
  Handles endRegion(const Handles &yields, size_t numResults) {
    auto values = toPointers<cuvil_value>(yields);
    std::vector<cuvil_value> results(numResults);
    check(api->end_region_op(builder, values.data(), values.size(),
                             results.data(), numResults));
    return fromPointers(results);
  }
  std::vector<uint64_t> getVarying(size_t n) {
    std::vector<uint64_t> masks(n);
    api->while_varying(builder, masks.data(), n);
    return masks;
  }

  nb::object describe(uintptr_t handle) {
    nb::list dims;
    cuvil_value value = toValue(handle);
    for (size_t i = 0, n = api->rank(value); i < n; ++i)
      dims.append(describeDim(fromPointer(api->dim(value, i))));
    return nb::make_tuple(nb::str(getDtypeName(api->dtype(value))), dims);
  }
  nb::object describeDim(uintptr_t handle) {
    int64_t size;
    if (api->dim_constant(toDim(handle), &size))
      return nb::int_(size);
    std::string text = api->dim_string(builder, toDim(handle));
    std::erase(text, '@');
    return nb::cast(text);
  }
  uintptr_t dimConst(int64_t value) {
    return fromPointer(api->dim_const(builder, value));
  }
  uintptr_t dimSymbol(const std::string &name) {
    return fromPointer(api->dim_symbol(builder, name.c_str()));
  }
  uintptr_t dimBinary(int32_t op, uintptr_t a, uintptr_t b) {
    return fromPointer(api->dim_binary(builder, op, toDim(a), toDim(b)));
  }
  Handles bindDims(uintptr_t value, size_t count) {
    std::vector<cuvil_dim> dims(count);
    check(api->bind_dims(builder, toValue(value), dims.data(), count));
    return fromPointers(dims);
  }
  void setLocation(const std::string &text) {
    api->set_location(builder, text.c_str());
  }

  std::shared_ptr<Ir> finish() {
    check(cuvil_ir_finish(ir->get()));
    return ir;
  }

private:
  const cuvil_builder_api *api = nullptr;
  std::shared_ptr<Ir> ir;
  cuvil_builder *builder = nullptr;
};

} // namespace

void bindBuilder(nb::module_ &m) {
  nb::class_<Builder>(m, "Builder")
      .def(nb::init<>())
      .def("input", &Builder::addInput)
      .def("output", &Builder::addOutput)
      .def("constant", &Builder::addConstant)
      .def("op", &Builder::addOp)
      .def("begin_if", &Builder::beginIf)
      .def("begin_while", &Builder::beginWhile)
      .def("next_region", &Builder::nextRegion)
      .def("end_region", &Builder::endRegion)
      .def("varying", &Builder::getVarying)
      .def("describe", &Builder::describe)
      .def("dim_const", &Builder::dimConst)
      .def("dim_symbol", &Builder::dimSymbol)
      .def("dim_binary", &Builder::dimBinary)
      .def("bind_dims", &Builder::bindDims)
      .def("describe_dim", &Builder::describeDim)
      .def("set_location", &Builder::setLocation)
      .def("finish", &Builder::finish);
  nb::dict dtypes;
  for (int i = 1; i < kNumDtypes; ++i)
    dtypes[kDtypes[i].name] = i;
  m.attr("DTYPES") = dtypes;
  nb::dict dimOps;
  dimOps["add"] = +CUVIL_DIM_ADD;
  dimOps["mul"] = +CUVIL_DIM_MUL;
  dimOps["floordiv"] = +CUVIL_DIM_FLOORDIV;
  dimOps["ceildiv"] = +CUVIL_DIM_CEILDIV;
  dimOps["mod"] = +CUVIL_DIM_MOD;
  dimOps["min"] = +CUVIL_DIM_MIN;
  dimOps["max"] = +CUVIL_DIM_MAX;
  dimOps["bcast"] = +CUVIL_DIM_BCAST;
  m.attr("DIM_OPS") = dimOps;
}

} // namespace cuvil::python
