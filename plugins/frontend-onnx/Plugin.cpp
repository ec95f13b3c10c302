// SPDX-License-Identifier: Apache-2.0
// The plugin's border: the frontend table, and exceptions turned to statuses.
#include "Importer.h"

#include <cstring>
#include <new>

using namespace cuvil::onnx;

namespace {

const cuvil_host *host = nullptr;

cuvil_status *toStatus(int32_t code, const char *message) {
  return host->status_create(code, message);
}

/// Runs `body` and turns whatever it throws into a status.
template <typename Fn> cuvil_status *guarded(Fn body) {
  try {
    body();
    return nullptr;
  } catch (const HostError &error) {
    return error.status;
  } catch (const ImportError &error) {
    return toStatus(error.kind() == ImportError::Unsupported
                        ? CUVIL_UNSUPPORTED
                        : CUVIL_INVALID_MODEL,
                    error.what());
  } catch (const std::bad_alloc &) {
    return toStatus(CUVIL_RESOURCE_EXHAUSTED,
                    "out of memory while importing the ONNX model");
  } catch (const std::exception &error) {
    return toStatus(CUVIL_INTERNAL, error.what());
  } catch (...) {
    return toStatus(CUVIL_INTERNAL, "unknown exception in the ONNX frontend");
  }
}

int32_t sniff(void *, const char *path, const void *head, size_t size) {
  std::string_view name = path ? path : "";
  bool named = name.size() >= 5 && name.substr(name.size() - 5) == ".onnx";
  bool looks =
      head && looksLikeModel({static_cast<const std::byte *>(head), size});
  if (named)
    return looks ? 95 : 60;
  return looks ? 50 : 0;
}

/// Bytes of the caller; held by its retain and release when it has them.
std::shared_ptr<const void> holdBytes(const cuvil_model_source &source,
                                      Bytes &bytes) {
  if (source.retain && source.release) {
    source.retain(source.owner);
    bytes = {static_cast<const std::byte *>(source.data), source.size};
    auto release = source.release;
    return {source.owner, [release](void *owner) { release(owner); }};
  }
  auto begin = static_cast<const std::byte *>(source.data);
  auto copy = std::make_shared<const std::vector<std::byte>>(
      begin, begin + source.size);
  bytes = *copy;
  return copy;
}

cuvil_status *import(void *, const cuvil_model_source *source,
                     cuvil_builder *handle) {
  return guarded([&] {
    std::string path = source->path ? source->path : "";
    Bytes bytes;
    std::shared_ptr<const void> owner;
    if (source->data) {
      owner = holdBytes(*source, bytes);
    } else {
      auto file = MappedFile::open(path);
      bytes = file->bytes();
      owner = file;
    }
    std::string beside = path;
    if (source->base_folder)
      beside = std::string(source->base_folder) + "/model";
    ModelProto model = parseModel(bytes);
    Builder builder(*host, handle);
    Importer(builder, model, owner, ModelFolder(beside)).run();
  });
}

const char *const extensions[] = {".onnx", nullptr};
const cuvil_frontend frontend = {
    sizeof(cuvil_frontend), "onnx", extensions, nullptr, sniff, import};

cuvil_status *initialize(const cuvil_host *given,
                         const cuvil_registrar *registrar) {
  host = given;
  return registrar->add_frontend(registrar->state, &frontend);
}

} // namespace

CUVIL_PLUGIN("cuvil.frontend-onnx", "0.1.0", "Apache-2.0", CUVIL_FRONTEND,
             initialize, nullptr)
