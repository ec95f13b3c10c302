// SPDX-License-Identifier: Apache-2.0
// Writes programs in the layout of ProgramFileLayout.h.
#include "cuvil/Runtime/ProgramFile.h"
#include "ByteStream.h"
#include "FileMappings.h"
#include "ProgramFileLayout.h"
#include "cuvil/Runtime/Digest.h"
#include "cuvil/Runtime/LoadedProgram.h"
#include <filesystem>

namespace cuvil {
namespace {

/// Smaller constants are not worth a reference.
constexpr size_t kMinReference = 4096;

class Writer {
public:
  explicit Writer(const std::string &modelPath) : modelPath(modelPath) {}

  Status program(const Program &p) {
    w.number(uint64_t(p.symbols.size()));
    for (const ProgramSymbol &symbol : p.symbols) {
      w.text(symbol.name);
      w.number(symbol.arg);
      w.number(symbol.dim);
    }
    w.number(uint64_t(p.buffers.size()));
    for (const ProgramBuffer &buffer : p.buffers)
      if (Status s = this->buffer(buffer); s.failed())
        return s;
    w.number(uint64_t(p.kernels.size()));
    for (const ProgramKernel &kernel : p.kernels) {
      if (kernel.function)
        return unsupported("kernel '" + kernel.symbol +
                           "' is a pointer into this process");
      w.text(kernel.symbol);
    }
    if (Status s = library(p.library); s.failed())
      return s;
    w.number(uint64_t(p.blocks.size()));
    for (const ProgramBlock &block : p.blocks) {
      w.number(uint64_t(block.steps.size()));
      for (const ProgramStep &step : block.steps)
        if (Status s = this->step(step); s.failed())
          return s;
    }
    return {};
  }

  Status sideFiles(const std::vector<std::string> &paths) {
    w.number(uint64_t(paths.size()));
    for (const std::string &path : paths)
      if (Status s = stampedFile(path); s.failed())
        return s;
    return {};
  }

  std::string finish(const std::string &report) {
    w.text(report);
    size_t metaSize = w.out.size();
    std::string body = std::move(w.out);
    body.resize(align64(kHeadBytes + metaSize) - kHeadBytes);
    body += blobs;
    ByteWriter head;
    head.out.assign(kMagic, sizeof(kMagic));
    head.number(kFormat);
    head.number(uint32_t(0));
    head.number(uint64_t(metaSize));
    head.number(uint64_t(blobs.size()));
    head.out += digestOf(body.data(), body.size());
    head.out.resize(kHeadBytes);
    return head.out + body;
  }

private:
  static Status unsupported(const std::string &what) {
    return Status(CUVIL_UNSUPPORTED, "the program cannot be saved: " + what);
  }

  void expr(const SizeExpr &e) { w.numbers(e.getCode()); }

  Status buffer(const ProgramBuffer &b) {
    w.number(b.kind);
    w.number(b.dtype);
    w.number(b.index);
    w.number(uint64_t(b.dims.size()));
    for (const SizeExpr &dim : b.dims)
      expr(dim);
    expr(b.bytes);
    w.text(b.name);
    if (!b.constant) {
      w.number(kNone);
      return {};
    }
    const Constant &c = *b.constant;
    std::string file = c.getFile();
    uint64_t offset = c.getFileOffset();
    if (file.empty() &&
        (c.getSize() < kMinReference ||
         !mappings.find(c.getData(), c.getSize(), file, offset))) {
      w.number(kInline);
      w.number(uint64_t(blobs.size()));
      w.number(uint64_t(c.getSize()));
      if (c.getSize())
        blobs.append(static_cast<const char *>(c.getData()), c.getSize());
      blobs.resize(align64(blobs.size()));
      return {};
    }
    std::error_code ec;
    bool inModel = !modelPath.empty() &&
                   std::filesystem::equivalent(file, modelPath, ec);
    w.number(inModel ? kModel : kFile);
    if (!inModel) {
      if (Status s = stampedFile(file); s.failed())
        return s;
    }
    w.number(offset);
    w.number(uint64_t(c.getSize()));
    return {};
  }

  Status stampedFile(const std::string &path) {
    auto stamp = stampFile(path);
    if (stamp.failed())
      return stamp.takeError();
    std::error_code ec;
    w.text(std::filesystem::absolute(path, ec).string());
    w.number(stamp->size);
    w.number(stamp->modified);
    return {};
  }

  Status library(const std::string &path) {
    w.text(path);
    if (path.empty())
      return {};
    auto file = MappedFile::open(path);
    if (file.failed())
      return file.takeError();
    w.text(digestOf((*file)->data(), (*file)->size()));
    return {};
  }

  Status step(const ProgramStep &s) {
    if (s.host)
      return unsupported("'" + s.label + "' is a callback into this process");
    w.number(s.kind);
    w.number(s.relation);
    w.number(s.kernel);
    w.number(s.numWrites);
    w.numbers(s.buffers);
    w.number(uint64_t(s.sizes.size()));
    for (const SizeExpr &size : s.sizes)
      expr(size);
    for (const SizeExpr *e : {&s.tiles, &s.scratch, &s.flops, &s.bytes})
      expr(*e);
    w.numbers(s.symbols);
    w.number(s.blocks[0]);
    w.number(s.blocks[1]);
    for (const std::string *text : {&s.message, &s.location, &s.label})
      w.text(*text);
    if (s.kind != CUVIL_STEP_INVOKE)
      return {};
    const Program *inner = getWrappedProgram(s.executable.get());
    if (!inner)
      return unsupported("'" + s.label + "' runs an opaque executable");
    return program(*inner);
  }

  const std::string &modelPath;
  FileMappings mappings;
  ByteWriter w;
  std::string blobs;
};

} // namespace

StatusOr<std::string> writeProgram(const Program &program,
                                   const std::string &report,
                                   const std::string &modelPath,
                                   const std::vector<std::string> &sideFiles) {
  Writer writer(modelPath);
  if (Status s = writer.sideFiles(sideFiles); s.failed())
    return s;
  if (Status s = writer.program(program); s.failed())
    return s;
  return writer.finish(report);
}

} // namespace cuvil
