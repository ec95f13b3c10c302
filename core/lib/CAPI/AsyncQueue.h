// SPDX-License-Identifier: Apache-2.0
// Threads that run submitted calls.
#ifndef CUVIL_LIB_CAPI_ASYNCQUEUE_H
#define CUVIL_LIB_CAPI_ASYNCQUEUE_H

#include "cuvil/Runtime/Status.h"
#include <functional>

namespace cuvil {

/// Runs `task` on a runtime thread, in order of submission. Refused when too
/// many are waiting. A forked child starts with an empty queue.
Status submitTask(std::function<void()> task);

} // namespace cuvil

#endif // CUVIL_LIB_CAPI_ASYNCQUEUE_H
