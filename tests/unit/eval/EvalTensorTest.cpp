// SPDX-License-Identifier: Apache-2.0
// Conversions of host tensors.
#include "cuvil/Eval/EvalTensor.h"
#include "mlir/IR/MLIRContext.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace cuvil;

TEST(EvalTensor, ElementTypesMapBothWays) {
  mlir::MLIRContext context;
  for (cuvil_dtype dtype = CUVIL_BOOL; dtype <= CUVIL_F64; ++dtype)
    EXPECT_EQ(getDtype(getElementType(&context, dtype)), dtype);
  EXPECT_EQ(getDtype(mlir::IndexType::get(&context)), CUVIL_DTYPE_NONE);
  EXPECT_FALSE(getElementType(&context, CUVIL_DTYPE_NONE));
}

TEST(EvalTensor, StoresRoundedToNearestEven) {
  // Values halfway between two neighbours, and just off them.
  EvalTensor half(CUVIL_F16, {5});
  half.setF64({2049, 2051, 2049.001, 65519.9, 65520});
  EXPECT_EQ(half.toF64(),
            (std::vector<double>{2048, 2052, 2050, 65504, INFINITY}));
  EvalTensor brain(CUVIL_BF16, {3});
  brain.setF64({257, 259, -257.0001});
  EXPECT_EQ(brain.toF64(), (std::vector<double>{256, 260, -258}));
  EvalTensor single(CUVIL_F32, {1});
  single.setF64({16777217});
  EXPECT_EQ(single.toF64(), (std::vector<double>{16777216}));
}

TEST(EvalTensor, KeepsSubnormalsAndNan) {
  EvalTensor half(CUVIL_F16, {4});
  half.setF64(
      {std::ldexp(1.0, -24), std::ldexp(1.0, -25), std::ldexp(1.5, -25), NAN});
  std::vector<double> values = half.toF64();
  EXPECT_EQ(values[0], std::ldexp(1.0, -24));
  EXPECT_EQ(values[1], 0);
  EXPECT_EQ(values[2], std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isnan(values[3]));
}

TEST(EvalTensor, WrapsIntegers) {
  EvalTensor narrow(CUVIL_I8, {3});
  narrow.setI64({128, -129, 255});
  EXPECT_EQ(narrow.toI64(), (std::vector<int64_t>{-128, 127, -1}));
  EvalTensor wide(CUVIL_U64, {1});
  wide.setI64({-1});
  EXPECT_EQ(wide.toI64(), (std::vector<int64_t>{-1}));
  EXPECT_EQ(wide.toF64(), (std::vector<double>{18446744073709551616.0}));
}

TEST(EvalTensor, BorrowsUnalignedBytes) {
  char bytes[9] = {};
  float value = 2.5;
  std::memcpy(bytes + 1, &value, sizeof(value));
  EvalTensor tensor(CUVIL_F32, {2}, bytes + 1);
  EXPECT_EQ(tensor.toF64(), (std::vector<double>{2.5, 0}));
  EXPECT_EQ(tensor.getNumBytes(), 8);
}
