// SPDX-License-Identifier: Apache-2.0
// Import and compile in one call, through the compile cache.
#include "CacheKey.h"
#include "Compile.h"
#include "Import.h"
#include "cuvil/Plugin/Host.h"
#include "cuvil/Runtime/CompileCache.h"
#include "cuvil/Runtime/ProgramFile.h"
#include "cuvil/Runtime/StructCopy.h"
#include <chrono>

using namespace cuvil;

namespace {

using ModelPtr = std::shared_ptr<CompiledModel>;

class CachedCompile {
public:
  CachedCompile(const cuvil_model_source &source, std::string format,
                std::string device, const CompileOptions &options,
                const cuvil_options *given)
      : source(source), format(std::move(format)), device(std::move(device)),
        options(options), given(given),
        modelPath(source.path ? source.path : "") {}

  StatusOr<ModelPtr> run(cuvil_progress_fn progress, void *state) {
    openCache();
    if (cache)
      if (ModelPtr model = lookup())
        return model;
    std::vector<std::string> sideFiles;
    auto start = std::chrono::steady_clock::now();
    if (progress && progress(state, "import", 0))
      return Status(CUVIL_CANCELLED, "the compilation was cancelled");
    auto ir = importModel(source, format, given, &sideFiles);
    if (ir.failed())
      return ir.takeError();
    std::chrono::duration<double> passed =
        std::chrono::steady_clock::now() - start;
    if (progress && progress(state, "compile", passed.count()))
      return Status(CUVIL_CANCELLED, "the compilation was cancelled");
    auto compiled = compileIr(ir->get(), device, options, progress, state);
    if (compiled.failed())
      return compiled.takeError();
    // The IR's memory is of no use while init runs.
    ir->reset();
    std::string outcome = cache ? store(*compiled, sideFiles) : "off";
    return makeModel(std::move(*compiled), options, outcome);
  }

private:
  void openCache() {
    if (!options.isOn("cache", true))
      return;
    std::string root = getCacheRoot();
    auto opened = CompileCache::open(root.empty() ? "" : root + "/programs");
    if (opened.failed())
      return log("the compile cache is not used: ", opened.takeError());
    auto made = makeCacheKey(source, format, device, options);
    // What is wrong with the model is for the importer to say.
    if (made.failed())
      return;
    key = *made;
    cache.emplace(std::move(*opened));
  }

  /// The model from its entry; null for a miss, whatever the reason.
  ModelPtr lookup() {
    auto file = cache->lookup(key);
    if (file.failed())
      return nullptr;
    auto saved = readProgram(*file, modelPath);
    if (saved.failed()) {
      log("cache entry dropped: ", saved.takeError());
      cache->remove(key);
      return nullptr;
    }
    auto model = makeModel({std::move(saved->program), saved->report}, options,
                           "hit");
    if (model.ok())
      return *model;
    log("cache entry dropped: ", model.takeError());
    cache->remove(key);
    return nullptr;
  }

  std::string store(const CompileOutput &compiled,
                    const std::vector<std::string> &sideFiles) {
    auto bytes = writeProgram(*compiled.program, compiled.report, modelPath,
                              sideFiles);
    if (bytes.failed())
      return std::string("not stored: ") + bytes.takeError().message();
    if (Status s = cache->store(key, *bytes); s.failed())
      return std::string("not stored: ") + s.message();
    return "stored";
  }

  static void log(const std::string &what, const Status &why) {
    getHost().log(CUVIL_LOG_INFO, (what + why.message()).c_str());
  }

  const cuvil_model_source &source;
  const std::string format, device;
  const CompileOptions &options;
  const cuvil_options *given;
  const std::string modelPath;
  std::optional<CompileCache> cache;
  std::string key;
};

} // namespace

cuvil_status *cuvil_compile(const cuvil_model_source *given,
                            const char *format, const char *device,
                            const cuvil_options *givenOptions,
                            cuvil_progress_fn progress, void *state,
                            cuvil_compiled **out) {
  return guardC([&]() -> Status {
    if (!given || !out)
      return Status(CUVIL_INVALID_ARGUMENT, "cuvil_compile: null argument");
    cuvil_model_source source = zeroExtended(*given);
    auto options = CompileOptions::parse(givenOptions);
    if (options.failed())
      return options.takeError();
    CachedCompile compile(source, format ? format : "",
                          device && *device ? device : "auto", *options,
                          givenOptions);
    auto model = compile.run(progress, state);
    if (model.failed())
      return model.takeError();
    *out = new cuvil_compiled_t{std::move(*model)};
    return {};
  });
}
