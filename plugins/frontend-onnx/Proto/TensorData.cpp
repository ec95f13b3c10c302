// SPDX-License-Identifier: Apache-2.0
// Validates tensor storage forms and decodes them.
#include "TensorData.h"

#include "Error.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>

namespace cuvil::onnx {
namespace {

/// Sparse tensors are the only ones a small file can blow up.
constexpr uint64_t maxSparseBytes = uint64_t(256) << 20;

using Buffer = std::vector<std::byte>;

void adopt(TensorData &data, Buffer buffer) {
  auto owner = std::make_shared<const Buffer>(std::move(buffer));
  data.bytes = *owner;
  data.owner = std::move(owner);
}

uint64_t parseNumber(const std::string &shown, const StringEntry &entry) {
  uint64_t value = 0;
  const char *end = entry.value.data() + entry.value.size();
  auto [stop, code] = std::from_chars(entry.value.data(), end, value);
  if (code != std::errc() || stop != end)
    fail(shown, ": external ", entry.key, " ", quoted(entry.value),
         " is not a number of bytes");
  return value;
}

void readExternal(const TensorProto &tensor, const std::string &shown,
                  uint64_t expected, ModelFolder &folder, TensorData &out) {
  std::optional<std::string_view> location;
  std::optional<uint64_t> offset, length;
  auto once = [&](auto &slot, const StringEntry &entry, auto value) {
    if (slot)
      fail(shown, ": external ", entry.key, " is given twice");
    slot = value;
  };
  for (const StringEntry &entry : tensor.externalData) {
    if (entry.key == "location")
      once(location, entry, entry.value);
    else if (entry.key == "offset")
      once(offset, entry, parseNumber(shown, entry));
    else if (entry.key == "length")
      once(length, entry, parseNumber(shown, entry));
  }
  if (!location)
    fail(shown, ": it is stored externally, but no file is named");
  auto file = folder.open(*location);
  uint64_t size = file->bytes().size();
  uint64_t start = offset.value_or(0);
  if (start > size)
    fail(shown, ": its offset ", start, " is beyond the ", size, " bytes of ",
         quoted(*location));
  uint64_t bytes = length.value_or(size - start);
  if (bytes > size - start)
    fail(shown, ": bytes ", start, " + ", bytes, " do not fit in the ", size,
         " bytes of ", quoted(*location));
  if (bytes != expected)
    fail(shown, ": its external data has ", bytes, " bytes, but ",
         elementTypeName(tensor.dataType), " ", dimsText(tensor.dims),
         " needs ", expected);
  out.bytes = file->bytes().subspan(start, bytes);
  out.owner = file;
}

template <typename T>
void copyExact(const std::vector<T> &values, TensorData &out) {
  Buffer buffer(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(buffer.data(), values.data(), buffer.size());
  adopt(out, std::move(buffer));
}

/// Stores the low bits of each value; narrow types travel in wide fields.
template <typename T>
void copyNarrow(const std::vector<T> &values, unsigned bits,
                const std::string &shown, TensorData &out) {
  unsigned size = bits / 8;
  Buffer buffer(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    auto value = static_cast<int64_t>(values[i]);
    if (value < -(int64_t(1) << (bits - 1)) || value >= int64_t(1) << bits)
      fail(shown, ": element ", i, " is ", value, ", which does not fit in ",
           bits, " bits");
    std::memcpy(buffer.data() + i * size, &value, size);
  }
  adopt(out, std::move(buffer));
}

void readTyped(const TensorProto &tensor, const std::string &shown,
               TensorData &out) {
  unsigned bits = elementBits(out.type);
  // Packed types put one byte, and complex types two numbers, in the field.
  uint64_t wanted = bits < 8 ? byteCount(out.type, out.count)
                             : static_cast<uint64_t>(out.count);
  size_t found = 0;
  switch (out.type) {
  case ElementType::Float:
    found = tensor.floatData.size();
    copyExact(tensor.floatData, out);
    break;
  case ElementType::Double:
    found = tensor.doubleData.size();
    copyExact(tensor.doubleData, out);
    break;
  case ElementType::Int64:
    found = tensor.int64Data.size();
    copyExact(tensor.int64Data, out);
    break;
  case ElementType::UInt64:
    found = tensor.uint64Data.size();
    copyExact(tensor.uint64Data, out);
    break;
  case ElementType::UInt32:
    found = tensor.uint64Data.size();
    for (uint64_t value : tensor.uint64Data)
      if (value >> 32)
        fail(shown, ": ", value, " does not fit in uint32");
    copyNarrow(tensor.uint64Data, 32, shown, out);
    break;
  case ElementType::Int32:
    found = tensor.int32Data.size();
    copyExact(tensor.int32Data, out);
    break;
  case ElementType::Complex64:
  case ElementType::Complex128:
    fail(shown, ": complex tensors are not supported");
  default:
    found = tensor.int32Data.size();
    copyNarrow(tensor.int32Data, std::max(bits, 8u), shown, out);
    break;
  }
  if (found != wanted)
    fail(shown, ": it stores ", found, " elements, but ",
         elementTypeName(tensor.dataType), " ", dimsText(tensor.dims),
         " needs ", wanted);
}

/// Any nonzero byte is true for ONNX; the kernels rely on 0 and 1.
void normalizeBools(TensorData &data) {
  auto valid = [](std::byte b) { return static_cast<uint8_t>(b) <= 1; };
  if (std::all_of(data.bytes.begin(), data.bytes.end(), valid))
    return;
  Buffer buffer(data.bytes.begin(), data.bytes.end());
  for (std::byte &b : buffer)
    b = static_cast<std::byte>(b != std::byte(0));
  adopt(data, std::move(buffer));
}

template <typename T> T load(Bytes bytes, int64_t index) {
  T value;
  std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

int64_t loadBits(const TensorData &data, int64_t index, bool isSigned) {
  unsigned bits = elementBits(data.type);
  unsigned perByte = 8 / bits;
  auto byte = static_cast<uint8_t>(data.bytes[index / perByte]);
  int64_t value = (byte >> (index % perByte * bits)) & ((1 << bits) - 1);
  if (isSigned && value >> (bits - 1))
    value -= int64_t(1) << bits;
  return value;
}

int64_t loadInt(const TensorData &data, int64_t i) {
  switch (data.type) {
  case ElementType::Bool:
  case ElementType::UInt8:
    return load<uint8_t>(data.bytes, i);
  case ElementType::Int8:
    return load<int8_t>(data.bytes, i);
  case ElementType::UInt16:
    return load<uint16_t>(data.bytes, i);
  case ElementType::Int16:
    return load<int16_t>(data.bytes, i);
  case ElementType::UInt32:
    return load<uint32_t>(data.bytes, i);
  case ElementType::Int32:
    return load<int32_t>(data.bytes, i);
  case ElementType::UInt64:
  case ElementType::Int64:
    return load<int64_t>(data.bytes, i);
  case ElementType::UInt4:
  case ElementType::UInt2:
    return loadBits(data, i, false);
  case ElementType::Int4:
  case ElementType::Int2:
    return loadBits(data, i, true);
  default:
    fail("a tensor of ", elementTypeName(static_cast<int32_t>(data.type)),
         " where integers are expected");
  }
}

double halfToDouble(uint16_t half) {
  double sign = half >> 15 ? -1.0 : 1.0;
  int exponent = (half >> 10) & 31;
  int mantissa = half & 1023;
  if (exponent == 31)
    return mantissa ? std::nan("") : sign * INFINITY;
  if (exponent == 0)
    return sign * std::ldexp(mantissa, -24);
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

} // namespace

std::vector<int64_t> TensorData::toInts() const {
  std::vector<int64_t> values(count);
  for (int64_t i = 0; i < count; ++i)
    values[i] = loadInt(*this, i);
  return values;
}

std::vector<double> TensorData::toDoubles() const {
  std::vector<double> values(count);
  for (int64_t i = 0; i < count; ++i) {
    switch (type) {
    case ElementType::Float:
      values[i] = load<float>(bytes, i);
      break;
    case ElementType::Double:
      values[i] = load<double>(bytes, i);
      break;
    case ElementType::Float16:
      values[i] = halfToDouble(load<uint16_t>(bytes, i));
      break;
    case ElementType::BFloat16:
      values[i] = std::bit_cast<float>(
          static_cast<uint32_t>(load<uint16_t>(bytes, i)) << 16);
      break;
    case ElementType::UInt64:
      values[i] = static_cast<double>(load<uint64_t>(bytes, i));
      break;
    default:
      values[i] = static_cast<double>(loadInt(*this, i));
    }
  }
  return values;
}

TensorData readTensor(const TensorProto &tensor, ModelFolder &folder,
                      const std::shared_ptr<const void> &modelOwner) {
  std::string shown = "tensor " + quoted(tensor.name);
  TensorData out;
  out.type = static_cast<ElementType>(tensor.dataType);
  out.dims = tensor.dims;
  if (out.type == ElementType::String)
    fail(shown, ": string tensors are not supported");
  if (elementBits(out.type) == 0)
    fail(shown, ": element ", elementTypeName(tensor.dataType),
         " is not supported");
  if (tensor.segmented)
    fail(shown, ": tensors stored in segments are not supported");
  std::optional<int64_t> count = elementCount(tensor.dims);
  if (!count)
    fail(shown, ": shape ", dimsText(tensor.dims),
         " has a negative size or too many elements");
  out.count = *count;
  uint64_t expected = byteCount(out.type, *count);

  if (tensor.external) {
    if (tensor.raw || !tensor.floatData.empty() || !tensor.int32Data.empty() ||
        !tensor.int64Data.empty())
      fail(shown, ": it has both external and embedded data");
    readExternal(tensor, shown, expected, folder, out);
  } else if (tensor.raw) {
    if (tensor.raw->size() != expected)
      fail(shown, ": its raw data has ", tensor.raw->size(), " bytes, but ",
           elementTypeName(tensor.dataType), " ", dimsText(tensor.dims),
           " needs ", expected);
    out.bytes = *tensor.raw;
    out.owner = modelOwner;
  } else {
    readTyped(tensor, shown, out);
  }
  if (out.type == ElementType::Bool)
    normalizeBools(out);
  return out;
}

TensorData readSparseTensor(const SparseTensorProto &tensor,
                            ModelFolder &folder,
                            const std::shared_ptr<const void> &modelOwner) {
  std::string shown = "sparse tensor " + quoted(tensor.values.name);
  TensorData values = readTensor(tensor.values, folder, modelOwner);
  TensorData indices = readTensor(tensor.indices, folder, modelOwner);
  std::optional<int64_t> count = elementCount(tensor.dims);
  if (!count || byteCount(values.type, *count) > maxSparseBytes)
    fail(shown, ": shape ", dimsText(tensor.dims),
         " has a negative size or too many elements");
  if (elementBits(values.type) < 8)
    fail(shown, ": packed element types are not supported");
  auto rank = static_cast<int64_t>(tensor.dims.size());
  bool flat = indices.dims.size() == 1;
  if (indices.type != ElementType::Int64 || values.dims.size() != 1 ||
      indices.dims.empty() || indices.dims.size() > 2 ||
      indices.dims[0] != values.count || (!flat && indices.dims[1] != rank))
    fail(shown, ": its indices have shape ", dimsText(indices.dims), " where [",
         values.count, "] or [", values.count, ", ", rank,
         "] of int64 is expected");

  unsigned size = elementBits(values.type) / 8;
  Buffer buffer(byteCount(values.type, *count));
  for (int64_t i = 0; i < values.count; ++i) {
    int64_t at = 0;
    if (flat)
      at = load<int64_t>(indices.bytes, i);
    for (int64_t d = 0; !flat && d < rank; ++d) {
      int64_t index = load<int64_t>(indices.bytes, i * rank + d);
      if (index < 0 || index >= tensor.dims[d])
        fail(shown, ": index ", index, " is outside dimension ", d, " of ",
             dimsText(tensor.dims));
      at = at * tensor.dims[d] + index;
    }
    if (at < 0 || at >= *count)
      fail(shown, ": index ", at, " is outside ", dimsText(tensor.dims));
    std::memcpy(buffer.data() + at * size, values.bytes.data() + i * size,
                size);
  }
  TensorData out;
  out.type = values.type;
  out.dims = tensor.dims;
  out.count = *count;
  adopt(out, std::move(buffer));
  return out;
}

TensorData widenSubByte(TensorData data) {
  bool isSigned =
      data.type == ElementType::Int4 || data.type == ElementType::Int2;
  bool isUnsigned =
      data.type == ElementType::UInt4 || data.type == ElementType::UInt2;
  if (!isSigned && !isUnsigned)
    return data;
  Buffer buffer(data.count);
  for (int64_t i = 0; i < data.count; ++i)
    buffer[i] = static_cast<std::byte>(loadBits(data, i, isSigned));
  TensorData out;
  out.type = isSigned ? ElementType::Int8 : ElementType::UInt8;
  out.dims = data.dims;
  out.count = data.count;
  adopt(out, std::move(buffer));
  return out;
}

} // namespace cuvil::onnx
