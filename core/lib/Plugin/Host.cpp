// SPDX-License-Identifier: Apache-2.0
// The host table and the lazily opened compiler library.
#include "cuvil/Plugin/Host.h"
#include "cuvil/Plugin/SideFiles.h"
#include "cuvil/Runtime/Program.h"
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <mutex>

#ifndef CUVIL_VERSION
#define CUVIL_VERSION "0.1.0"
#endif

namespace cuvil {
namespace {

int32_t logThreshold() {
  const char *level = std::getenv("CUVIL_LOG");
  if (!level)
    return CUVIL_LOG_WARN;
  if (!std::strcmp(level, "debug"))
    return CUVIL_LOG_DEBUG;
  if (!std::strcmp(level, "info"))
    return CUVIL_LOG_INFO;
  if (!std::strcmp(level, "error"))
    return CUVIL_LOG_ERROR;
  return CUVIL_LOG_WARN;
}

void logMessage(int32_t level, const char *message) {
  static const int32_t threshold = logThreshold();
  if (level >= threshold && message)
    std::fprintf(stderr, "cuvil: %s\n", message);
}

cuvil_status *statusCreate(int32_t code, const char *message) {
  return createStatus(code, message);
}
cuvil_status *statusCreateAt(int32_t code, const char *message,
                             const char *where, const char *hint) {
  return createStatus(code, message, where, hint);
}

void *allocate(size_t size, size_t alignment) {
  if (alignment < sizeof(void *))
    alignment = sizeof(void *);
  void *memory = nullptr;
  return posix_memalign(&memory, alignment, size ? size : 1) == 0 ? memory
                                                                  : nullptr;
}

/// No extension is offered yet; a plugin must cope with that.
const void *getExtension(const char *, uint32_t) { return nullptr; }

cuvil_host &mutableHost() {
  static cuvil_host host = {sizeof(cuvil_host),
                            CUVIL_ABI_MAJOR,
                            CUVIL_ABI_MINOR,
                            getVersion(),
                            "",
                            logMessage,
                            statusCreate,
                            statusCreateAt,
                            cuvil_status_code,
                            cuvil_status_message,
                            cuvil_status_release,
                            allocate,
                            std::free,
                            nullptr,
                            nullptr,
                            getProgramApi(),
                            getExtension};
  return host;
}

std::atomic<const cuvil_compiler_api *> openedCompiler{nullptr};

Status loadCompiler() {
  std::string path = getLibraryFolder() + "/libcuvil-compiler.so";
  auto fail = [&](int32_t code, const std::string &what) {
    return Status(code, "cannot compile: " + what, path,
                  "a model that was compiled before can still be run");
  };
  std::error_code ec;
  if (!std::filesystem::exists(path, ec))
    return fail(CUVIL_NOT_FOUND, "'" + path + "' does not exist");
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return fail(CUVIL_INCOMPATIBLE,
                reason ? reason : "the compiler library cannot be loaded");
  }
  auto query = reinterpret_cast<cuvil_compiler_query_fn>(
      dlsym(handle, CUVIL_COMPILER_SYMBOL));
  if (!query)
    return fail(CUVIL_INCOMPATIBLE,
                std::string("the library has no symbol ") +
                    CUVIL_COMPILER_SYMBOL);
  const cuvil_compiler_api *api = query(&getHost());
  if (!api || api->struct_size < sizeof(cuvil_compiler_api))
    return fail(CUVIL_INCOMPATIBLE,
                "the compiler library is of another build than libcuvil.so");
  cuvil_host &host = mutableHost();
  host.fingerprint = api->fingerprint;
  host.graph = api->graph;
  host.builder = recordSideFiles(*api->builder);
  openedCompiler.store(api, std::memory_order_release);
  return {};
}

} // namespace

const char *getVersion() { return CUVIL_VERSION; }

const cuvil_host &getHost() { return mutableHost(); }

const std::string &getLibraryFolder() {
  static const std::string *folder = [] {
    Dl_info info;
    std::string path = ".";
    if (dladdr(reinterpret_cast<void *>(&getVersion), &info) &&
        info.dli_fname) {
      std::error_code ec;
      auto file = std::filesystem::canonical(info.dli_fname, ec);
      path = (ec ? std::filesystem::path(info.dli_fname) : file)
                 .parent_path()
                 .string();
    }
    return new std::string(path);
  }();
  return *folder;
}

StatusOr<const cuvil_compiler_api *> openCompiler() {
  if (const cuvil_compiler_api *api = getOpenCompiler())
    return api;
  static std::mutex mutex;
  std::lock_guard<std::mutex> lock(mutex);
  if (!getOpenCompiler())
    if (Status s = loadCompiler(); s.failed())
      return s;
  return getOpenCompiler();
}

const cuvil_compiler_api *getOpenCompiler() {
  return openedCompiler.load(std::memory_order_acquire);
}

} // namespace cuvil
