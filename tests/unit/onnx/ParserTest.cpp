// SPDX-License-Identifier: Apache-2.0
// The wire reader and model parser: meaning, hostile bytes, and noise.
#include "Proto/Checks.h"
#include "Proto/Error.h"
#include "ProtoWriter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <random>

using namespace cuvil::onnx;
using namespace cuvil::onnx::test;

namespace {

std::string errorOf(const std::string &bytes) {
  try {
    ModelProto parsed = parseModel(asBytes(bytes));
    CheckedModel checked(parsed);
  } catch (const ImportError &error) {
    return error.what();
  }
  return "";
}

void expectError(const std::string &bytes, std::string_view part) {
  std::string error = errorOf(bytes);
  EXPECT_NE(error.find(part), std::string::npos) << "got: " << error;
}

ProtoWriter smallGraph() {
  ProtoWriter weight;
  weight.num(1, 2).num(2, 1).str(8, "w").packed<float>(4, {1.0f, 2.0f});
  ProtoWriter alpha;
  alpha.str(1, "alpha").tag(2, 5).raw(std::string("\0\0\x80\x3f", 4));
  alpha.num(20, 1);
  return ProtoWriter()
      .msg(1, node("Add", {"x", "w"}, {"s"}, "add"))
      .msg(1, node("Elu", {"s"}, {"y"}, "elu").msg(5, alpha))
      .str(2, "g")
      .msg(5, weight)
      .msg(11, valueInfo("x", 1, {1, -1}))
      .msg(12, valueInfo("y", 1, {1, 2}));
}

std::string smallModel() { return model(smallGraph()).bytes(); }

std::string nestedIfs(unsigned depth) {
  ProtoWriter graph;
  graph.msg(1, node("Identity", {"x"}, {"y"})).msg(12, valueInfo("y", 1, {1}));
  for (unsigned i = 0; i < depth; ++i) {
    ProtoWriter branch;
    branch.str(1, "then_branch").msg(6, graph).num(20, 5);
    ProtoWriter outer;
    outer.msg(1, node("If", {"c"}, {"y"}).msg(5, branch));
    outer.msg(12, valueInfo("y", 1, {1}));
    graph = outer;
  }
  graph.msg(11, valueInfo("x", 1, {1})).msg(11, valueInfo("c", 9, {}));
  return model(graph).bytes();
}

} // namespace

TEST(OnnxParser, ReadsModel) {
  std::string bytes = smallModel();
  ModelProto parsed = parseModel(asBytes(bytes));
  EXPECT_EQ(parsed.irVersion, 8);
  ASSERT_TRUE(parsed.graph);
  const GraphProto &graph = *parsed.graph;
  ASSERT_EQ(graph.nodes.size(), 2u);
  EXPECT_EQ(graph.nodes[1].opType, "Elu");
  ASSERT_EQ(graph.nodes[1].attributes.size(), 1u);
  EXPECT_EQ(graph.nodes[1].attributes[0].f, 1.0f);
  ASSERT_EQ(graph.initializers.size(), 1u);
  EXPECT_EQ(graph.initializers[0].floatData, (std::vector<float>{1, 2}));
  const TypeProto &type = graph.inputs[0].type;
  ASSERT_EQ(type.shape.size(), 2u);
  EXPECT_EQ(type.shape[0].value, 1);
  EXPECT_EQ(type.shape[1].kind, DimProto::Unknown);
  CheckedModel checked(parsed);
  EXPECT_EQ(checked.info(graph).order, (std::vector<uint32_t>{0, 1}));
  EXPECT_TRUE(looksLikeModel(asBytes(bytes)));
}

TEST(OnnxParser, RepeatedScalarsPackedOrNot) {
  ProtoWriter tensor;
  tensor.packedInts(1, {2, 3}).num(1, -1);
  std::string bytes = model(ProtoWriter().msg(5, tensor).str(2, "g")).bytes();
  ModelProto parsed = parseModel(asBytes(bytes));
  EXPECT_EQ(parsed.graph->initializers[0].dims,
            (std::vector<int64_t>{2, 3, -1}));
}

TEST(OnnxParser, UnknownFieldsAreSkipped) {
  std::string bytes = smallModel() + ProtoWriter()
                                         .num(900, 7)
                                         .str(901, "abc")
                                         .tag(902, 5)
                                         .raw("abcd")
                                         .tag(903, 1)
                                         .raw("abcdefgh")
                                         .bytes();
  EXPECT_EQ(errorOf(bytes), "");
}

TEST(OnnxParser, EveryTruncationIsAnErrorOrAModel) {
  std::string bytes = smallModel();
  for (size_t size = 0; size < bytes.size(); ++size) {
    // An exact-size copy lets a sanitizer see one byte too many.
    std::string cut(bytes.data(), size);
    cut.shrink_to_fit();
    EXPECT_NE(errorOf(cut), "") << "size " << size;
  }
}

TEST(OnnxParser, EverySingleBitFlipEndsCleanly) {
  std::string bytes = smallModel();
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] ^= static_cast<char>(1 << bit % 8);
    errorOf(flipped);
  }
}

TEST(OnnxParser, RandomNoiseEndsCleanly) {
  std::mt19937 random(7);
  std::string base = smallModel();
  for (int i = 0; i < 20000; ++i) {
    std::string noisy = base;
    for (unsigned k = random() % 8 + 1; k; --k)
      noisy[random() % noisy.size()] = static_cast<char>(random());
    errorOf(noisy);
    std::string garbage(random() % 200, '\0');
    for (char &c : garbage)
      c = static_cast<char>(random());
    EXPECT_NE(errorOf(garbage), "");
    looksLikeModel(asBytes(garbage));
  }
}

TEST(OnnxParser, HostileBytes) {
  expectError("", "empty");
  expectError("this is not a model at all", "not ONNX");
  expectError(std::string(1 << 20, '\xff'), "longer than 10 bytes");
  expectError(std::string("\x3b\x3b\x3b"), "wire type 3");
  expectError(ProtoWriter().tag(7, 2).varint(~0ull).bytes(), "does not fit");
  expectError(ProtoWriter().tag(7, 2).varint(1ull << 40).bytes(), "does not");
  expectError(ProtoWriter().str(1, "8").bytes(), "wire type 2");
  expectError(std::string("\0\0", 2), "invalid field number");
  expectError(nestedIfs(200), "64 deep");
  EXPECT_EQ(errorOf(nestedIfs(15)), "");
}

TEST(OnnxParser, StructuresCannotExhaustMemory) {
  // Two bytes per empty node: a struct of 136 bytes each.
  ProtoWriter graph;
  std::string nodes;
  for (int i = 0; i < 4'000'000; ++i)
    nodes += std::string("\x0a\x00", 2);
  auto start = std::chrono::steady_clock::now();
  expectError(model(graph.raw(nodes)).bytes(), "needs more memory");
  auto seconds = std::chrono::steady_clock::now() - start;
  EXPECT_LT(std::chrono::duration<double>(seconds).count(), 2.0);
}

TEST(OnnxChecks, Versions) {
  expectError(model(smallGraph(), 17, 0).bytes(), "IR version 0");
  expectError(model(smallGraph(), 17, 99).bytes(), "IR version 99");
  expectError(model(smallGraph(), 0).bytes(), "version 0");
  expectError(model(smallGraph(), 1000).bytes(), "version 1000");
  expectError(ProtoWriter().num(1, 8).bytes(), "no graph");
  expectError(ProtoWriter().num(1, 8).msg(7, smallGraph()).bytes(),
              "which operator set");
  expectError(model(ProtoWriter()).bytes(), "no outputs");
}

TEST(OnnxChecks, SortsAndNamesCycles) {
  ProtoWriter unsorted;
  unsorted.msg(1, node("Relu", {"a"}, {"y"}, "second"))
      .msg(1, node("Relu", {"x"}, {"a"}, "first"))
      .msg(11, valueInfo("x", 1, {1}))
      .msg(12, valueInfo("y", 1, {1}));
  std::string bytes = model(unsorted).bytes();
  ModelProto parsed = parseModel(asBytes(bytes));
  CheckedModel checked(parsed);
  EXPECT_EQ(checked.info(*parsed.graph).order, (std::vector<uint32_t>{1, 0}));

  ProtoWriter cyclic;
  cyclic.msg(1, node("Add", {"x", "b"}, {"a"}, "one"))
      .msg(1, node("Relu", {"a"}, {"b"}, "two"))
      .msg(1, node("Relu", {"b"}, {"y"}, "three"))
      .msg(11, valueInfo("x", 1, {1}))
      .msg(12, valueInfo("y", 1, {1}));
  std::string error = errorOf(model(cyclic).bytes());
  EXPECT_NE(error.find("cyclic"), std::string::npos);
  EXPECT_NE(error.find("'one'"), std::string::npos) << error;
  EXPECT_NE(error.find("'two'"), std::string::npos) << error;
  EXPECT_EQ(error.find("'three'"), std::string::npos) << error;

  ProtoWriter self;
  self.msg(1, node("Relu", {"y"}, {"y"}, "loop"))
      .msg(12, valueInfo("y", 1, {1}));
  expectError(model(self).bytes(), "'loop'");
}

TEST(OnnxChecks, Names) {
  auto graph = [] {
    return ProtoWriter()
        .msg(11, valueInfo("x", 1, {1}))
        .msg(12, valueInfo("y", 1, {1}));
  };
  expectError(model(graph().msg(1, node("Relu", {"nope"}, {"y"}, "n"))).bytes(),
              "node 'n' (Relu) needs value 'nope'");
  expectError(model(graph().msg(1, node("Relu", {"x"}, {"z"}))).bytes(),
              "output 'y' is not defined");
  expectError(model(graph()
                        .msg(1, node("Relu", {"x"}, {"y"}))
                        .msg(1, node("Abs", {"x"}, {"y"})))
                  .bytes(),
              "'y' is defined twice");
  expectError(model(graph()
                        .msg(1, node("Relu", {"x"}, {"y"}))
                        .msg(11, valueInfo("x", 1, {1})))
                  .bytes(),
              "'x' is defined twice");
  expectError(model(graph().msg(1, node("", {"x"}, {"y"}))).bytes(),
              "has no operator");
  ProtoWriter twice = node("Relu", {"x"}, {"y"});
  twice.msg(5, ProtoWriter().str(1, "a").num(3, 1).num(20, 2));
  twice.msg(5, ProtoWriter().str(1, "a").num(3, 2).num(20, 2));
  expectError(model(graph().msg(1, twice)).bytes(), "attribute 'a' twice");
  // A hostile name must not reach the terminal as it is.
  expectError(model(graph().msg(1, node("Relu", {"\x1b[2J"}, {"y"}))).bytes(),
              "'\\x1b[2J'");
}

TEST(OnnxChecks, Functions) {
  auto withFunction = [](const ProtoWriter &function) {
    ProtoWriter graph;
    graph.msg(1, node("F", {"x"}, {"y"}).str(7, "my"))
        .msg(11, valueInfo("x", 1, {1}))
        .msg(12, valueInfo("y", 1, {1}));
    return model(graph).msg(25, function).bytes();
  };
  auto function = [] {
    return ProtoWriter().str(1, "F").str(10, "my").str(4, "a").str(5, "b").msg(
        9, ProtoWriter().str(1, "").num(2, 17));
  };
  EXPECT_EQ(
      errorOf(withFunction(function().msg(7, node("Relu", {"a"}, {"b"})))), "");
  expectError(withFunction(function().msg(7, node("Relu", {"x"}, {"b"}))),
              "needs value 'x'");
  expectError(
      withFunction(function().msg(7, node("F", {"a"}, {"b"}).str(7, "my"))),
      "calls itself");

  // Each level calls the one below ten times: 10^12 nodes in a small file.
  ProtoWriter bomb = model(ProtoWriter()
                               .msg(1, node("F0", {"x"}, {"y"}).str(7, "my"))
                               .msg(11, valueInfo("x", 1, {1}))
                               .msg(12, valueInfo("y", 1, {1})));
  for (int level = 0; level < 12; ++level) {
    ProtoWriter f;
    f.str(1, "F" + std::to_string(level)).str(10, "my").str(4, "v0");
    for (int i = 0; i < 10; ++i)
      f.msg(7, node(level == 11 ? "Relu" : "F" + std::to_string(level + 1),
                    {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)})
                   .str(7, level == 11 ? "" : "my"));
    bomb.msg(25, f.str(5, "v10"));
  }
  expectError(bomb.bytes(), "expands to more than");
}
