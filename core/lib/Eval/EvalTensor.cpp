// SPDX-License-Identifier: Apache-2.0
// Host tensors: element type tables and exact conversions.
#include "cuvil/Eval/EvalTensor.h"
#include "Kernels.h"
#include "mlir/IR/BuiltinTypes.h"
#include <bit>
#include <cmath>
#include <cstring>

using namespace cuvil;

//===----------------------------------------------------------------------===//
// Element types
//===----------------------------------------------------------------------===//

cuvil_dtype cuvil::getDtype(mlir::Type element) {
  if (element.isF16())
    return CUVIL_F16;
  if (element.isBF16())
    return CUVIL_BF16;
  if (element.isF32())
    return CUVIL_F32;
  if (element.isF64())
    return CUVIL_F64;
  auto type = llvm::dyn_cast<mlir::IntegerType>(element);
  if (!type || type.isSigned())
    return CUVIL_DTYPE_NONE;
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return isUnsigned ? CUVIL_DTYPE_NONE : CUVIL_BOOL;
  case 8:
    return isUnsigned ? CUVIL_U8 : CUVIL_I8;
  case 16:
    return isUnsigned ? CUVIL_U16 : CUVIL_I16;
  case 32:
    return isUnsigned ? CUVIL_U32 : CUVIL_I32;
  case 64:
    return isUnsigned ? CUVIL_U64 : CUVIL_I64;
  default:
    return CUVIL_DTYPE_NONE;
  }
}

mlir::Type cuvil::getElementType(mlir::MLIRContext *context,
                                 cuvil_dtype dtype) {
  switch (dtype) {
  case CUVIL_F16:
    return mlir::FloatType::getF16(context);
  case CUVIL_BF16:
    return mlir::FloatType::getBF16(context);
  case CUVIL_F32:
    return mlir::FloatType::getF32(context);
  case CUVIL_F64:
    return mlir::FloatType::getF64(context);
  case CUVIL_BOOL:
    return mlir::IntegerType::get(context, 1);
  case CUVIL_I8:
  case CUVIL_I16:
  case CUVIL_I32:
  case CUVIL_I64:
    return mlir::IntegerType::get(context, 8 * getByteSize(dtype));
  case CUVIL_U8:
  case CUVIL_U16:
  case CUVIL_U32:
  case CUVIL_U64:
    return mlir::IntegerType::get(context, 8 * getByteSize(dtype),
                                  mlir::IntegerType::Unsigned);
  default:
    return {};
  }
}

int64_t cuvil::getByteSize(cuvil_dtype dtype) {
  switch (dtype) {
  case CUVIL_BOOL:
  case CUVIL_I8:
  case CUVIL_U8:
    return 1;
  case CUVIL_I16:
  case CUVIL_U16:
  case CUVIL_F16:
  case CUVIL_BF16:
    return 2;
  case CUVIL_I32:
  case CUVIL_U32:
  case CUVIL_F32:
    return 4;
  case CUVIL_I64:
  case CUVIL_U64:
  case CUVIL_F64:
    return 8;
  default:
    return 0;
  }
}

bool cuvil::isFloat(cuvil_dtype dtype) {
  return dtype >= CUVIL_F16 && dtype <= CUVIL_F64;
}

bool cuvil::isUnsigned(cuvil_dtype dtype) {
  return dtype >= CUVIL_U8 && dtype <= CUVIL_U64;
}

//===----------------------------------------------------------------------===//
// 16-bit floats
//===----------------------------------------------------------------------===//

static uint16_t encode(double value, int mantissaBits, int exponentBits) {
  uint64_t bits = std::bit_cast<uint64_t>(value);
  uint16_t sign = static_cast<uint16_t>(bits >> 63 << 15);
  int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  int bias = (1 << (exponentBits - 1)) - 1;
  uint64_t infinity = uint64_t((1 << exponentBits) - 1) << mantissaBits;
  if (exponent == 1024)
    return sign | static_cast<uint16_t>(
                      mantissa ? infinity | uint64_t(1) << (mantissaBits - 1)
                               : infinity);
  if (exponent == -1023) // A double this small is zero in both formats.
    return sign;
  mantissa |= uint64_t(1) << 52;
  int shift = 52 - mantissaBits;
  uint64_t base = 0;
  if (exponent < 1 - bias)
    shift += 1 - bias - exponent;
  else
    base = uint64_t(exponent + bias - 1) << mantissaBits;
  if (shift > 54)
    return sign;
  uint64_t rounded = mantissa >> shift;
  uint64_t rest = mantissa & ((uint64_t(1) << shift) - 1);
  uint64_t half = uint64_t(1) << (shift - 1);
  if (rest > half || (rest == half && (rounded & 1)))
    ++rounded;
  // A carry out of the mantissa runs into the exponent, as it should.
  return sign | static_cast<uint16_t>(std::min(base + rounded, infinity));
}

static double decode(uint16_t bits, int mantissaBits, int exponentBits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1);
  int mantissa = bits & ((1 << mantissaBits) - 1);
  double value;
  if (exponent == (1 << exponentBits) - 1)
    value = mantissa ? std::numeric_limits<double>::quiet_NaN()
                     : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(mantissa, 1 - bias - mantissaBits);
  else
    value = std::ldexp(mantissa + (1 << mantissaBits),
                       exponent - bias - mantissaBits);
  return bits >> 15 ? -value : value;
}

double detail::fromF16(uint16_t bits) { return decode(bits, 10, 5); }
uint16_t detail::toF16(double value) { return encode(value, 10, 5); }
double detail::fromBF16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}
uint16_t detail::toBF16(double value) { return encode(value, 7, 8); }

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

EvalTensor::EvalTensor(cuvil_dtype dtype, llvm::ArrayRef<int64_t> dims)
    : dtype(dtype), dims(dims) {
  bytes.resize(getNumBytes());
}

EvalTensor::EvalTensor(cuvil_dtype dtype, llvm::ArrayRef<int64_t> dims,
                       const void *data, std::shared_ptr<const void> owner)
    : dtype(dtype), dims(dims), borrowed(data), owner(std::move(owner)) {}

int64_t EvalTensor::getNumElements() const {
  return detail::countElements(dims);
}

llvm::SmallVector<int64_t> cuvil::getStrides(llvm::ArrayRef<int64_t> dims) {
  llvm::SmallVector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

namespace {
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};
struct Bool {
  uint8_t byte;
};
} // namespace

/// Calls `fn` with a value of the storage type of `dtype`.
template <typename Fn> static void withStorage(cuvil_dtype dtype, Fn fn) {
  switch (dtype) {
  case CUVIL_BOOL:
    return fn(Bool());
  case CUVIL_I8:
    return fn(int8_t());
  case CUVIL_I16:
    return fn(int16_t());
  case CUVIL_I32:
    return fn(int32_t());
  case CUVIL_I64:
    return fn(int64_t());
  case CUVIL_U8:
    return fn(uint8_t());
  case CUVIL_U16:
    return fn(uint16_t());
  case CUVIL_U32:
    return fn(uint32_t());
  case CUVIL_U64:
    return fn(uint64_t());
  case CUVIL_F16:
    return fn(F16());
  case CUVIL_BF16:
    return fn(BF16());
  case CUVIL_F32:
    return fn(float());
  case CUVIL_F64:
    return fn(double());
  default:
    return;
  }
}

template <typename To> static To load(Bool value) { return value.byte != 0; }
template <typename To> static To load(F16 value) {
  return static_cast<To>(detail::fromF16(value.bits));
}
template <typename To> static To load(BF16 value) {
  return static_cast<To>(detail::fromBF16(value.bits));
}
template <typename To, typename From>
  requires std::is_arithmetic_v<From>
static To load(From value) {
  return static_cast<To>(value);
}

template <typename From> static void store(Bool &to, From value) {
  to.byte = value != 0;
}
template <typename From> static void store(F16 &to, From value) {
  to.bits = detail::toF16(value);
}
template <typename From> static void store(BF16 &to, From value) {
  to.bits = detail::toBF16(value);
}
template <typename To, typename From>
  requires std::is_arithmetic_v<To>
static void store(To &to, From value) {
  to = static_cast<To>(value);
}

/// All elements of `tensor` as `To`; borrowed bytes may be unaligned.
template <typename To>
static std::vector<To> readAll(const EvalTensor &tensor) {
  std::vector<To> values(tensor.getNumElements());
  const char *data = static_cast<const char *>(tensor.getData());
  withStorage(tensor.getDtype(), [&](auto storage) {
    for (To &value : values) {
      std::memcpy(&storage, data, sizeof(storage));
      data += sizeof(storage);
      value = load<To>(storage);
    }
  });
  return values;
}

template <typename From>
static void writeAll(EvalTensor &tensor, llvm::ArrayRef<From> values) {
  char *data = static_cast<char *>(tensor.getMutableData());
  withStorage(tensor.getDtype(), [&](auto storage) {
    for (From value : values) {
      store(storage, value);
      std::memcpy(data, &storage, sizeof(storage));
      data += sizeof(storage);
    }
  });
}

std::vector<double> EvalTensor::toF64() const { return readAll<double>(*this); }

std::vector<int64_t> EvalTensor::toI64() const {
  return readAll<int64_t>(*this);
}

void EvalTensor::setF64(llvm::ArrayRef<double> values) {
  writeAll(*this, values.take_front(getNumElements()));
}

void EvalTensor::setI64(llvm::ArrayRef<int64_t> values) {
  writeAll(*this, values.take_front(getNumElements()));
}

//===----------------------------------------------------------------------===//
// Context
//===----------------------------------------------------------------------===//

llvm::FailureOr<llvm::SmallVector<int64_t>>
EvalContext::evaluate(llvm::ArrayRef<DimExpr> exprs) {
  llvm::SmallVector<int64_t> values;
  for (DimExpr expr : exprs) {
    llvm::FailureOr<int64_t> value = evaluate(expr);
    if (failed(value))
      return llvm::failure();
    values.push_back(*value);
  }
  return values;
}
