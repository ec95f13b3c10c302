// SPDX-License-Identifier: Apache-2.0
// Reads saved programs; trusts nothing in them but the digest's word that
// they are what was written.
#include "ByteStream.h"
#include "ProgramFileLayout.h"
#include "cuvil/Runtime/Digest.h"
#include "cuvil/Runtime/LoadedProgram.h"
#include "cuvil/Runtime/ProgramFile.h"
#include <map>

namespace cuvil {
namespace {

Status malformed(const std::string &what) {
  return Status(CUVIL_INVALID_MODEL, "the saved program is malformed: " + what);
}
Status changed(const std::string &path) {
  return Status(CUVIL_FAILED_PRECONDITION,
                "'" + path + "' has changed since the program was saved",
                path);
}

/// Keeps a mapping alive for a constant.
using FileOwner = std::shared_ptr<MappedFile>;

class Reader {
public:
  Reader(const FileOwner &file, const std::string &modelPath,
         const char *meta, size_t metaSize, const char *blobs,
         size_t blobSize)
      : file(file), modelPath(modelPath), r(meta, metaSize), blobs(blobs),
        blobSize(blobSize) {}

  StatusOr<std::unique_ptr<Program>> program(int depth = 0) {
    std::unique_ptr<Program> p = std::make_unique<cuvil_program_t>();
    if (depth > kMaxNesting)
      return malformed("too deeply nested");
    p->symbols.resize(r.count(24));
    for (ProgramSymbol &symbol : p->symbols) {
      symbol.name = r.text();
      symbol.arg = r.number<int64_t>();
      symbol.dim = r.number<int64_t>();
    }
    p->buffers.resize(r.count(40));
    for (ProgramBuffer &b : p->buffers)
      if (Status s = buffer(b); s.failed())
        return s;
    p->kernels.resize(r.count(8));
    for (ProgramKernel &kernel : p->kernels)
      kernel.symbol = r.text();
    if (Status s = library(p->library); s.failed())
      return s;
    p->blocks.resize(r.count(8));
    for (ProgramBlock &block : p->blocks) {
      block.steps.resize(r.count(100));
      for (ProgramStep &s : block.steps)
        if (Status status = step(s, depth); status.failed())
          return status;
    }
    if (!r.ok())
      return malformed("it ends too early");
    return p;
  }

  Status sideFiles() {
    for (size_t n = r.count(24); n > 0; --n) {
      std::string path = r.text();
      FileStamp stamp;
      stamp.size = r.number<uint64_t>();
      stamp.modified = r.number<int64_t>();
      auto now = stampFile(path);
      if (now.failed() || *now != stamp)
        return changed(path);
    }
    return {};
  }

  std::string report() { return r.text(); }
  bool complete() const { return r.ok() && r.atEnd(); }

private:
  SizeExpr expr() { return SizeExpr(r.numbers<int64_t>()); }
  std::vector<SizeExpr> exprs() {
    std::vector<SizeExpr> result(r.count(8));
    for (SizeExpr &e : result)
      e = expr();
    return result;
  }

  /// A constant over part of a mapped file; checks the range.
  Status view(ProgramBuffer &b, const FileOwner &owner, uint64_t offset,
              uint64_t size) {
    if (offset > owner->size() || size > owner->size() - offset)
      return malformed("a constant lies outside of its file");
    cuvil_constant desc = {};
    desc.struct_size = sizeof(desc);
    int64_t count = size;
    desc.tensor.data = const_cast<char *>(owner->data()) + offset;
    desc.tensor.ndim = 1;
    desc.tensor.dtype = getDlDtype(CUVIL_U8);
    desc.tensor.shape = &count;
    desc.owner = new FileOwner(owner);
    desc.release = [](void *held) { delete static_cast<FileOwner *>(held); };
    b.constant.reset(Constant::create(desc));
    return {};
  }

  StatusOr<FileOwner> open(const std::string &path) {
    auto it = opened.find(path);
    if (it != opened.end())
      return it->second;
    auto mapped = MappedFile::open(path);
    if (mapped.ok())
      opened[path] = *mapped;
    return mapped;
  }

  Status buffer(ProgramBuffer &b) {
    b.kind = r.number<int32_t>();
    b.dtype = r.number<int32_t>();
    b.index = r.number<int64_t>();
    b.dims = exprs();
    b.bytes = expr();
    b.name = r.text();
    auto place = ConstantPlace(r.number<uint8_t>());
    if (place == kNone)
      return {};
    if (place > kFile)
      return malformed("unknown place of a constant");
    std::string path = place == kFile ? r.text() : modelPath;
    FileStamp stamp;
    if (place == kFile) {
      stamp.size = r.number<uint64_t>();
      stamp.modified = r.number<int64_t>();
    }
    uint64_t offset = r.number<uint64_t>();
    uint64_t size = r.number<uint64_t>();
    if (!r.ok())
      return malformed("it ends too early");
    if (place == kInline) {
      if (offset > blobSize || size > blobSize - offset)
        return malformed("a constant lies outside of the file");
      return view(b, file, offset + (blobs - file->data()), size);
    }
    auto owner = open(path);
    if (owner.failed())
      return owner.takeError();
    if (place == kFile && (*owner)->getStamp() != stamp)
      return changed(path);
    return view(b, *owner, offset, size);
  }

  Status library(std::string &path) {
    path = r.text();
    if (path.empty())
      return {};
    std::string digest = r.text();
    auto mapped = MappedFile::open(path);
    if (mapped.failed())
      return mapped.takeError();
    if (digestOf((*mapped)->data(), (*mapped)->size()) != digest)
      return changed(path);
    return {};
  }

  Status step(ProgramStep &s, int depth) {
    s.kind = r.number<int32_t>();
    s.relation = r.number<int32_t>();
    s.kernel = r.number<uint32_t>();
    s.numWrites = r.number<uint32_t>();
    s.buffers = r.numbers<uint32_t>();
    s.sizes = exprs();
    for (SizeExpr *e : {&s.tiles, &s.scratch, &s.flops, &s.bytes})
      *e = expr();
    s.symbols = r.numbers<uint32_t>();
    s.blocks[0] = r.number<uint32_t>();
    s.blocks[1] = r.number<uint32_t>();
    for (std::string *text : {&s.message, &s.location, &s.label})
      *text = r.text();
    if (!r.ok())
      return malformed("it ends too early");
    if (s.kind != CUVIL_STEP_INVOKE)
      return {};
    auto inner = program(depth + 1);
    if (inner.failed())
      return inner.takeError();
    s.executable = wrapProgram(std::move(*inner));
    return {};
  }

  const FileOwner &file;
  const std::string &modelPath;
  ByteReader r;
  const char *blobs;
  size_t blobSize;
  std::map<std::string, FileOwner> opened;
};

} // namespace

StatusOr<SavedProgram> readProgram(const std::shared_ptr<MappedFile> &file,
                                   const std::string &modelPath) {
  if (file->size() < kHeadBytes ||
      std::memcmp(file->data(), kMagic, sizeof(kMagic)) != 0)
    return malformed("this is not a saved program");
  ByteReader head(file->data() + sizeof(kMagic), kHeadBytes - sizeof(kMagic));
  if (head.number<uint32_t>() != kFormat)
    return malformed("it has another format version");
  head.number<uint32_t>();
  uint64_t metaSize = head.number<uint64_t>();
  uint64_t blobSize = head.number<uint64_t>();
  size_t bodySize = file->size() - kHeadBytes;
  if (metaSize > bodySize || align64(kHeadBytes + metaSize) > file->size() ||
      blobSize != file->size() - align64(kHeadBytes + metaSize))
    return malformed("its sections do not fill the file");
  const char *body = file->data() + kHeadBytes;
  if (digestOf(body, bodySize) !=
      std::string(file->data() + kDigestOffset, kDigestChars))
    return malformed("its digest does not match");
  Reader reader(file, modelPath, body, metaSize,
                file->data() + align64(kHeadBytes + metaSize), blobSize);
  if (Status s = reader.sideFiles(); s.failed())
    return s;
  auto program = reader.program();
  if (program.failed())
    return program.takeError();
  SavedProgram saved;
  saved.program = std::move(*program);
  saved.report = reader.report();
  if (!reader.complete())
    return malformed("it has more or less than a program");
  return saved;
}

} // namespace cuvil
