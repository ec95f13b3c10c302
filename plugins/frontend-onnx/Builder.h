// SPDX-License-Identifier: Apache-2.0
// C++ over the C graph builder: values, dimension arithmetic, and the implicit
// broadcast and conversion rules of ONNX made explicit.
#ifndef CUVIL_FRONTEND_ONNX_BUILDER_H
#define CUVIL_FRONTEND_ONNX_BUILDER_H

#include "cuvil/plugin.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace cuvil::onnx {

struct TensorData;

/// The element types of Cuvil-IR.
enum class DType : int32_t {
  None = CUVIL_DTYPE_NONE,
  Bool = CUVIL_BOOL,
  I8 = CUVIL_I8,
  I16 = CUVIL_I16,
  I32 = CUVIL_I32,
  I64 = CUVIL_I64,
  U8 = CUVIL_U8,
  U16 = CUVIL_U16,
  U32 = CUVIL_U32,
  U64 = CUVIL_U64,
  F16 = CUVIL_F16,
  BF16 = CUVIL_BF16,
  F32 = CUVIL_F32,
  F64 = CUVIL_F64
};

bool isFloat(DType type);
/// True for the signed and unsigned integers, not for bool.
bool isInteger(DType type);
bool isUnsigned(DType type);
unsigned bitWidth(DType type);
/// ONNX's spelling, for messages.
const char *dtypeName(DType type);
/// The Cuvil type of a TensorProto.DataType, or None.
DType dtypeOf(int32_t elementType);

class Builder;

/// A dimension: an integer expression over symbols. Equal handles are equal
/// sizes.
class Dim {
public:
  Dim() = default;
  Dim(Builder *builder, cuvil_dim handle) : builder(builder), handle(handle) {}
  cuvil_dim get() const { return handle; }
  std::optional<int64_t> constant() const;
  bool is(int64_t value) const { return constant() == value; }
  bool operator==(const Dim &other) const { return handle == other.handle; }

  Dim operator+(Dim other) const;
  Dim operator-(Dim other) const;
  Dim operator*(Dim other) const;
  Dim operator+(int64_t other) const;
  Dim operator-(int64_t other) const;
  Dim operator*(int64_t other) const;
  Dim floorDiv(Dim other) const;
  Dim ceilDiv(Dim other) const;
  Dim min(Dim other) const;
  Dim max(Dim other) const;

private:
  Dim binary(int32_t op, Dim other) const;
  Dim number(int64_t value) const;
  Builder *builder = nullptr;
  cuvil_dim handle = nullptr;
};
using Dims = std::vector<Dim>;

/// A tensor in the graph being built; empty when an optional one is absent.
class Value {
public:
  Value() = default;
  explicit Value(cuvil_value handle) : handle(handle) {}
  explicit operator bool() const { return handle != nullptr; }
  cuvil_value get() const { return handle; }

private:
  cuvil_value handle = nullptr;
};
using Values = std::vector<Value>;
using Ints = std::vector<int64_t>;

/// One attribute of an op, owning its arrays.
class Attr {
public:
  Attr(const char *name, bool value);
  Attr(const char *name, int value) : Attr(name, int64_t(value)) {}
  Attr(const char *name, int64_t value);
  Attr(const char *name, double value);
  Attr(const char *name, const char *value);
  Attr(const char *name, const std::string &value);
  Attr(const char *name, DType value);
  Attr(const char *name, const Ints &values);
  Attr(const char *name, const std::vector<double> &values);
  Attr(const char *name, const Dims &values);
  Attr(const char *name, const std::vector<std::string> &values);
  /// The C view; valid while this object and `pointers` are.
  cuvil_attr view(std::vector<const char *> &pointers) const;

private:
  const char *name;
  int32_t kind;
  int64_t integer = 0;
  double real = 0;
  std::string text;
  Ints ints;
  std::vector<double> reals;
  std::vector<cuvil_dim> dims;
  std::vector<std::string> texts;
};
using Attrs = std::vector<Attr>;

/// Thrown when the host refuses something; carries its status to the plugin's
/// border.
struct HostError {
  cuvil_status *status;
};

class Builder {
public:
  Builder(const cuvil_host &host, cuvil_builder *handle)
      : owner(host), api(*host.builder), handle(handle) {}
  Builder(const Builder &) = delete;
  Builder &operator=(const Builder &) = delete;

  const cuvil_host &host() const { return owner; }
  const cuvil_builder_api &c() const { return api; }
  cuvil_builder *get() const { return handle; }
  /// Throws HostError unless the status means success.
  void check(cuvil_status *status) const;
  void setLocation(const std::string &location);
  /// Says that a file beside the model was read.
  void dependsOn(const std::string &path);
  /// An option of the import, or an empty string.
  std::string option(const std::string &key) const;

  // Queries.
  DType dtype(Value value) const;
  size_t rank(Value value) const;
  Dim dim(Value value, size_t axis);
  Dims dims(Value value);
  std::string typeText(Value value);
  std::string dimText(Dim dim);
  /// The elements of a small integer constant.
  std::optional<Ints> constantInts(Value value);
  /// The elements of a small float or integer constant.
  std::optional<std::vector<double>> constantReals(Value value);
  /// The elements of a small integer tensor as expressions, if they are.
  std::optional<Dims> valueAsDims(Value value);
  /// As valueAsDims; unknown elements become symbols. They must not be
  /// negative: expressions are reasoned about as sizes.
  Dims bindDims(Value value);
  /// bindDims of a tensor of one element.
  Dim bindDim(Value value);

  // Dimensions.
  Dim num(int64_t value);
  Dims nums(const Ints &values);
  Dim symbol(const std::string &name);
  Dim fresh(const std::string &stem);
  Dim product(std::span<const Dim> dims);
  /// The size of a two-way broadcast; throws when they provably do not fit.
  Dim broadcastDim(Dim a, Dim b);
  Dims broadcastDims(const Dims &a, const Dims &b);
  /// `yes` where the non-negative `a` equals the constant, else `no`.
  Dim ifEqual(Dim a, int64_t constant, Dim yes, Dim no);

  // Ops.
  Value op(const char *name, const Values &operands, const Attrs &attrs = {});
  Values ops(const char *name, const Values &operands, const Attrs &attrs,
             size_t results);
  Value constant(const TensorData &data, const char *name = "");
  Value constant(DType type, const Ints &dims,
                 const std::vector<double> &values);
  /// Rank-0 constants.
  Value real(DType type, double value);
  Value integer(DType type, int64_t value);
  Value intVector(const Ints &values);
  /// Dimension expressions as an i64 tensor of rank 1 (or 0).
  Value pack(const Dims &dims);
  Value packScalar(Dim dim);
  Value fill(Value scalar, const Dims &dims);
  Value iota(const Dims &dims, int64_t axis, DType type);

  Value unary(const char *kind, Value x);
  Value unary(const char *kind, Value x, double alpha);
  Value unary(const char *kind, Value x, double alpha, double beta);
  /// Broadcasts both ways, then applies; the types have to agree.
  Value binary(const char *kind, Value a, Value b);
  Value compare(const char *kind, Value a, Value b);
  Value select(Value condition, Value a, Value b);
  /// `x kind constant`, the constant in x's type.
  Value binaryReal(const char *kind, Value x, double constant);
  Value binaryInt(const char *kind, Value x, int64_t constant);
  Value clamp(Value x, Value low, Value high);
  /// Truncates to integers as C does.
  Value convert(Value x, DType type);
  Value convertSaturating(Value x, DType type, const char *round);

  Value reshape(Value x, const Dims &dims);
  Value transpose(Value x, const Ints &perm);
  Value broadcast(Value x, const Dims &dims);
  Value broadcastAlong(Value x, const Dims &dims, const Ints &mapping);
  Value slice(Value x, const Dims &starts, const Dims &sizes,
              const Ints &steps);
  /// Elements [start, start + size) of one axis.
  Value sliceAxis(Value x, int64_t axis, Dim start, Dim size);
  Value concat(const Values &parts, int64_t axis);
  Value padConstant(Value x, Value value, const Dims &low, const Dims &high);
  Value reverse(Value x, const Ints &axes);
  Value gather(Value x, Value indices, int64_t axis, int64_t batchDims = 0);
  Value reduce(const char *kind, Value x, const Ints &axes, bool keepdims);
  /// Inserts axes of size 1 at these positions of the result.
  Value unsqueeze(Value x, Ints axes);
  Value squeeze(Value x, const Ints &axes);
  /// A single-element tensor as a rank-0 one.
  Value toScalar(Value x);
  Value dot(Value a, Value b, const Ints &batchA, const Ints &batchB,
            const Ints &contractA, const Ints &contractB);
  /// numpy.matmul.
  Value matmul(Value a, Value b);
  Value softmax(Value x, int64_t axis, bool log = false);
  /// Checks that the dims are these, as far as it is not proven.
  Value refine(Value x, const Dims &dims, const std::string &message);

private:
  Value constantBytes(DType type, const Ints &dims, const void *bytes,
                      std::shared_ptr<const void> owner, const char *name);
  std::pair<Value, Value> broadcastPair(Value a, Value b);

  const cuvil_host &owner;
  const cuvil_builder_api &api;
  cuvil_builder *handle;
};

/// The largest and smallest value of a type, infinities for floats.
Value lowest(Builder &b, DType type);
Value highest(Builder &b, DType type);

} // namespace cuvil::onnx

#endif // CUVIL_FRONTEND_ONNX_BUILDER_H
