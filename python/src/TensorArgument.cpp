// SPDX-License-Identifier: Apache-2.0
// The buffer protocol for numpy, capsules for torch and everything else.
#include "TensorArgument.h"
#include "Dtypes.h"
#include "Errors.h"
#include <cstring>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace cuvil::python {
namespace {

constexpr const char *kAccepted =
    "pass a numpy array, a torch tensor or another DLPack tensor";

/// str(object); nb::str of an attribute would not convert.
std::string toText(const nb::object &object) {
  return nb::cast<std::string>(nb::steal(PyObject_Str(object.ptr())));
}

std::string typeName(nb::handle object) {
  return toText(object.type().attr("__name__"));
}

// The versioned struct of DLPack 1.x begins with fields the old one lacks.
struct Versioned {
  uint32_t major, minor;
  void *context;
  void (*deleter)(Versioned *);
  uint64_t flags;
  cuvil_dl_tensor tensor;
};
constexpr uint64_t kReadOnly = 1;
struct Unversioned {
  cuvil_dl_tensor tensor;
  void *context;
  void (*deleter)(Unversioned *);
};

/// torch, if the process has imported it.
nb::handle getTensorClass() {
  static PyObject *cached = nullptr;
  if (!cached) {
    nb::object torch = nb::module_::import_("sys").attr("modules").attr("get")(
        "torch", nb::none());
    if (!torch.is_none() && nb::hasattr(torch, "Tensor"))
      cached = nb::object(torch.attr("Tensor")).release().ptr();
  }
  return cached;
}

/// The element type of a buffer's format text, NONE when Cuvil lacks it.
cuvil_dtype getBufferDtype(const char *format, size_t size) {
  if (!format)
    return CUVIL_U8;
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (!*format || format[1])
    return CUVIL_DTYPE_NONE;
  auto bySize = [size](cuvil_dtype of8, cuvil_dtype of16, cuvil_dtype of32,
                       cuvil_dtype of64) {
    return size == 1 ? of8 : size == 2 ? of16 : size == 4 ? of32 : of64;
  };
  switch (*format) {
  case '?':
    return CUVIL_BOOL;
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
  case 'n':
    return bySize(CUVIL_I8, CUVIL_I16, CUVIL_I32, CUVIL_I64);
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
  case 'N':
    return bySize(CUVIL_U8, CUVIL_U16, CUVIL_U32, CUVIL_U64);
  case 'e':
    return CUVIL_F16;
  case 'f':
    return CUVIL_F32;
  case 'd':
    return CUVIL_F64;
  default:
    return CUVIL_DTYPE_NONE;
  }
}

} // namespace

TensorArgument::~TensorArgument() {
  if (view.obj)
    PyBuffer_Release(&view);
}

void TensorArgument::open(nb::handle object, const std::string &role,
                          bool writable) {
  if (PyObject_CheckBuffer(object.ptr()) && openBuffer(object, role, writable))
    return;
  nb::handle tensorClass = getTensorClass();
  if (tensorClass.ptr() &&
      PyObject_IsInstance(object.ptr(), tensorClass.ptr()) == 1)
    return openTorch(object, role, writable);
  if (nb::hasattr(object, "__dlpack__"))
    return openDLPack(object, role);
  raise(CUVIL_INVALID_ARGUMENT,
        role + ": expected a tensor, got " + typeName(object), role, kAccepted);
}

void TensorArgument::setStrides(const std::string &role, bool writable) {
  int64_t size = view.itemsize;
  int64_t *strides = inlineStrides;
  if (view.ndim > kInlineRank) {
    longStrides = std::make_unique<int64_t[]>(view.ndim);
    strides = longStrides.get();
  }
  for (int i = 0; i < view.ndim; ++i) {
    if (view.strides[i] % size)
      raise(CUVIL_INVALID_ARGUMENT,
            role + ": strides are not multiples of the element size", role,
            writable ? "pass an ordinary array"
                     : "pass numpy.ascontiguousarray(...) of it");
    strides[i] = view.strides[i] / size;
  }
  tensor.strides = strides;
}

bool TensorArgument::openBuffer(nb::handle object, const std::string &role,
                                bool writable) {
  int flags = PyBUF_FORMAT | PyBUF_STRIDES | (writable ? PyBUF_WRITABLE : 0);
  nb::object source = nb::borrow(object);
  cuvil_dtype dtype = CUVIL_DTYPE_NONE;
  if (PyObject_GetBuffer(object.ptr(), &view, flags) == 0) {
    dtype = getBufferDtype(view.format, view.itemsize);
  } else {
    PyErr_Clear();
    // Read-only, or of a type that the buffer protocol cannot say (bf16).
    if (!nb::hasattr(object, "dtype"))
      return false;
    if (toText(object.attr("dtype")) == "bfloat16") {
      source = object.attr("view")("uint16");
      dtype = CUVIL_BF16;
    }
    if (PyObject_GetBuffer(source.ptr(), &view, flags) != 0) {
      PyErr_Clear();
      if (writable)
        raise(CUVIL_INVALID_ARGUMENT, role + ": the memory is read-only", role,
              "pass an array that can be written");
    }
  }
  if (dtype == CUVIL_DTYPE_NONE && view.format && *view.format == '>') {
    if (writable)
      raise(CUVIL_INVALID_ARGUMENT, role + ": big-endian elements", role,
            "pass an array of native byte order");
    PyBuffer_Release(&view);
    nb::object order = object.attr("dtype").attr("newbyteorder")("=");
    source = object.attr("astype")(order);
    if (PyObject_GetBuffer(source.ptr(), &view, flags) != 0)
      throw nb::python_error();
    dtype = getBufferDtype(view.format, view.itemsize);
  }
  if (dtype == CUVIL_DTYPE_NONE) {
    std::string name = nb::hasattr(object, "dtype")
                           ? toText(object.attr("dtype"))
                           : std::string(view.format ? view.format : "?");
    raise(CUVIL_INVALID_ARGUMENT,
          role + ": elements of type " + name + " are not supported", role,
          std::string("supported: ") + kDtypeList);
  }
  tensor.data = view.buf;
  tensor.device = {1, 0};
  tensor.ndim = view.ndim;
  tensor.dtype = toDlDtype(dtype);
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  tensor.shape = reinterpret_cast<int64_t *>(view.shape);
  if (!PyBuffer_IsContiguous(&view, 'C'))
    setStrides(role, writable);
  return true;
}

void TensorArgument::openTorch(nb::handle object, const std::string &role,
                               bool writable) {
  origin = TensorOrigin::Torch;
  nb::object source = nb::borrow(object);
  nb::object torch = nb::module_::import_("torch");
  if (nb::cast<bool>(object.attr("requires_grad"))) {
    if (nb::cast<bool>(torch.attr("is_grad_enabled")()))
      raise(CUVIL_FAILED_PRECONDITION,
            role + " requires grad, but compiled models compute no gradients",
            role, "call under torch.no_grad(), or pass tensor.detach()");
    source = object.attr("detach")();
  }
  if (toText(object.attr("layout")) != "torch.strided")
    raise(CUVIL_INVALID_ARGUMENT, role + ": sparse tensors are not supported",
          role, "pass tensor.to_dense()");
  std::string device = toText(object.attr("device").attr("type"));
  if (device != "cpu")
    raise(CUVIL_INVALID_ARGUMENT,
          role + ": expected memory of the CPU, got " + device, role,
          "pass tensor.cpu()");
  // A lazily negated or conjugated view has other bytes than values.
  if (nb::cast<bool>(source.attr("is_neg")()))
    source = source.attr("resolve_neg")();
  nb::object capsule;
  try {
    capsule = torch.attr("_C").attr("_to_dlpack")(source);
  } catch (nb::python_error &error) {
    raise(CUVIL_INVALID_ARGUMENT, role + ": " + error.what(), role);
  }
  takeCapsule(std::move(capsule), role, writable);
}

void TensorArgument::openDLPack(nb::handle object, const std::string &role) {
  origin = TensorOrigin::DLPack;
  nb::object capsule;
  try {
    try {
      capsule = object.attr("__dlpack__")(nb::arg("max_version") =
                                              nb::make_tuple(1, 0));
    } catch (nb::python_error &error) {
      if (!error.matches(PyExc_TypeError))
        throw;
      capsule = object.attr("__dlpack__")();
    }
  } catch (nb::python_error &error) {
    raise(CUVIL_INVALID_ARGUMENT,
          role + ": " + typeName(object) +
              ".__dlpack__ failed: " + error.what(),
          role);
  }
  takeCapsule(std::move(capsule), role, false);
}

void TensorArgument::takeCapsule(nb::object capsule, const std::string &role,
                                 bool writable) {
  // The capsule is never marked as used, so it frees the tensor by itself.
  if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned")) {
    auto *managed = static_cast<Versioned *>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    if (managed->major != 1)
      raise(CUVIL_INCOMPATIBLE,
            role + ": DLPack version " + std::to_string(managed->major) +
                " is not known",
            role);
    if (writable && (managed->flags & kReadOnly))
      raise(CUVIL_INVALID_ARGUMENT, role + ": the memory is read-only", role);
    tensor = managed->tensor;
  } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor")) {
    tensor = static_cast<Unversioned *>(
                 PyCapsule_GetPointer(capsule.ptr(), "dltensor"))
                 ->tensor;
  } else {
    raise(CUVIL_INVALID_ARGUMENT, role + ": not a DLPack capsule", role,
          kAccepted);
  }
  if (fromDlDtype(tensor.dtype) == CUVIL_DTYPE_NONE)
    raise(CUVIL_INVALID_ARGUMENT,
          role + ": elements of DLPack type (code " +
              std::to_string(tensor.dtype.code) + ", bits " +
              std::to_string(tensor.dtype.bits) + ") are not supported",
          role, std::string("supported: ") + kDtypeList);
  keep = std::move(capsule);
}

} // namespace cuvil::python
