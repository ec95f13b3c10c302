// SPDX-License-Identifier: Apache-2.0
// Reference kernels that only move elements.
#include "Constants.h"
#include "Kernels.h"
#include "cuvil/IR/CuvilOps.h"

using namespace cuvil;
using namespace cuvil::detail;

static const char *offset(const void *data, int64_t elements, int64_t size) {
  return static_cast<const char *>(data) + elements * size;
}
static char *offset(void *data, int64_t elements, int64_t size) {
  return static_cast<char *>(data) + elements * size;
}

//===----------------------------------------------------------------------===//
// Constants and fills
//===----------------------------------------------------------------------===//

llvm::LogicalResult ConstantOp::eval(EvalContext &context, Inputs inputs,
                                     Outputs outputs) {
  llvm::FailureOr<EvalTensor> value = getConstantTensor(context, getValue());
  if (failed(value) || failed(requireDims(context, value->getDims(),
                                          outputs[0]->getDims(), "value")))
    return llvm::failure();
  if (value->getDtype() != outputs[0]->getDtype())
    return context.fail(CUVIL_INVALID_MODEL,
                        "the bytes of a constant have another element type");
  *outputs[0] = std::move(*value);
  return llvm::success();
}

llvm::LogicalResult FillOp::eval(EvalContext &context, Inputs inputs,
                                 Outputs outputs) {
  EvalTensor &y = *outputs[0];
  llvm::SmallVector<int64_t> none(y.getRank(), 0);
  copyStrided(y.getDims(), getByteSize(y.getDtype()), inputs[0]->getData(),
              none, y.getMutableData(), getStrides(y.getDims()));
  return llvm::success();
}

llvm::LogicalResult IotaOp::eval(EvalContext &context, Inputs inputs,
                                 Outputs outputs) {
  EvalTensor &y = *outputs[0];
  AxisSplit split(y.getDims(), getAxis());
  std::vector<int64_t> values(y.getNumElements());
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i / split.inner % split.size;
  if (isFloat(y.getDtype()))
    y.setF64(std::vector<double>(values.begin(), values.end()));
  else
    y.setI64(values);
  return llvm::success();
}

llvm::LogicalResult ReshapeOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  if (x.getNumElements() != y.getNumElements())
    return context.fail(CUVIL_INVALID_ARGUMENT,
                        "reshape of " + toString(x.getDims()) + " to " +
                            toString(y.getDims()) +
                            " changes the number of elements");
  if (x.getNumElements())
    std::memcpy(y.getMutableData(), x.getData(), x.getNumBytes());
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Strided copies
//===----------------------------------------------------------------------===//

llvm::LogicalResult TransposeOp::eval(EvalContext &context, Inputs inputs,
                                      Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  llvm::SmallVector<int64_t> strides = getStrides(x.getDims());
  llvm::SmallVector<int64_t> dims, permuted;
  for (int64_t axis : getPerm()) {
    dims.push_back(x.getDims()[axis]);
    permuted.push_back(strides[axis]);
  }
  if (failed(requireDims(context, y.getDims(), dims, "the result")))
    return llvm::failure();
  copyStrided(dims, getByteSize(y.getDtype()), x.getData(), permuted,
              y.getMutableData(), getStrides(dims));
  return llvm::success();
}

llvm::LogicalResult BroadcastOp::eval(EvalContext &context, Inputs inputs,
                                      Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  llvm::SmallVector<int64_t> strides = getStrides(x.getDims());
  llvm::SmallVector<int64_t> repeated(y.getRank(), 0);
  for (auto [i, axis] : llvm::enumerate(getMapping())) {
    int64_t size = x.getDims()[i];
    if (size != 1 && size != y.getDims()[axis])
      return context.fail(CUVIL_INVALID_ARGUMENT,
                          "can't broadcast dims " + toString(x.getDims()) +
                              " to " + toString(y.getDims()));
    repeated[axis] = size == 1 ? 0 : strides[i];
  }
  copyStrided(y.getDims(), getByteSize(y.getDtype()), x.getData(), repeated,
              y.getMutableData(), getStrides(y.getDims()));
  return llvm::success();
}

/// Where a strided part of a tensor begins and how it steps; fails when it
/// reaches outside.
static llvm::FailureOr<int64_t>
locatePart(EvalContext &context, Dims whole, Dims starts, Dims sizes,
           Dims steps, llvm::SmallVectorImpl<int64_t> &partStrides) {
  llvm::SmallVector<int64_t> strides = getStrides(whole);
  int64_t first = 0;
  for (size_t i = 0; i < whole.size(); ++i) {
    partStrides.push_back(sizes[i] > 1 ? strides[i] * steps[i] : 0);
    if (sizes[i] == 0)
      continue;
    int64_t last;
    bool overflows = __builtin_mul_overflow(sizes[i] - 1, steps[i], &last) ||
                     __builtin_add_overflow(starts[i], last, &last);
    if (overflows || std::min(starts[i], last) < 0 ||
        std::max(starts[i], last) >= whole[i])
      return context.fail(
          CUVIL_OUT_OF_RANGE,
          "slice of axis " + std::to_string(i) + " from " +
              std::to_string(starts[i]) + ", " + std::to_string(sizes[i]) +
              " steps of " + std::to_string(steps[i]) +
              ", reaches outside of its size " + std::to_string(whole[i]));
    first += strides[i] * starts[i];
  }
  return first;
}

llvm::LogicalResult SliceOp::eval(EvalContext &context, Inputs inputs,
                                  Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  auto starts = context.evaluate(getStarts());
  if (failed(starts))
    return llvm::failure();
  llvm::SmallVector<int64_t> strides;
  auto first = locatePart(context, x.getDims(), *starts, y.getDims(),
                          getSteps(), strides);
  if (failed(first))
    return llvm::failure();
  int64_t size = getByteSize(y.getDtype());
  if (y.getNumElements())
    copyStrided(y.getDims(), size, offset(x.getData(), *first, size), strides,
                y.getMutableData(), getStrides(y.getDims()));
  return llvm::success();
}

llvm::LogicalResult InsertSliceOp::eval(EvalContext &context, Inputs inputs,
                                        Outputs outputs) {
  const EvalTensor &x = *inputs[0], &part = *inputs[1];
  EvalTensor &y = *outputs[0];
  auto starts = context.evaluate(getStarts());
  if (failed(starts) ||
      failed(requireDims(context, x.getDims(), y.getDims(), "x")))
    return llvm::failure();
  llvm::SmallVector<int64_t> strides;
  auto first = locatePart(context, y.getDims(), *starts, part.getDims(),
                          getSteps(), strides);
  if (failed(first))
    return llvm::failure();
  int64_t size = getByteSize(y.getDtype());
  if (y.getNumElements())
    std::memcpy(y.getMutableData(), x.getData(), x.getNumBytes());
  if (part.getNumElements())
    copyStrided(part.getDims(), size, part.getData(),
                getStrides(part.getDims()),
                offset(y.getMutableData(), *first, size), strides);
  return llvm::success();
}

llvm::LogicalResult ConcatOp::eval(EvalContext &context, Inputs inputs,
                                   Outputs outputs) {
  EvalTensor &y = *outputs[0];
  int64_t axis = getAxis(), start = 0, size = getByteSize(y.getDtype());
  llvm::SmallVector<int64_t> strides = getStrides(y.getDims());
  for (const EvalTensor *x : inputs) {
    llvm::SmallVector<int64_t> want(y.getDims());
    want[axis] = x->getDims()[axis];
    if (failed(requireDims(context, x->getDims(), want, "an operand")))
      return llvm::failure();
    if (start + want[axis] > y.getDims()[axis])
      break;
    if (x->getNumElements())
      copyStrided(x->getDims(), size, x->getData(), getStrides(x->getDims()),
                  offset(y.getMutableData(), start * strides[axis], size),
                  strides);
    start += want[axis];
  }
  if (start != y.getDims()[axis])
    return context.fail(CUVIL_INVALID_ARGUMENT,
                        "the operands do not fill the result's axis of size " +
                            std::to_string(y.getDims()[axis]));
  return llvm::success();
}

llvm::LogicalResult ReverseOp::eval(EvalContext &context, Inputs inputs,
                                    Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  if (failed(requireDims(context, x.getDims(), y.getDims(), "x")))
    return llvm::failure();
  llvm::SmallVector<int64_t> strides = getStrides(x.getDims());
  int64_t first = 0, size = getByteSize(y.getDtype());
  for (int64_t axis : getAxes()) {
    first += (x.getDims()[axis] - 1) * strides[axis];
    strides[axis] = -strides[axis];
  }
  if (x.getNumElements())
    copyStrided(x.getDims(), size, offset(x.getData(), first, size), strides,
                y.getMutableData(), getStrides(x.getDims()));
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

/// The operand position behind a padded position, or -1 for the pad value.
/// `size` is positive unless the mode is constant.
static int64_t getSource(llvm::StringRef mode, int64_t i, int64_t size) {
  if (i >= 0 && i < size)
    return i;
  if (mode == "constant")
    return -1;
  if (mode == "edge")
    return i < 0 ? 0 : size - 1;
  if (mode == "wrap")
    return ((i % size) + size) % size;
  if (size == 1)
    return 0;
  // Reflection repeats every 2 * (size - 1) positions.
  int64_t period = 2 * (size - 1);
  int64_t place = ((i % period) + period) % period;
  return place < size ? place : period - place;
}

llvm::LogicalResult PadOp::eval(EvalContext &context, Inputs inputs,
                                Outputs outputs) {
  const EvalTensor &x = *inputs[0];
  EvalTensor &y = *outputs[0];
  auto low = context.evaluate(getLow()), high = context.evaluate(getHigh());
  if (failed(low) || failed(high))
    return llvm::failure();
  int64_t rank = x.getRank(), size = getByteSize(y.getDtype());
  llvm::StringRef mode = getMode();
  // Per axis and result position, the operand's offset in elements.
  llvm::SmallVector<std::vector<int64_t>> sources(rank);
  llvm::SmallVector<int64_t> strides = getStrides(x.getDims()), want;
  for (int64_t axis = 0; axis < rank; ++axis) {
    int64_t have = x.getDims()[axis];
    want.push_back(have + (*low)[axis] + (*high)[axis]);
    if (mode != "constant" && have == 0 && want.back() > 0)
      return context.fail(CUVIL_INVALID_ARGUMENT,
                          "pad " + mode.str() + " of axis " +
                              std::to_string(axis) + " of size 0");
  }
  if (failed(requireDims(context, y.getDims(), want, "the result")))
    return llvm::failure();
  for (int64_t axis = 0; axis < rank; ++axis)
    for (int64_t i = 0; i < want[axis]; ++i) {
      int64_t source = getSource(mode, i - (*low)[axis], x.getDims()[axis]);
      sources[axis].push_back(source < 0 ? -1 : source * strides[axis]);
    }
  if (y.getNumElements() == 0)
    return llvm::success();
  const EvalTensor *value = getOptional(inputs, 1);
  llvm::SmallVector<int64_t> index(rank, 0);
  char *to = static_cast<char *>(y.getMutableData());
  do {
    int64_t from = 0;
    bool inside = true;
    for (int64_t axis = 0; axis < rank; ++axis) {
      int64_t source = sources[axis][index[axis]];
      inside &= source >= 0;
      from += source;
    }
    std::memcpy(to, inside ? offset(x.getData(), from, size) : value->getData(),
                size);
    to += size;
  } while (advance(index, y.getDims()));
  return llvm::success();
}
