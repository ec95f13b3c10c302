// SPDX-License-Identifier: Apache-2.0
// The status object behind the C ABI.
#include "cuvil/Runtime/Status.h"
#include "cuvil/c_api.h"

struct cuvil_status {
  int32_t code;
  std::string message, where, hint;
};

namespace {
/// Leaked: statuses may be released while the process ends.
cuvil_status *outOfMemory() {
  static auto *status =
      new cuvil_status{CUVIL_RESOURCE_EXHAUSTED, "out of memory", "", ""};
  return status;
}
/// Made at load time, when there still is memory.
[[maybe_unused]] cuvil_status *const prepared = outOfMemory();
} // namespace

namespace cuvil {

cuvil_status *createStatus(int32_t code, const char *message,
                           const char *where, const char *hint) {
  try {
    return new cuvil_status{code, message ? message : "", where ? where : "",
                            hint ? hint : ""};
  } catch (...) {
    return outOfMemory();
  }
}

Status::~Status() { cuvil_status_release(status); }
int32_t Status::code() const { return cuvil_status_code(status); }
const char *Status::message() const { return cuvil_status_message(status); }
const char *Status::where() const { return cuvil_status_where(status); }
const char *Status::hint() const { return cuvil_status_hint(status); }

const char *getCodeName(int32_t code) {
  static const char *const names[] = {"OK",
                                      "INVALID_ARGUMENT",
                                      "INVALID_MODEL",
                                      "UNSUPPORTED",
                                      "NOT_FOUND",
                                      "OUT_OF_RANGE",
                                      "RESOURCE_EXHAUSTED",
                                      "FAILED_PRECONDITION",
                                      "PERMISSION_DENIED",
                                      "IO_ERROR",
                                      "CANCELLED",
                                      "DEADLINE_EXCEEDED",
                                      "INCOMPATIBLE",
                                      "PLUGIN_FAILURE",
                                      "ARITHMETIC",
                                      "INTERNAL"};
  if (code < 0 || code >= int32_t(std::size(names)))
    return "UNKNOWN";
  return names[code];
}

} // namespace cuvil

int32_t cuvil_status_code(const cuvil_status *s) {
  return s ? s->code : CUVIL_OK;
}
const char *cuvil_status_code_name(int32_t code) {
  return cuvil::getCodeName(code);
}
const char *cuvil_status_message(const cuvil_status *s) {
  return s ? s->message.c_str() : "";
}
const char *cuvil_status_where(const cuvil_status *s) {
  return s ? s->where.c_str() : "";
}
const char *cuvil_status_hint(const cuvil_status *s) {
  return s ? s->hint.c_str() : "";
}
void cuvil_status_release(cuvil_status *s) {
  if (s != outOfMemory())
    delete s;
}
