// SPDX-License-Identifier: Apache-2.0
// numpy sees results through a small buffer object, torch through a capsule.
#include "Results.h"
#include "Dtypes.h"
#include "Errors.h"
#include <utility>

namespace nb = nanobind;

namespace cuvil::python {
namespace {

//===----------------------------------------------------------------------===//
// The buffer object that numpy arrays keep as their base
//===----------------------------------------------------------------------===//

struct ResultMemory {
  PyObject_HEAD void *data;
  Py_ssize_t size;
  void *owner;
  void (*release)(void *owner);
};

int getBuffer(PyObject *self, Py_buffer *view, int flags) {
  auto *memory = reinterpret_cast<ResultMemory *>(self);
  return PyBuffer_FillInfo(view, self, memory->data, memory->size, 0, flags);
}

void deallocate(PyObject *self) {
  auto *memory = reinterpret_cast<ResultMemory *>(self);
  if (memory->release)
    memory->release(memory->owner);
  PyTypeObject *type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

PyType_Slot memorySlots[] = {
    {Py_bf_getbuffer, reinterpret_cast<void *>(getBuffer)},
    {Py_tp_dealloc, reinterpret_cast<void *>(deallocate)},
    {0, nullptr}};
PyType_Spec memorySpec = {"cuvil._cuvil.ResultMemory", sizeof(ResultMemory), 0,
                          Py_TPFLAGS_DEFAULT, memorySlots};

//===----------------------------------------------------------------------===//
// Objects looked up once
//===----------------------------------------------------------------------===//

PyTypeObject *memoryType = nullptr;
PyObject *ndarray = nullptr;
PyObject *dtypes[kNumDtypes] = {};

PyObject *getDtype(cuvil_dtype dtype) {
  if (!ndarray)
    ndarray = nb::object(nb::module_::import_("numpy").attr("ndarray"))
                  .release()
                  .ptr();
  if (dtype <= 0 || dtype >= kNumDtypes)
    raise(CUVIL_INTERNAL, "a result has an unknown element type");
  if (!dtypes[dtype]) {
    nb::object scalar;
    if (dtype == CUVIL_BF16) {
      try {
        scalar = nb::module_::import_("ml_dtypes").attr("bfloat16");
      } catch (nb::python_error &) {
        raise(CUVIL_UNSUPPORTED, "a result is bf16, which numpy alone lacks",
              "", "pip install ml_dtypes, or pass torch tensors");
      }
    } else {
      scalar = nb::cast(kDtypes[dtype].numpy);
    }
    dtypes[dtype] =
        nb::object(nb::module_::import_("numpy").attr("dtype")(scalar))
            .release()
            .ptr();
  }
  return dtypes[dtype];
}

int64_t countBytes(const cuvil_dl_tensor &tensor) {
  int64_t bytes = tensor.dtype.bits / 8;
  for (int32_t i = 0; i < tensor.ndim; ++i)
    bytes *= tensor.shape[i];
  return bytes;
}

//===----------------------------------------------------------------------===//
// DLPack, as torch takes it
//===----------------------------------------------------------------------===//

struct Managed {
  cuvil_dl_tensor tensor;
  void *context;
  void (*deleter)(Managed *);
  void *owner;
  void (*release)(void *owner);
};

void deleteManaged(Managed *managed) {
  if (managed->release)
    managed->release(managed->owner);
  delete managed;
}

// A consumer renames the capsule; only an unused one frees its tensor.
void deleteCapsule(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor"))
    deleteManaged(
        static_cast<Managed *>(PyCapsule_GetPointer(capsule, "dltensor")));
}

} // namespace

void releaseOutput(cuvil_output &output) {
  if (output.release)
    output.release(output.owner);
  output.release = nullptr;
  output.owner = nullptr;
}

nb::object toNumpy(cuvil_output &output) {
  const cuvil_dl_tensor &tensor = output.tensor;
  PyObject *dtype = getDtype(fromDlDtype(tensor.dtype));
  nb::object shape = nb::steal(PyTuple_New(tensor.ndim));
  for (int32_t i = 0; i < tensor.ndim; ++i)
    PyTuple_SET_ITEM(shape.ptr(), i, PyLong_FromLongLong(tensor.shape[i]));
  auto *memory =
      reinterpret_cast<ResultMemory *>(memoryType->tp_alloc(memoryType, 0));
  if (!memory)
    throw nb::python_error();
  nb::object base = nb::steal(reinterpret_cast<PyObject *>(memory));
  memory->data = static_cast<char *>(tensor.data) + tensor.byte_offset;
  memory->size = countBytes(tensor);
  memory->owner = std::exchange(output.owner, nullptr);
  memory->release = std::exchange(output.release, nullptr);
  PyObject *arguments[] = {shape.ptr(), dtype, base.ptr()};
  nb::object array =
      nb::steal(PyObject_Vectorcall(ndarray, arguments, 3, nullptr));
  if (!array.is_valid())
    throw nb::python_error();
  return array;
}

nb::object toTorch(cuvil_output &output) {
  static PyObject *fromDlpack =
      nb::object(nb::module_::import_("torch").attr("_C").attr("_from_dlpack"))
          .release()
          .ptr();
  auto *managed = new Managed{output.tensor, nullptr, deleteManaged,
                              std::exchange(output.owner, nullptr),
                              std::exchange(output.release, nullptr)};
  nb::object capsule =
      nb::steal(PyCapsule_New(managed, "dltensor", deleteCapsule));
  if (!capsule.is_valid()) {
    deleteManaged(managed);
    throw nb::python_error();
  }
  return nb::handle(fromDlpack)(capsule);
}

void bindResults(nb::module_ &) {
  memoryType = reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&memorySpec));
  if (!memoryType)
    throw nb::python_error();
}

} // namespace cuvil::python
