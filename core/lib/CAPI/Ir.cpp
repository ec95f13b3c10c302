// SPDX-License-Identifier: Apache-2.0
// Imported and hand-built models: forwards to the compiler library.
#include "Import.h"
#include "cuvil/Plugin/Host.h"
#include "cuvil/Plugin/Registry.h"
#include "cuvil/Plugin/SideFiles.h"
#include "cuvil/Runtime/StructCopy.h"
#include <malloc.h>
#include <cstdio>
#include <filesystem>

namespace cuvil {
namespace {

constexpr size_t kHeadBytes = 4096;

/// The first bytes of the model, for the frontends to look at.
Status readHead(const cuvil_model_source &source, std::string &out) {
  if (source.data) {
    out.assign(static_cast<const char *>(source.data),
               std::min(source.size, kHeadBytes));
    return {};
  }
  if (!source.path || !*source.path)
    return Status(CUVIL_INVALID_ARGUMENT, "the model has neither path nor data");
  auto fail = [&](int32_t code, const std::string &what) {
    return Status(code, "cannot read model '" + std::string(source.path) +
                            "': " + what,
                  source.path);
  };
  std::error_code ec;
  std::filesystem::file_status status =
      std::filesystem::status(source.path, ec);
  if (!std::filesystem::exists(status))
    return fail(CUVIL_NOT_FOUND, "there is no such file");
  // Folders may be models; pipes and devices would block.
  if (std::filesystem::is_directory(status))
    return {};
  if (!std::filesystem::is_regular_file(status))
    return fail(CUVIL_INVALID_ARGUMENT, "it is not a regular file");
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(source.path, "rb"),
                                              std::fclose);
  if (!file)
    return fail(CUVIL_IO_ERROR, "it cannot be opened");
  out.resize(kHeadBytes);
  out.resize(std::fread(out.data(), 1, out.size(), file.get()));
  if (std::ferror(file.get()))
    return fail(CUVIL_IO_ERROR, "read error");
  return {};
}

} // namespace

void IrDeleter::operator()(cuvil_ir *ir) const {
  getOpenCompiler()->ir_destroy(ir);
  // A compilation's many small blocks would stay with the process for good.
  malloc_trim(0);
}

StatusOr<IrPtr> importModel(const cuvil_model_source &given,
                            const std::string &format,
                            const cuvil_options *options,
                            std::vector<std::string> *sideFiles) {
  cuvil_model_source source = zeroExtended(given);
  std::string head;
  if (Status s = readHead(source, head); s.failed())
    return s;
  auto frontend = PluginRegistry::get().findFrontend(
      source.path ? source.path : "", head.data(), head.size(), format);
  if (frontend.failed())
    return frontend.takeError();
  auto compiler = openCompiler();
  if (compiler.failed())
    return compiler.takeError();
  const cuvil_compiler_api &api = **compiler;
  cuvil_ir *raw = nullptr;
  if (Status s = Status::adopt(api.ir_create(options, &raw)); s.failed())
    return s;
  IrPtr ir(raw);
  const cuvil_frontend &table = *frontend->table;
  SideFileScope files(api.ir_builder(raw));
  Status status = Status::adopt(guardC([&] {
    return Status::adopt(
        table.import(table.state, &source, api.ir_builder(raw)));
  }));
  if (status.failed())
    return status;
  if (Status s = Status::adopt(api.ir_finish(raw)); s.failed())
    return s;
  if (sideFiles)
    *sideFiles = files.getFiles();
  return ir;
}

} // namespace cuvil

using namespace cuvil;

namespace {

/// Runs `body` with the compiler library open.
template <typename Body> cuvil_status *withCompiler(Body body) {
  return guardC([&]() -> Status {
    auto compiler = openCompiler();
    if (compiler.failed())
      return compiler.takeError();
    return Status::adopt(body(**compiler));
  });
}

} // namespace

cuvil_status *cuvil_import(const cuvil_model_source *source,
                           const char *format, const cuvil_options *options,
                           cuvil_ir **out) {
  return guardC([&]() -> Status {
    if (!source || !out)
      return Status(CUVIL_INVALID_ARGUMENT, "cuvil_import: null argument");
    auto ir = importModel(*source, format ? format : "", options);
    if (ir.failed())
      return ir.takeError();
    *out = ir->release();
    return {};
  });
}

cuvil_status *cuvil_ir_parse(const char *text, size_t size, cuvil_ir **out) {
  return withCompiler([&](const cuvil_compiler_api &api) {
    return api.ir_parse(text, size, out);
  });
}

cuvil_status *cuvil_ir_create(const cuvil_options *options, cuvil_ir **out) {
  return withCompiler([&](const cuvil_compiler_api &api) {
    return api.ir_create(options, out);
  });
}

cuvil_builder *cuvil_ir_builder(cuvil_ir *ir) {
  return getOpenCompiler()->ir_builder(ir);
}

cuvil_status *cuvil_get_builder_api(const cuvil_builder_api **out) {
  return withCompiler([&](const cuvil_compiler_api &api) {
    *out = api.builder;
    return nullptr;
  });
}

cuvil_status *cuvil_ir_finish(cuvil_ir *ir) {
  return withCompiler(
      [&](const cuvil_compiler_api &api) { return api.ir_finish(ir); });
}

const char *cuvil_ir_print(cuvil_ir *ir) {
  return getOpenCompiler()->ir_print(ir);
}

cuvil_status *cuvil_ir_tensor(cuvil_ir *ir, const char *name,
                              cuvil_tensor_info *out) {
  return withCompiler([&](const cuvil_compiler_api &api) {
    return api.ir_tensor(ir, name, out);
  });
}

size_t cuvil_ir_num_tensors(cuvil_ir *ir, int32_t which) {
  return getOpenCompiler()->ir_num_tensors(ir, which);
}

cuvil_status *cuvil_ir_tensor_at(cuvil_ir *ir, int32_t which, size_t i,
                                 cuvil_tensor_info *out) {
  return withCompiler([&](const cuvil_compiler_api &api) {
    return api.ir_tensor_at(ir, which, i, out);
  });
}

void cuvil_ir_destroy(cuvil_ir *ir) {
  if (ir)
    IrDeleter()(ir);
}
