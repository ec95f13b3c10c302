// SPDX-License-Identifier: Apache-2.0
// Implements queries, dimension arithmetic and constants of the builder.
#include "Builder.h"

#include "Proto/Error.h"
#include "Proto/TensorData.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace cuvil::onnx {

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

bool isFloat(DType t) {
  return t == DType::F16 || t == DType::BF16 || t == DType::F32 ||
         t == DType::F64;
}

bool isUnsigned(DType t) {
  return t == DType::U8 || t == DType::U16 || t == DType::U32 ||
         t == DType::U64;
}

bool isInteger(DType t) {
  return isUnsigned(t) || t == DType::I8 || t == DType::I16 ||
         t == DType::I32 || t == DType::I64;
}

unsigned bitWidth(DType t) {
  switch (t) {
  case DType::I16:
  case DType::U16:
  case DType::F16:
  case DType::BF16:
    return 16;
  case DType::I32:
  case DType::U32:
  case DType::F32:
    return 32;
  case DType::I64:
  case DType::U64:
  case DType::F64:
    return 64;
  default:
    return 8;
  }
}

const char *dtypeName(DType t) {
  constexpr const char *names[] = {"none",    "bool",   "int8",    "int16",
                                   "int32",   "int64",  "uint8",   "uint16",
                                   "uint32",  "uint64", "float16", "bfloat16",
                                   "float32", "float64"};
  auto index = static_cast<size_t>(t);
  return index < std::size(names) ? names[index] : "unknown";
}

DType dtypeOf(int32_t elementType) {
  switch (static_cast<ElementType>(elementType)) {
  case ElementType::Bool:
    return DType::Bool;
  case ElementType::Int8:
    return DType::I8;
  case ElementType::Int16:
    return DType::I16;
  case ElementType::Int32:
    return DType::I32;
  case ElementType::Int64:
    return DType::I64;
  case ElementType::UInt8:
    return DType::U8;
  case ElementType::UInt16:
    return DType::U16;
  case ElementType::UInt32:
    return DType::U32;
  case ElementType::UInt64:
    return DType::U64;
  case ElementType::Float16:
    return DType::F16;
  case ElementType::BFloat16:
    return DType::BF16;
  case ElementType::Float:
    return DType::F32;
  case ElementType::Double:
    return DType::F64;
  default:
    return DType::None;
  }
}

namespace {

cuvil_dl_dtype dlType(DType t) {
  uint8_t code = 0;
  if (t == DType::Bool)
    code = 6;
  else if (t == DType::BF16)
    code = 4;
  else if (isFloat(t))
    code = 2;
  else if (isUnsigned(t))
    code = 1;
  return {code, static_cast<uint8_t>(bitWidth(t)), 1};
}

/// Round to nearest even, as the hardware does.
uint16_t toHalf(double value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  double magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude >= 65520)
    return sign | 0x7c00;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // Half values in [2^(e-1), 2^e) are multiples of 2^(e-11).
  int scale = std::max(exponent - 11, -24);
  auto mantissa =
      static_cast<int>(std::nearbyint(std::ldexp(magnitude, -scale)));
  if (scale == -24)
    return sign | static_cast<uint16_t>(mantissa);
  if (mantissa == 2048) {
    mantissa = 1024;
    ++scale;
  }
  return sign | static_cast<uint16_t>(((scale + 25) << 10) + (mantissa - 1024));
}

uint16_t toBFloat(double value) {
  auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  if (std::isnan(value))
    return 0x7fc0;
  return static_cast<uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
}

void store(DType type, double value, std::byte *at) {
  auto put = [at](auto typed) { std::memcpy(at, &typed, sizeof(typed)); };
  switch (type) {
  case DType::F16:
    return put(toHalf(value));
  case DType::BF16:
    return put(toBFloat(value));
  case DType::F32:
    return put(static_cast<float>(value));
  case DType::F64:
    return put(value);
  case DType::U64:
    return put(static_cast<uint64_t>(value));
  default:
    break;
  }
  auto integer = static_cast<int64_t>(value);
  std::memcpy(at, &integer, bitWidth(type) / 8);
}

} // namespace

//===----------------------------------------------------------------------===//
// Dim
//===----------------------------------------------------------------------===//

std::optional<int64_t> Dim::constant() const {
  int64_t value;
  if (handle && builder->c().dim_constant(handle, &value))
    return value;
  return std::nullopt;
}

Dim Dim::number(int64_t value) const { return builder->num(value); }

Dim Dim::binary(int32_t op, Dim other) const {
  return Dim(builder,
             builder->c().dim_binary(builder->get(), op, handle, other.handle));
}

Dim Dim::operator+(Dim other) const { return binary(CUVIL_DIM_ADD, other); }
Dim Dim::operator*(Dim other) const { return binary(CUVIL_DIM_MUL, other); }
Dim Dim::operator-(Dim other) const { return *this + other * number(-1); }
Dim Dim::operator+(int64_t other) const { return *this + number(other); }
Dim Dim::operator-(int64_t other) const { return *this + number(-other); }
Dim Dim::operator*(int64_t other) const { return *this * number(other); }
Dim Dim::floorDiv(Dim other) const { return binary(CUVIL_DIM_FLOORDIV, other); }
Dim Dim::ceilDiv(Dim other) const { return binary(CUVIL_DIM_CEILDIV, other); }
Dim Dim::min(Dim other) const { return binary(CUVIL_DIM_MIN, other); }
Dim Dim::max(Dim other) const { return binary(CUVIL_DIM_MAX, other); }

Dim Builder::num(int64_t value) {
  return Dim(this, api.dim_const(handle, value));
}

Dims Builder::nums(const Ints &values) {
  Dims result;
  for (int64_t value : values)
    result.push_back(num(value));
  return result;
}

Dim Builder::symbol(const std::string &name) {
  return Dim(this, api.dim_symbol(handle, name.c_str()));
}

Dim Builder::fresh(const std::string &stem) {
  return Dim(this, api.dim_fresh(handle, stem.c_str()));
}

Dim Builder::product(std::span<const Dim> dims) {
  Dim result = num(1);
  for (const Dim &d : dims)
    result = result * d;
  return result;
}

Dim Builder::broadcastDim(Dim a, Dim b) {
  if (a == b || b.is(1))
    return a;
  if (a.is(1))
    return b;
  auto ca = a.constant(), cb = b.constant();
  if (ca && cb)
    fail("sizes ", *ca, " and ", *cb, " do not broadcast");
  // A known size above 1 can only be met by itself or by 1.
  if (ca)
    return a;
  if (cb)
    return b;
  return Dim(this, api.dim_binary(handle, CUVIL_DIM_BCAST, a.get(), b.get()));
}

Dims Builder::broadcastDims(const Dims &a, const Dims &b) {
  const Dims &longer = a.size() >= b.size() ? a : b;
  const Dims &shorter = a.size() >= b.size() ? b : a;
  Dims result = longer;
  size_t shift = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i)
    result[shift + i] = broadcastDim(longer[shift + i], shorter[i]);
  return result;
}

Dim Builder::ifEqual(Dim a, int64_t constant, Dim yes, Dim no) {
  if (a.constant())
    return a.is(constant) ? yes : no;
  Dim distance = (a - constant).max(num(constant) - a);
  Dim differs = distance.min(num(1));
  return yes + differs * (no - yes);
}

//===----------------------------------------------------------------------===//
// Attr
//===----------------------------------------------------------------------===//

Attr::Attr(const char *name, bool value)
    : name(name), kind(CUVIL_ATTR_BOOL), integer(value) {}
Attr::Attr(const char *name, int64_t value)
    : name(name), kind(CUVIL_ATTR_INT), integer(value) {}
Attr::Attr(const char *name, double value)
    : name(name), kind(CUVIL_ATTR_FLOAT), real(value) {}
Attr::Attr(const char *name, const char *value)
    : name(name), kind(CUVIL_ATTR_STRING), text(value) {}
Attr::Attr(const char *name, const std::string &value)
    : Attr(name, value.c_str()) {}
Attr::Attr(const char *name, DType value)
    : name(name), kind(CUVIL_ATTR_DTYPE), integer(static_cast<int64_t>(value)) {
}
Attr::Attr(const char *name, const Ints &values)
    : name(name), kind(CUVIL_ATTR_INTS), ints(values) {}
Attr::Attr(const char *name, const std::vector<double> &values)
    : name(name), kind(CUVIL_ATTR_FLOATS), reals(values) {}
Attr::Attr(const char *name, const Dims &values)
    : name(name), kind(CUVIL_ATTR_DIMS) {
  for (const Dim &d : values)
    dims.push_back(d.get());
}
Attr::Attr(const char *name, const std::vector<std::string> &values)
    : name(name), kind(CUVIL_ATTR_STRINGS), texts(values) {}

cuvil_attr Attr::view(std::vector<const char *> &pointers) const {
  cuvil_attr view{};
  view.struct_size = sizeof(view);
  view.name = name;
  view.kind = kind;
  view.i = integer;
  view.f = real;
  view.s = text.c_str();
  view.ints = ints.data();
  view.floats = reals.data();
  view.dims = dims.data();
  view.count = std::max({ints.size(), reals.size(), dims.size(), texts.size()});
  for (const std::string &t : texts)
    pointers.push_back(t.c_str());
  view.strings = pointers.data();
  return view;
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

void Builder::check(cuvil_status *status) const {
  if (status)
    throw HostError{status};
}

void Builder::setLocation(const std::string &location) {
  api.set_location(handle, location.c_str());
}

void Builder::dependsOn(const std::string &path) {
  if (api.depends_on)
    api.depends_on(handle, path.c_str());
}

std::string Builder::option(const std::string &key) const {
  const char *value = api.option(handle, key.c_str());
  return value ? value : "";
}

DType Builder::dtype(Value value) const {
  return static_cast<DType>(api.dtype(value.get()));
}

size_t Builder::rank(Value value) const { return api.rank(value.get()); }

Dim Builder::dim(Value value, size_t axis) {
  return Dim(this, api.dim(value.get(), axis));
}

Dims Builder::dims(Value value) {
  Dims result;
  for (size_t i = 0; i < rank(value); ++i)
    result.push_back(dim(value, i));
  return result;
}

std::string Builder::dimText(Dim dim) {
  const char *text = api.dim_string(handle, dim.get());
  return text ? text : "?";
}

std::string Builder::typeText(Value value) {
  std::string text = dtypeName(dtype(value));
  text += " [";
  for (size_t i = 0; i < rank(value); ++i)
    text += (i ? ", " : "") + dimText(dim(value, i));
  return text + "]";
}

namespace {

/// The host's view of a constant as data of this plugin.
std::optional<TensorData> viewConstant(const cuvil_builder_api &api,
                                       cuvil_builder *handle, Value value) {
  cuvil_dl_tensor view{};
  if (!value || !api.constant(handle, value.get(), &view) || view.strides)
    return std::nullopt;
  constexpr ElementType types[] = {
      ElementType::Undefined, ElementType::Bool,    ElementType::Int8,
      ElementType::Int16,     ElementType::Int32,   ElementType::Int64,
      ElementType::UInt8,     ElementType::UInt16,  ElementType::UInt32,
      ElementType::UInt64,    ElementType::Float16, ElementType::BFloat16,
      ElementType::Float,     ElementType::Double};
  auto index = static_cast<size_t>(api.dtype(value.get()));
  if (index >= std::size(types))
    return std::nullopt;
  TensorData data;
  data.type = types[index];
  data.dims.assign(view.shape, view.shape + view.ndim);
  std::optional<int64_t> count = elementCount(data.dims);
  constexpr int64_t limit = 1 << 16;
  if (!count || *count > limit)
    return std::nullopt;
  data.count = *count;
  data.bytes =
      Bytes(static_cast<const std::byte *>(view.data) + view.byte_offset,
            byteCount(data.type, *count));
  return data;
}

} // namespace

std::optional<Ints> Builder::constantInts(Value value) {
  if (!value || isFloat(dtype(value)))
    return std::nullopt;
  if (auto data = viewConstant(api, handle, value))
    return data->toInts();
  auto dims = valueAsDims(value);
  if (!dims)
    return std::nullopt;
  Ints result;
  for (const Dim &d : *dims) {
    auto constant = d.constant();
    if (!constant)
      return std::nullopt;
    result.push_back(*constant);
  }
  return result;
}

std::optional<std::vector<double>> Builder::constantReals(Value value) {
  if (auto data = viewConstant(api, handle, value))
    return data->toDoubles();
  return std::nullopt;
}

std::optional<Dims> Builder::valueAsDims(Value value) {
  if (rank(value) > 1 || !isInteger(dtype(value)))
    return std::nullopt;
  // Folding sees through ops on matrices, which have no expressions.
  if (auto data = viewConstant(api, handle, value))
    return nums(data->toInts());
  std::vector<cuvil_dim> found(64);
  int64_t count =
      api.value_as_dims(handle, value.get(), found.data(), found.size());
  if (count < 0 || count > static_cast<int64_t>(found.size()))
    return std::nullopt;
  Dims result;
  for (int64_t i = 0; i < count; ++i)
    result.push_back(Dim(this, found[i]));
  return result;
}

Dims Builder::bindDims(Value value) {
  if (auto known = valueAsDims(value))
    return *known;
  size_t count = 1;
  constexpr int64_t maxSizes = 64;
  if (rank(value) == 1) {
    auto length = dim(value, 0).constant();
    if (!length || *length > maxSizes)
      throw ImportError(joined("a tensor that gives sizes must have a known "
                               "length of at most ",
                               maxSizes),
                        ImportError::Unsupported);
    count = static_cast<size_t>(*length);
  }
  if (count == 0)
    return {};
  if (dtype(value) != DType::I64)
    value = convert(value, DType::I64);
  std::vector<cuvil_dim> bound(count);
  check(api.bind_dims(handle, value.get(), bound.data(), count));
  Dims result;
  for (cuvil_dim d : bound)
    result.push_back(Dim(this, d));
  return result;
}

Dim Builder::bindDim(Value value) {
  // The reshape checks that there is one element where that is not known.
  Dims bound = bindDims(toScalar(value));
  return bound.at(0);
}

//===----------------------------------------------------------------------===//
// Ops and constants
//===----------------------------------------------------------------------===//

Values Builder::ops(const char *name, const Values &operands,
                    const Attrs &attrs, size_t count) {
  std::vector<cuvil_value> in;
  for (Value operand : operands)
    in.push_back(operand.get());
  std::vector<cuvil_attr> views;
  std::vector<std::vector<const char *>> pointers(attrs.size());
  for (size_t i = 0; i < attrs.size(); ++i)
    views.push_back(attrs[i].view(pointers[i]));
  std::vector<cuvil_value> out(count);
  check(api.add_op(handle, name, in.data(), in.size(), views.data(),
                   views.size(), out.data(), out.size()));
  Values results;
  for (cuvil_value value : out)
    results.push_back(Value(value));
  return results;
}

Value Builder::op(const char *name, const Values &operands,
                  const Attrs &attrs) {
  return ops(name, operands, attrs, 1)[0];
}

Value Builder::constantBytes(DType type, const Ints &dims, const void *bytes,
                             std::shared_ptr<const void> owner,
                             const char *name) {
  using Owner = std::shared_ptr<const void>;
  Ints shape = dims;
  cuvil_constant constant{};
  constant.struct_size = sizeof(constant);
  constant.tensor.data = const_cast<void *>(bytes);
  constant.tensor.device = {1, 0};
  constant.tensor.ndim = static_cast<int32_t>(shape.size());
  constant.tensor.dtype = dlType(type);
  constant.tensor.shape = shape.data();
  constant.name = name;
  if (owner) {
    constant.owner = new Owner(std::move(owner));
    constant.release = [](void *held) { delete static_cast<Owner *>(held); };
  }
  cuvil_value out = nullptr;
  check(api.add_constant(handle, &constant, &out));
  return Value(out);
}

Value Builder::constant(const TensorData &data, const char *name) {
  TensorData wide = widenSubByte(data);
  DType type = dtypeOf(static_cast<int32_t>(wide.type));
  if (type == DType::None)
    fail("constants of type ", elementTypeName(static_cast<int32_t>(wide.type)),
         " are not supported");
  return constantBytes(type, wide.dims, wide.bytes.data(), wide.owner, name);
}

Value Builder::constant(DType type, const Ints &dims,
                        const std::vector<double> &values) {
  size_t size = bitWidth(type) / 8;
  auto bytes = std::make_shared<std::vector<std::byte>>(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i)
    store(type, values[i], bytes->data() + i * size);
  return constantBytes(type, dims, bytes->data(), bytes, "");
}

Value Builder::real(DType type, double value) {
  return constant(type, {}, {value});
}

Value Builder::integer(DType type, int64_t value) {
  if (isFloat(type))
    return real(type, static_cast<double>(value));
  auto bytes = std::make_shared<int64_t>(value);
  return constantBytes(type, {}, bytes.get(), bytes, "");
}

Value Builder::intVector(const Ints &values) {
  auto bytes = std::make_shared<Ints>(values);
  return constantBytes(DType::I64, {static_cast<int64_t>(values.size())},
                       bytes->data(), bytes, "");
}

Value lowest(Builder &b, DType type) {
  if (isFloat(type))
    return b.real(type, -std::numeric_limits<double>::infinity());
  if (isUnsigned(type) || type == DType::Bool)
    return b.integer(type, 0);
  return b.integer(type, std::numeric_limits<int64_t>::min() >>
                             (64 - bitWidth(type)));
}

Value highest(Builder &b, DType type) {
  if (isFloat(type))
    return b.real(type, std::numeric_limits<double>::infinity());
  if (type == DType::Bool)
    return b.integer(type, 1);
  if (isUnsigned(type))
    return b.integer(type, -1);
  return b.integer(type, std::numeric_limits<int64_t>::max() >>
                             (64 - bitWidth(type)));
}

} // namespace cuvil::onnx
