// SPDX-License-Identifier: Apache-2.0
// Reader and writer of .npy files, version 1 to 3.
#include "Npy.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace cuvil;

static llvm::StringRef getDescr(cuvil_dtype dtype) {
  static constexpr const char *descrs[] = {"",    "|b1", "|i1", "<i2", "<i4",
                                           "<i8", "|u1", "<u2", "<u4", "<u8",
                                           "<f2", "<u2", "<f4", "<f8"};
  return descrs[dtype];
}

static llvm::Error fail(const std::string &path, const llvm::Twine &why) {
  return llvm::createStringError(path + ": " + why);
}

/// The text after `key` in the header's dictionary.
static llvm::StringRef getField(llvm::StringRef header, llvm::StringRef key) {
  return header.substr(header.find(key)).drop_front(key.size()).ltrim(" :");
}

llvm::Expected<EvalTensor> cuvil::readNpy(const std::string &path,
                                          cuvil_dtype dtype) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(path, file.getError().message());
  llvm::StringRef bytes = (*file)->getBuffer();
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY"))
    return fail(path, "not an .npy file");
  size_t start = bytes[6] == 1 ? 10 : 12, size = 0;
  for (size_t i = start; i-- > 8;)
    size = size << 8 | static_cast<uint8_t>(bytes[i]);
  if (size > bytes.size() - start)
    return fail(path, "the header is cut off");
  llvm::StringRef header = bytes.substr(start, size);
  llvm::StringRef data = bytes.substr(start + size);
  for (llvm::StringRef key : {"'descr'", "'fortran_order'", "'shape'"})
    if (!header.contains(key))
      return fail(path, "the header has no " + key);
  llvm::StringRef descr = getField(header, "'descr'").drop_front();
  if (!descr.starts_with(getDescr(dtype)))
    return fail(path, "has elements " + descr.take_until([](char c) {
      return c == '\'';
    }) + ", expected " + getDescr(dtype));
  if (!getField(header, "'fortran_order'").starts_with("False"))
    return fail(path, "is not row-major");
  llvm::StringRef shape = getField(header, "'shape'").drop_front();
  llvm::SmallVector<llvm::StringRef> parts;
  shape.take_until([](char c) { return c == ')'; })
      .split(parts, ',', -1, false);
  llvm::SmallVector<int64_t> dims;
  for (llvm::StringRef part : parts) {
    int64_t dim;
    if (part.trim().empty())
      continue;
    if (part.trim().getAsInteger(10, dim) || dim < 0)
      return fail(path, "has the bad dim " + part);
    dims.push_back(dim);
  }
  EvalTensor tensor(dtype, dims);
  if (data.size() != static_cast<size_t>(tensor.getNumBytes()))
    return fail(path, "holds another number of bytes than its shape says");
  if (!data.empty())
    std::memcpy(tensor.getMutableData(), data.data(), data.size());
  return tensor;
}

llvm::Error cuvil::writeNpy(const std::string &path, const EvalTensor &tensor) {
  std::string header;
  llvm::raw_string_ostream text(header);
  text << "{'descr': '" << getDescr(tensor.getDtype())
       << "', 'fortran_order': False, 'shape': (";
  for (int64_t dim : tensor.getDims())
    text << dim << ",";
  text << "), }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return fail(path, code.message());
  file << llvm::StringRef("\x93NUMPY\x01\x00", 8)
       << static_cast<char>(header.size() & 0xff)
       << static_cast<char>(header.size() >> 8) << header;
  file.write(static_cast<const char *>(tensor.getData()), tensor.getNumBytes());
  return llvm::Error::success();
}
