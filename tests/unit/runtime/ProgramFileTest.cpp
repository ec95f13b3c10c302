// SPDX-License-Identifier: Apache-2.0
// Saved programs: round trip, changed files, every damaged byte.
#include "TestProgram.h"
#include "cuvil/Runtime/CompileCache.h"
#include "cuvil/Runtime/MappedFile.h"
#include "cuvil/Runtime/ProgramFile.h"
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace cuvil;
using namespace cuvil::test;
namespace fs = std::filesystem;

namespace {

constexpr uint32_t kMain = Program::kMain;

struct Saved : testing::Test {
  Saved() {
    std::string pattern = (fs::temp_directory_path() / "saved-XXXXXX").string();
    root = mkdtemp(pattern.data());
  }
  ~Saved() override { fs::remove_all(root); }

  std::string write(const std::string &name, const std::string &bytes) {
    std::ofstream(root / name, std::ios::binary) << bytes;
    return (root / name).string();
  }
  StatusOr<SavedProgram> read(const std::string &bytes,
                              const std::string &model = "") {
    // A file in memory: the damage tests make thousands.
    int fd = memfd_create("program", MFD_CLOEXEC);
    EXPECT_EQ(::write(fd, bytes.data(), bytes.size()), ssize_t(bytes.size()));
    auto file = MappedFile::open("/proc/self/fd/" + std::to_string(fd));
    close(fd);
    if (file.failed())
      return file.takeError();
    return readProgram(*file, model);
  }

  fs::path root;
};

/// y = copy of a constant, in a program within a program.
std::unique_ptr<Program> makeNested(Constant *constant, int64_t n) {
  TestProgram inner;
  uint32_t c = inner.buffer(CUVIL_BUFFER_CONSTANT, -1, {num(n)}, CUVIL_F32,
                            "c", constant);
  uint32_t iy = inner.output(0, {num(n)});
  inner.step(kMain, CUVIL_STEP_COPY, {c, iy}, {.location = "here"});
  cuvil_executable *executable = wrapProgram(inner.take()).release();
  TestProgram p;
  uint32_t y = p.output(0, {num(n)});
  p.step(kMain, CUVIL_STEP_INVOKE, {y}, {.executable = executable});
  return p.take();
}

TEST_F(Saved, RoundTripWithInlineConstant) {
  std::vector<float> values = {1, 2, 3};
  auto program =
      makeNested(Constant::copy(CUVIL_F32, {3}, values.data(), 12), 3);
  auto bytes = writeProgram(*program, "{\"a\": 1}", "");
  ASSERT_TRUE(bytes.ok()) << bytes.takeError().message();
  auto saved = read(*bytes);
  ASSERT_TRUE(saved.ok()) << saved.takeError().message();
  EXPECT_EQ(saved->report, "{\"a\": 1}");
  auto loaded = LoadedProgram::load(std::move(saved->program), {});
  ASSERT_TRUE(loaded.ok()) << loaded.takeError().message();
  EXPECT_EQ(runOne(**loaded, {}), values);
}

TEST_F(Saved, MappedConstantsBecomeReferences) {
  constexpr int64_t n = 4096;
  std::vector<float> values(n, 5);
  std::string raw(reinterpret_cast<char *>(values.data()), n * 4);
  std::string model = write("model", "x" + raw);
  auto file = MappedFile::open(model);
  ASSERT_TRUE(file.ok());
  cuvil_constant desc = {};
  desc.struct_size = sizeof(desc);
  int64_t shape = n;
  desc.tensor = {const_cast<char *>((*file)->data()) + 1, {1, 0}, 1,
                 getDlDtype(CUVIL_F32), &shape, nullptr, 0};
  auto program = makeNested(Constant::create(desc), n);
  // As part of the model the file may move; by its own name it may not change.
  auto bytes = writeProgram(*program, "", model);
  ASSERT_TRUE(bytes.ok());
  EXPECT_LT(bytes->size(), 4096u);
  fs::rename(model, root / "moved");
  auto saved = read(*bytes, (root / "moved").string());
  ASSERT_TRUE(saved.ok()) << saved.takeError().message();
  auto loaded = LoadedProgram::load(std::move(saved->program), {});
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(runOne(**loaded, {}), values);
  fs::rename(root / "moved", model);
  bytes = writeProgram(*program, "", "");
  ASSERT_TRUE(read(*bytes).ok());
  write("model", "y" + raw + "z");
  EXPECT_EQ(read(*bytes).takeError().code(), CUVIL_FAILED_PRECONDITION);
}

TEST_F(Saved, SideFilesMustBeUnchanged) {
  float value = 1;
  auto program = makeNested(Constant::copy(CUVIL_F32, {1}, &value, 4), 1);
  std::string side = write("side", "abc");
  auto bytes = writeProgram(*program, "", "", {side});
  ASSERT_TRUE(bytes.ok());
  EXPECT_TRUE(read(*bytes).ok());
  write("side", "abcd");
  EXPECT_TRUE(read(*bytes).failed());
}

TEST_F(Saved, EveryFlipAndTruncationIsRefused) {
  std::vector<float> values = {1, 2, 3};
  auto program =
      makeNested(Constant::copy(CUVIL_F32, {3}, values.data(), 12), 3);
  auto bytes = writeProgram(*program, "report", "");
  ASSERT_TRUE(bytes.ok());
  for (size_t i = 0; i < bytes->size(); ++i) {
    std::string damaged = *bytes;
    damaged[i] ^= 1 << (i % 8);
    auto saved = read(damaged);
    // Only the padding of the head is not looked at.
    EXPECT_TRUE(saved.failed() || (i >= 12 && i < 16) || (i >= 96 && i < 128))
        << i;
    EXPECT_TRUE(read(bytes->substr(0, i)).failed()) << i;
  }
}

TEST_F(Saved, PointersAndCallbacksAreNotSaved) {
  TestProgram p;
  uint32_t x = p.input(0, {num(1)}), y = p.output(0, {num(1)});
  p.call(kMain, addOne, {x, y}, {.sizes = {num(1)}});
  auto program = p.take();
  EXPECT_EQ(writeProgram(*program, "", "").takeError().code(),
            CUVIL_UNSUPPORTED);
}

TEST_F(Saved, CacheStoresFindsAndTrims) {
  std::string folder = (root / "cache" / "programs").string();
  auto cache = CompileCache::open(folder, 100);
  ASSERT_TRUE(cache.ok()) << cache.takeError().message();
  EXPECT_TRUE(cache->lookup("a").failed());
  ASSERT_TRUE(cache->store("a", std::string(60, 'a')).ok());
  auto file = cache->lookup("a");
  ASSERT_TRUE(file.ok());
  EXPECT_EQ((*file)->size(), 60u);
  struct timespec old[2] = {{1, 0}, {1, 0}};
  utimensat(AT_FDCWD, (folder + "/a.cuvprog").c_str(), old, 0);
  ASSERT_TRUE(cache->store("b", std::string(60, 'b')).ok());
  EXPECT_TRUE(cache->lookup("a").failed());
  EXPECT_TRUE(cache->lookup("b").ok());
  chmod(folder.c_str(), 0777);
  EXPECT_EQ(CompileCache::open(folder).takeError().code(),
            CUVIL_PERMISSION_DENIED);
}

} // namespace
