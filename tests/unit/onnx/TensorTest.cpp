// SPDX-License-Identifier: Apache-2.0
// Tensor storage forms and confined external data.
#include "Proto/Error.h"
#include "Proto/TensorData.h"
#include "ProtoWriter.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

using namespace cuvil::onnx;
using namespace cuvil::onnx::test;
namespace fs = std::filesystem;

namespace {

TensorProto tensor(ElementType type, std::vector<int64_t> dims) {
  TensorProto t;
  t.name = "t";
  t.dataType = static_cast<int32_t>(type);
  t.dims = std::move(dims);
  return t;
}

TensorData read(const TensorProto &t) {
  ModelFolder folder("");
  return readTensor(t, folder, nullptr);
}

std::string errorOf(const TensorProto &t, ModelFolder &folder) {
  try {
    readTensor(t, folder, nullptr);
  } catch (const ImportError &error) {
    return error.what();
  }
  return "";
}

std::string errorOf(const TensorProto &t) {
  ModelFolder folder("");
  return errorOf(t, folder);
}

void expectPart(const std::string &error, std::string_view part) {
  EXPECT_NE(error.find(part), std::string::npos) << "got: " << error;
}

/// A folder with a model beside data, and a file outside of it.
class ExternalData : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "cuvilXXXXXX").string();
    ASSERT_TRUE(::mkdtemp(pattern.data()));
    root = pattern;
    fs::create_directories(root / "model" / "sub");
    write(root / "secret.bin", 64);
    write(root / "model" / "data.bin", 64);
    write(root / "model" / "sub" / "more.bin", 64);
  }
  void TearDown() override { fs::remove_all(root); }

  static void write(const fs::path &path, size_t size) {
    std::ofstream out(path, std::ios::binary);
    for (size_t i = 0; i < size; ++i)
      out.put(static_cast<char>(i));
  }

  std::string load(std::string_view location, std::string_view offset = "",
                   std::string_view length = "", int64_t count = 4) {
    TensorProto t = tensor(ElementType::Float, {count});
    t.external = true;
    t.externalData.push_back({"location", location});
    if (!offset.empty())
      t.externalData.push_back({"offset", offset});
    if (!length.empty())
      t.externalData.push_back({"length", length});
    ModelFolder folder((root / "model" / "m.onnx").string());
    return errorOf(t, folder);
  }

  fs::path root;
};

} // namespace

TEST(OnnxTensor, TypedForms) {
  TensorProto f = tensor(ElementType::Float, {2});
  f.floatData = {1.5f, -2};
  EXPECT_EQ(read(f).toDoubles(), (std::vector<double>{1.5, -2}));

  TensorProto d = tensor(ElementType::Double, {1});
  d.doubleData = {0.1};
  EXPECT_EQ(read(d).toDoubles(), (std::vector<double>{0.1}));

  TensorProto i8 = tensor(ElementType::Int8, {3});
  i8.int32Data = {-128, 127, -1};
  EXPECT_EQ(read(i8).toInts(), (std::vector<int64_t>{-128, 127, -1}));

  TensorProto u16 = tensor(ElementType::UInt16, {2});
  u16.int32Data = {65535, 0};
  EXPECT_EQ(read(u16).toInts(), (std::vector<int64_t>{65535, 0}));

  TensorProto u32 = tensor(ElementType::UInt32, {1});
  u32.uint64Data = {0xffffffffu};
  EXPECT_EQ(read(u32).toInts(), (std::vector<int64_t>{0xffffffff}));

  TensorProto half = tensor(ElementType::Float16, {3});
  half.int32Data = {0x3c00, 0xc000, 0x0001};
  EXPECT_EQ(read(half).toDoubles(), (std::vector<double>{1, -2, 0x1p-24}));

  TensorProto bf = tensor(ElementType::BFloat16, {1});
  bf.int32Data = {0x3f80};
  EXPECT_EQ(read(bf).toDoubles(), (std::vector<double>{1}));

  TensorProto b = tensor(ElementType::Bool, {3});
  std::string raw("\x00\x02\x01", 3);
  b.raw = asBytes(raw);
  EXPECT_EQ(read(b).toInts(), (std::vector<int64_t>{0, 1, 1}));
}

TEST(OnnxTensor, PackedIntegersLowNibbleFirstWithOddCount) {
  TensorProto i4 = tensor(ElementType::Int4, {3});
  std::string raw("\xf1\x08", 2);
  i4.raw = asBytes(raw);
  TensorData wide = widenSubByte(read(i4));
  EXPECT_EQ(wide.type, ElementType::Int8);
  EXPECT_EQ(wide.toInts(), (std::vector<int64_t>{1, -1, -8}));

  TensorProto u4 = tensor(ElementType::UInt4, {3});
  u4.int32Data = {0xf1, 0x08};
  EXPECT_EQ(read(u4).toInts(), (std::vector<int64_t>{1, 15, 8}));

  TensorProto i2 = tensor(ElementType::Int2, {5});
  std::string raw2("\xe4\x03", 2);
  i2.raw = asBytes(raw2);
  EXPECT_EQ(read(i2).toInts(), (std::vector<int64_t>{0, 1, -2, -1, -1}));
}

TEST(OnnxTensor, RawDataIsNotCopied) {
  TensorProto t = tensor(ElementType::Float, {2});
  std::string raw(8, '\0');
  t.raw = asBytes(raw);
  EXPECT_EQ(read(t).bytes.data(), asBytes(raw).data());
}

TEST(OnnxTensor, SizesMustAgree) {
  TensorProto t = tensor(ElementType::Float, {3});
  t.floatData = {1, 2};
  expectPart(errorOf(t), "stores 2 elements");
  std::string raw(8, '\0');
  t.raw = asBytes(raw);
  expectPart(errorOf(t), "has 8 bytes, but float32 [3] needs 12");
  t = tensor(ElementType::Float, {-1});
  expectPart(errorOf(t), "negative size");
  t = tensor(ElementType::Float, {1ll << 40, 1ll << 40});
  expectPart(errorOf(t), "too many elements");
  t = tensor(ElementType::Float, {0, 1ll << 62, 1ll << 62});
  expectPart(errorOf(t), "too many elements");
  t = tensor(ElementType::String, {1});
  expectPart(errorOf(t), "string tensors are not supported");
  t = tensor(static_cast<ElementType>(77), {1});
  expectPart(errorOf(t), "type 77");
  t = tensor(ElementType::Int8, {1});
  t.int32Data = {300};
  expectPart(errorOf(t), "does not fit in 8 bits");
}

TEST(OnnxTensor, EmptyTensor) {
  TensorProto t = tensor(ElementType::Float, {0, 4});
  EXPECT_EQ(read(t).count, 0);
}

TEST(OnnxTensor, Sparse) {
  SparseTensorProto s;
  s.dims = {2, 3};
  s.values = tensor(ElementType::Float, {2});
  s.values.floatData = {5, 7};
  s.indices = tensor(ElementType::Int64, {2});
  s.indices.int64Data = {1, 5};
  ModelFolder folder("");
  EXPECT_EQ(readSparseTensor(s, folder, nullptr).toDoubles(),
            (std::vector<double>{0, 5, 0, 0, 0, 7}));
  s.indices.dims = {2, 2};
  s.indices.int64Data = {0, 2, 1, 0};
  EXPECT_EQ(readSparseTensor(s, folder, nullptr).toDoubles(),
            (std::vector<double>{0, 0, 5, 7, 0, 0}));
  s.indices.int64Data = {0, 3, 1, 0};
  EXPECT_THROW(readSparseTensor(s, folder, nullptr), ImportError);
  s.indices.dims = {2};
  s.indices.int64Data = {-1, 0};
  EXPECT_THROW(readSparseTensor(s, folder, nullptr), ImportError);
  s.dims = {1ll << 30, 1ll << 9};
  EXPECT_THROW(readSparseTensor(s, folder, nullptr), ImportError);
}

TEST_F(ExternalData, Reads) {
  EXPECT_EQ(load("data.bin", "0", "16"), "");
  EXPECT_EQ(load("data.bin", "48"), "");
  EXPECT_EQ(load("./sub/more.bin", "16", "16"), "");
  EXPECT_EQ(load("sub//more.bin", "16", "16"), "");
}

TEST_F(ExternalData, RefusesPathsOutside) {
  expectPart(load("../secret.bin"), "leaves the model's folder");
  expectPart(load("sub/../../secret.bin"), "leaves the model's folder");
  expectPart(load("sub/.."), "leaves the model's folder");
  expectPart(load((root / "secret.bin").string()), "absolute");
  expectPart(load(std::string_view("data.bin\0x", 10)), "zero byte");
  expectPart(load(""), "empty");
  expectPart(load("missing.bin"), "No such file");
}

TEST_F(ExternalData, RefusesLinks) {
  fs::create_symlink(root / "secret.bin", root / "model" / "link.bin");
  fs::create_symlink(root, root / "model" / "up");
  fs::create_hard_link(root / "secret.bin", root / "model" / "hard.bin");
  expectPart(load("link.bin"), "symbolic link");
  expectPart(load("up/secret.bin"), "symbolic link");
  expectPart(load("hard.bin"), "hard links");
}

TEST_F(ExternalData, RefusesSpecialFiles) {
  ASSERT_EQ(::mkfifo((root / "model" / "pipe").c_str(), 0600), 0);
  expectPart(load("pipe"), "not a regular file");
  expectPart(load("sub"), "not a regular file");
}

TEST_F(ExternalData, RefusesBadRanges) {
  expectPart(load("data.bin", "64", "16"), "do not fit");
  expectPart(load("data.bin", "65"), "beyond");
  expectPart(load("data.bin", "18446744073709551615", "17"), "beyond");
  expectPart(load("data.bin", "16", "18446744073709551612"), "do not fit");
  expectPart(load("data.bin", "18446744073709551616"), "not a number");
  expectPart(load("data.bin", "-1"), "not a number");
  expectPart(load("data.bin", "0x0"), "not a number");
  expectPart(load("data.bin", "0", "15"), "has 15 bytes, but");
  expectPart(load("data.bin", "0"), "has 64 bytes, but");
  expectPart(load("data.bin", "0", "0", 1ll << 41), "too many elements");
}

TEST_F(ExternalData, BytesModelHasNoFolder) {
  TensorProto t = tensor(ElementType::Float, {4});
  t.external = true;
  t.externalData.push_back({"location", "data.bin"});
  expectPart(errorOf(t), "given as bytes");
}

TEST_F(ExternalData, ModelFile) {
  EXPECT_EQ(MappedFile::open((root / "secret.bin").string())->bytes().size(),
            64u);
  EXPECT_THROW(MappedFile::open((root / "nope").string()), ImportError);
  EXPECT_THROW(MappedFile::open(root.string()), ImportError);
}
