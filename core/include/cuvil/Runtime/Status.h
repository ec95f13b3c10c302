// SPDX-License-Identifier: Apache-2.0
// Errors of the runtime: the C status object and its C++ owner.
#ifndef CUVIL_RUNTIME_STATUS_H
#define CUVIL_RUNTIME_STATUS_H

#include "cuvil/plugin.h"
#include <exception>
#include <new>
#include <optional>
#include <string>
#include <utility>

namespace cuvil {

/// Makes a C status; never returns null (out of memory gives a shared one).
cuvil_status *createStatus(int32_t code, const char *message,
                           const char *where = "", const char *hint = "");

/// Success, or an owned C status.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(int32_t code, const std::string &message,
         const std::string &where = "", const std::string &hint = "")
      : status(createStatus(code, message.c_str(), where.c_str(),
                            hint.c_str())) {}
  Status(Status &&other) noexcept
      : status(std::exchange(other.status, nullptr)) {}
  Status &operator=(Status &&other) noexcept {
    std::swap(status, other.status);
    return *this;
  }
  ~Status();

  /// Takes over a status made elsewhere; null is success.
  static Status adopt(cuvil_status *status) {
    Status result;
    result.status = status;
    return result;
  }

  bool ok() const { return !status; }
  bool failed() const { return status; }
  int32_t code() const;
  const char *message() const;
  const char *where() const;
  const char *hint() const;
  /// Gives the status away; null on success.
  cuvil_status *release() { return std::exchange(status, nullptr); }

private:
  cuvil_status *status = nullptr;
};

/// A value or the reason why there is none.
template <typename T> class [[nodiscard]] StatusOr {
public:
  StatusOr(T value) : value(std::move(value)) {}
  StatusOr(Status error) : error(std::move(error)) {}

  bool ok() const { return value.has_value(); }
  bool failed() const { return !ok(); }
  T &operator*() { return *value; }
  const T &operator*() const { return *value; }
  T *operator->() { return &*value; }
  const T *operator->() const { return &*value; }
  Status takeError() { return std::move(error); }

private:
  std::optional<T> value;
  Status error;
};

/// Stable name of a code, e.g. "INVALID_MODEL".
const char *getCodeName(int32_t code);

/// Runs `body`, which returns a Status, and turns exceptions into statuses:
/// the frame around every function that C calls.
template <typename Body> cuvil_status *guardC(Body &&body) noexcept {
  try {
    return body().release();
  } catch (const std::bad_alloc &) {
    return createStatus(CUVIL_RESOURCE_EXHAUSTED, "out of memory");
  } catch (const std::exception &e) {
    return createStatus(CUVIL_INTERNAL, e.what());
  } catch (...) {
    return createStatus(CUVIL_INTERNAL, "unknown exception");
  }
}

} // namespace cuvil

#endif // CUVIL_RUNTIME_STATUS_H
