// SPDX-License-Identifier: Apache-2.0
// Reference kernels of reads and writes at computed positions.
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

llvm::LogicalResult GatherOp::eval(EvalContext &context, Inputs inputs,
                                   Outputs outputs) {
  const EvalTensor &x = *inputs[0], &indices = *inputs[1];
  EvalTensor &y = *outputs[0];
  int64_t axis = getAxis(), batchDims = getBatchDims();
  Dims dims = x.getDims();
  llvm::SmallVector<int64_t> want(dims.take_front(axis));
  llvm::append_range(want, indices.getDims().drop_front(batchDims));
  llvm::append_range(want, dims.drop_front(axis + 1));
  if (failed(requireDims(context, indices.getDims().take_front(batchDims),
                         dims.take_front(batchDims), "indices' batch")) ||
      failed(requireDims(context, y.getDims(), want, "the result")))
    return llvm::failure();
  int64_t batch = countElements(dims.take_front(batchDims));
  int64_t outer = countElements(dims.slice(batchDims, axis - batchDims));
  int64_t size = dims[axis];
  int64_t bytes =
      countElements(dims.drop_front(axis + 1)) * getByteSize(x.getDtype());
  int64_t count = countElements(indices.getDims().drop_front(batchDims));
  if (y.getNumElements() == 0 && batch * outer == 0)
    return llvm::success();
  std::vector<int64_t> places = indices.toI64();
  for (int64_t &place : places) {
    auto index = getIndex(context, place, size);
    if (failed(index))
      return llvm::failure();
    place = *index;
  }
  if (bytes == 0)
    return llvm::success();
  const char *from = static_cast<const char *>(x.getData());
  char *to = static_cast<char *>(y.getMutableData());
  for (int64_t b = 0; b < batch; ++b)
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < count; ++i, to += bytes) {
        int64_t row = (b * outer + o) * size + places[b * count + i];
        std::memcpy(to, from + row * bytes, bytes);
      }
  return llvm::success();
}

/// The offset, in slices, that a tuple of indices addresses in `dims`.
static llvm::FailureOr<int64_t> getTuplePlace(EvalContext &context,
                                              const int64_t *tuple, Dims dims) {
  int64_t place = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    auto index = getIndex(context, tuple[i], dims[i]);
    if (failed(index))
      return llvm::failure();
    place = place * dims[i] + *index;
  }
  return place;
}

llvm::LogicalResult GatherNDOp::eval(EvalContext &context, Inputs inputs,
                                     Outputs outputs) {
  const EvalTensor &x = *inputs[0], &indices = *inputs[1];
  EvalTensor &y = *outputs[0];
  int64_t batchDims = getBatchDims(), k = indices.getDims().back();
  Dims dims = x.getDims();
  llvm::SmallVector<int64_t> want(indices.getDims().drop_back());
  llvm::append_range(want, dims.drop_front(batchDims + k));
  if (failed(requireDims(context, indices.getDims().take_front(batchDims),
                         dims.take_front(batchDims), "indices' batch")) ||
      failed(requireDims(context, y.getDims(), want, "the result")))
    return llvm::failure();
  Dims addressed = dims.slice(batchDims, k);
  int64_t bytes =
      countElements(dims.drop_front(batchDims + k)) * getByteSize(x.getDtype());
  int64_t tuples = countElements(indices.getDims().drop_back());
  int64_t batch = countElements(dims.take_front(batchDims));
  std::vector<int64_t> values = indices.toI64();
  const char *from = static_cast<const char *>(x.getData());
  char *to = static_cast<char *>(y.getMutableData());
  for (int64_t t = 0; t < tuples; ++t) {
    auto place = getTuplePlace(context, values.data() + t * k, addressed);
    if (failed(place))
      return llvm::failure();
    int64_t row = t / (tuples / batch) * countElements(addressed) + *place;
    if (bytes)
      std::memcpy(to + t * bytes, from + row * bytes, bytes);
  }
  return llvm::success();
}

/// Calls `visit(place in indices, place in x)` for each index of a
/// gather_elements or scatter_elements.
template <typename Fn>
static llvm::LogicalResult forEachElement(EvalContext &context, Dims dims,
                                          const EvalTensor &indices,
                                          int64_t axis, Fn visit) {
  for (int64_t i = 0; i < indices.getRank(); ++i)
    if (i != axis && indices.getDims()[i] > dims[i])
      return context.fail(CUVIL_INVALID_ARGUMENT,
                          "indices of dims " + toString(indices.getDims()) +
                              " exceed the dims " + toString(dims));
  std::vector<int64_t> values = indices.toI64();
  llvm::SmallVector<int64_t> strides = getStrides(dims);
  llvm::SmallVector<int64_t> index(dims.size(), 0);
  for (size_t i = 0; i < values.size(); ++i) {
    auto chosen = getIndex(context, values[i], dims[axis]);
    if (failed(chosen))
      return llvm::failure();
    int64_t place = (*chosen - index[axis]) * strides[axis];
    for (size_t d = 0; d < index.size(); ++d)
      place += index[d] * strides[d];
    visit(i, place);
    advance(index, indices.getDims());
  }
  return llvm::success();
}

llvm::LogicalResult GatherElementsOp::eval(EvalContext &context, Inputs inputs,
                                           Outputs outputs) {
  const EvalTensor &x = *inputs[0], &indices = *inputs[1];
  EvalTensor &y = *outputs[0];
  if (failed(
          requireDims(context, y.getDims(), indices.getDims(), "the result")))
    return llvm::failure();
  int64_t size = getByteSize(x.getDtype());
  const char *from = static_cast<const char *>(x.getData());
  char *to = static_cast<char *>(y.getMutableData());
  return forEachElement(context, x.getDims(), indices, getAxis(),
                        [&](int64_t i, int64_t place) {
                          std::memcpy(to + i * size, from + place * size, size);
                        });
}

//===----------------------------------------------------------------------===//
// Scatters
//===----------------------------------------------------------------------===//

/// `update` applied to what is there.
template <typename T>
static void combine(llvm::StringRef reduction, T &there, T update) {
  if (reduction == "none")
    there = update;
  else if (reduction == "add")
    there = add(there, update);
  else if (reduction == "mul")
    there = multiply(there, update);
  else if (reduction == "min")
    there = minimum(there, update);
  else
    there = maximum(there, update);
}

llvm::LogicalResult ScatterNDOp::eval(EvalContext &context, Inputs inputs,
                                      Outputs outputs) {
  const EvalTensor &x = *inputs[0], &indices = *inputs[1],
                   &updates = *inputs[2];
  EvalTensor &y = *outputs[0];
  int64_t k = indices.getDims().back();
  llvm::SmallVector<int64_t> want(indices.getDims().drop_back());
  llvm::append_range(want, x.getDims().drop_front(k));
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")) ||
      failed(requireDims(context, updates.getDims(), want, "updates")))
    return llvm::failure();
  int64_t tuples = countElements(indices.getDims().drop_back());
  int64_t slice = countElements(x.getDims().drop_front(k));
  std::vector<int64_t> values = indices.toI64();
  llvm::StringRef reduction = getReduction();
  return dispatch(x.getDtype(), [&](auto type) -> llvm::LogicalResult {
    using T = decltype(type);
    std::vector<T> result = read<T>(x), parts = read<T>(updates);
    for (int64_t t = 0; t < tuples; ++t) {
      auto place = getTuplePlace(context, values.data() + t * k,
                                 x.getDims().take_front(k));
      if (failed(place))
        return llvm::failure();
      for (int64_t i = 0; i < slice; ++i)
        combine<T>(reduction, result[*place * slice + i], parts[t * slice + i]);
    }
    write<T>(y, result);
    return llvm::success();
  });
}

llvm::LogicalResult ScatterElementsOp::eval(EvalContext &context, Inputs inputs,
                                            Outputs outputs) {
  const EvalTensor &x = *inputs[0], &indices = *inputs[1],
                   &updates = *inputs[2];
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")) ||
      failed(requireDims(context, updates.getDims(), indices.getDims(),
                         "updates")))
    return llvm::failure();
  llvm::StringRef reduction = getReduction();
  return dispatch(x.getDtype(), [&](auto type) -> llvm::LogicalResult {
    using T = decltype(type);
    std::vector<T> result = read<T>(x), parts = read<T>(updates);
    if (failed(forEachElement(context, x.getDims(), indices, getAxis(),
                              [&](int64_t i, int64_t place) {
                                combine<T>(reduction, result[place], parts[i]);
                              })))
      return llvm::failure();
    write<T>(y, result);
    return llvm::success();
  });
}

//===----------------------------------------------------------------------===//
// nonzero
//===----------------------------------------------------------------------===//

llvm::LogicalResult NonZeroOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  std::vector<std::vector<int64_t>> places(x.getRank());
  dispatch(x.getDtype(), [&](auto type) {
    llvm::SmallVector<int64_t> index(x.getRank(), 0);
    for (auto value : read<decltype(type)>(x)) {
      if (value != 0)
        for (size_t d = 0; d < index.size(); ++d)
          places[d].push_back(index[d]);
      advance(index, x.getDims());
    }
  });
  int64_t count = places.front().size();
  if (failed(requireDims(context, y.getDims(), {x.getRank(), count},
                         "the result")))
    return llvm::failure();
  std::vector<int64_t> values;
  for (const std::vector<int64_t> &row : places)
    values.insert(values.end(), row.begin(), row.end());
  y.setI64(values);
  return llvm::success();
}
