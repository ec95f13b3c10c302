// SPDX-License-Identifier: Apache-2.0
// Implements the op helpers of the builder: broadcast, layout, contraction.
#include "Builder.h"

#include "Proto/Error.h"

#include <algorithm>
#include <numeric>

namespace cuvil::onnx {

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

Value Builder::unary(const char *kind, Value x) {
  return op("unary", {x}, {{"kind", kind}});
}

Value Builder::unary(const char *kind, Value x, double alpha) {
  return op("unary", {x}, {{"kind", kind}, {"alpha", alpha}});
}

Value Builder::unary(const char *kind, Value x, double alpha, double beta) {
  return op("unary", {x}, {{"kind", kind}, {"alpha", alpha}, {"beta", beta}});
}

std::pair<Value, Value> Builder::broadcastPair(Value a, Value b) {
  Dims dims = broadcastDims(this->dims(a), this->dims(b));
  return {broadcast(a, dims), broadcast(b, dims)};
}

Value Builder::binary(const char *kind, Value a, Value b) {
  auto [x, y] = broadcastPair(a, b);
  return op("binary", {x, y}, {{"kind", kind}});
}

Value Builder::compare(const char *kind, Value a, Value b) {
  auto [x, y] = broadcastPair(a, b);
  return op("compare", {x, y}, {{"kind", kind}});
}

Value Builder::select(Value condition, Value a, Value b) {
  Dims dims = broadcastDims(this->dims(condition),
                            broadcastDims(this->dims(a), this->dims(b)));
  return op("select", {broadcast(condition, dims), broadcast(a, dims),
                       broadcast(b, dims)});
}

Value Builder::binaryReal(const char *kind, Value x, double constant) {
  return binary(kind, x, real(dtype(x), constant));
}

Value Builder::binaryInt(const char *kind, Value x, int64_t constant) {
  return binary(kind, x, integer(dtype(x), constant));
}

Value Builder::clamp(Value x, Value low, Value high) {
  return op("clamp", {x, toScalar(low), toScalar(high)});
}

Value Builder::convert(Value x, DType type) {
  if (dtype(x) == type)
    return x;
  return op("convert", {x}, {{"to", type}});
}

Value Builder::convertSaturating(Value x, DType type, const char *round) {
  return op("convert", {x},
            {{"to", type}, {"round", round}, {"saturate", true}});
}

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

Value Builder::pack(const Dims &dims) {
  return op("shape_pack", {}, {{"dims", dims}});
}

Value Builder::packScalar(Dim dim) {
  return op("shape_pack", {}, {{"dims", Dims{dim}}, {"scalar", true}});
}

Value Builder::fill(Value scalar, const Dims &dims) {
  return op("fill", {toScalar(scalar)}, {{"shape", dims}});
}

Value Builder::iota(const Dims &dims, int64_t axis, DType type) {
  return op("iota", {}, {{"shape", dims}, {"axis", axis}, {"to", type}});
}

Value Builder::reshape(Value x, const Dims &dims) {
  if (this->dims(x) == dims)
    return x;
  return op("reshape", {x}, {{"shape", dims}});
}

Value Builder::transpose(Value x, const Ints &perm) {
  if (std::is_sorted(perm.begin(), perm.end()))
    return x;
  return op("transpose", {x}, {{"perm", perm}});
}

Value Builder::broadcast(Value x, const Dims &dims) {
  if (rank(x) > dims.size())
    fail("a tensor of rank ", rank(x), " does not broadcast to rank ",
         dims.size());
  Ints mapping(rank(x));
  std::iota(mapping.begin(), mapping.end(),
            static_cast<int64_t>(dims.size() - rank(x)));
  return broadcastAlong(x, dims, mapping);
}

Value Builder::broadcastAlong(Value x, const Dims &dims, const Ints &mapping) {
  if (this->dims(x) == dims)
    return x;
  return op("broadcast", {x}, {{"shape", dims}, {"mapping", mapping}});
}

Value Builder::slice(Value x, const Dims &starts, const Dims &sizes,
                     const Ints &steps) {
  return op("slice", {x},
            {{"starts", starts}, {"sizes", sizes}, {"steps", steps}});
}

Value Builder::sliceAxis(Value x, int64_t axis, Dim start, Dim size) {
  Dims sizes = dims(x);
  if (sizes[axis] == size && start.is(0))
    return x;
  Dims starts(sizes.size(), num(0));
  starts[axis] = start;
  sizes[axis] = size;
  return slice(x, starts, sizes, Ints(sizes.size(), 1));
}

Value Builder::concat(const Values &parts, int64_t axis) {
  if (parts.size() == 1)
    return parts[0];
  return op("concat", parts, {{"axis", axis}});
}

Value Builder::padConstant(Value x, Value value, const Dims &low,
                           const Dims &high) {
  return op("pad", {x, toScalar(value)},
            {{"mode", "constant"}, {"low", low}, {"high", high}});
}

Value Builder::reverse(Value x, const Ints &axes) {
  return op("reverse", {x}, {{"axes", axes}});
}

Value Builder::gather(Value x, Value indices, int64_t axis, int64_t batchDims) {
  return op("gather", {x, indices},
            {{"axis", axis}, {"batch_dims", batchDims}});
}

Value Builder::reduce(const char *kind, Value x, const Ints &axes,
                      bool keepdims) {
  if (axes.empty())
    return x;
  return op("reduce", {x},
            {{"kind", kind}, {"axes", axes}, {"keepdims", keepdims}});
}

Value Builder::unsqueeze(Value x, Ints axes) {
  std::sort(axes.begin(), axes.end());
  Dims result = dims(x);
  for (int64_t axis : axes)
    result.insert(result.begin() + axis, num(1));
  return reshape(x, result);
}

Value Builder::squeeze(Value x, const Ints &axes) {
  Dims result;
  for (size_t i = 0; i < rank(x); ++i)
    if (std::find(axes.begin(), axes.end(), static_cast<int64_t>(i)) ==
        axes.end())
      result.push_back(dim(x, i));
  return reshape(x, result);
}

Value Builder::toScalar(Value x) { return rank(x) == 0 ? x : reshape(x, {}); }

Value Builder::refine(Value x, const Dims &dims, const std::string &message) {
  if (this->dims(x) == dims)
    return x;
  std::vector<cuvil_dim> handles;
  for (const Dim &d : dims)
    handles.push_back(d.get());
  cuvil_value out = nullptr;
  check(api.refine(handle, x.get(), handles.data(), handles.size(),
                   message.c_str(), &out));
  return Value(out);
}

//===----------------------------------------------------------------------===//
// Contraction
//===----------------------------------------------------------------------===//

Value Builder::dot(Value a, Value b, const Ints &batchA, const Ints &batchB,
                   const Ints &contractA, const Ints &contractB) {
  return op("dot", {a, b},
            {{"lhs_batch", batchA},
             {"rhs_batch", batchB},
             {"lhs_contract", contractA},
             {"rhs_contract", contractB}});
}

Value Builder::matmul(Value a, Value b) {
  auto rankA = static_cast<int64_t>(rank(a));
  auto rankB = static_cast<int64_t>(rank(b));
  if (rankA == 0 || rankB == 0)
    fail("a matrix product needs operands of rank 1 or more");
  if (rankB == 1)
    return dot(a, b, {}, {}, {rankA - 1}, {0});
  // Without batch dims on the right, the left ones are plain rows.
  if (rankB == 2)
    return dot(a, b, {}, {}, {rankA - 1}, {0});
  if (rankA == 1) {
    return dot(b, a, {}, {}, {rankB - 2}, {0});
  }
  Dims dimsA = dims(a), dimsB = dims(b);
  Dims batch = broadcastDims(Dims(dimsA.begin(), dimsA.end() - 2),
                             Dims(dimsB.begin(), dimsB.end() - 2));
  auto widen = [&](Value x, const Dims &own) {
    Dims wide = batch;
    wide.insert(wide.end(), own.end() - 2, own.end());
    return broadcast(x, wide);
  };
  auto rank = static_cast<int64_t>(batch.size());
  Ints axes(batch.size());
  std::iota(axes.begin(), axes.end(), 0);
  return dot(widen(a, dimsA), widen(b, dimsB), axes, axes, {rank + 1}, {rank});
}

Value Builder::softmax(Value x, int64_t axis, bool log) {
  return op("softmax", {x}, {{"axis", axis}, {"log", log}});
}

} // namespace cuvil::onnx
