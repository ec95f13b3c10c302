// SPDX-License-Identifier: Apache-2.0
// A Python tensor seen as a DLPack view, whatever library it comes from.
#ifndef CUVIL_PYTHON_TENSORARGUMENT_H
#define CUVIL_PYTHON_TENSORARGUMENT_H

#include "cuvil/c_api.h"
#include <memory>
#include <nanobind/nanobind.h>
#include <string>

namespace cuvil::python {

/// Where a tensor came from; decides what results are made of.
enum class TensorOrigin { Buffer, Torch, DLPack };

/// Borrows a tensor's memory for as long as it lives. Must be created and
/// destroyed with the GIL held.
class TensorArgument {
public:
  TensorArgument() = default;
  TensorArgument(const TensorArgument &) = delete;
  TensorArgument &operator=(const TensorArgument &) = delete;
  ~TensorArgument();

  /// Looks at `object`. `role` ("input 'x'") names it in errors; a `writable`
  /// view refuses read-only memory. Raises CuvilError.
  void open(nanobind::handle object, const std::string &role, bool writable);

  const cuvil_dl_tensor &getTensor() const { return tensor; }
  cuvil_dl_tensor &getTensor() { return tensor; }
  TensorOrigin getOrigin() const { return origin; }

private:
  static constexpr int kInlineRank = 8;

  bool openBuffer(nanobind::handle object, const std::string &role,
                  bool writable);
  void openTorch(nanobind::handle object, const std::string &role,
                 bool writable);
  void openDLPack(nanobind::handle object, const std::string &role);
  void takeCapsule(nanobind::object capsule, const std::string &role,
                   bool writable);
  void setStrides(const std::string &role, bool writable);

  cuvil_dl_tensor tensor = {};
  Py_buffer view = {};
  nanobind::object keep;
  int64_t inlineStrides[kInlineRank];
  std::unique_ptr<int64_t[]> longStrides;
  TensorOrigin origin = TensorOrigin::Buffer;
};

} // namespace cuvil::python

#endif // CUVIL_PYTHON_TENSORARGUMENT_H
