// SPDX-License-Identifier: Apache-2.0
// A function with its weights, apart from the compilation it came from.
#include "Image.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/DenseMap.h"
#include <cstring>

using namespace cuvil;
using namespace cuvil::ref;
using mlir::func::FuncOp;

// The entry keeps its place, not its name, which may be anything.
static constexpr llvm::StringLiteral kMagic = "CUVILREF1";

Image::~Image() {
  for (Constant *weight : weights)
    weight->release();
}

FuncOp LoadedImage::getEntry() { return *module->getOps<FuncOp>().begin(); }

/// Clones `function`, then what it invokes, to the end of `module`.
static void cloneCallGraph(FuncOp function, mlir::ModuleOp module) {
  llvm::SmallVector<FuncOp> waiting{function};
  llvm::DenseSet<mlir::Operation *> seen{function};
  while (!waiting.empty()) {
    FuncOp next = waiting.pop_back_val();
    module.push_back(next.clone());
    next.walk([&](InvokeOp invoke) {
      auto callee = mlir::SymbolTable::lookupNearestSymbolFrom<FuncOp>(
          invoke, invoke.getCalleeAttr());
      if (callee && seen.insert(callee).second)
        waiting.push_back(callee);
    });
  }
}

llvm::FailureOr<Image> cuvil::ref::makeImage(FuncOp function,
                                             std::string &error) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::ModuleOp::create(function.getLoc());
  cloneCallGraph(function, *module);
  WeightStore &store =
      function->getContext()->getLoadedDialect<CuvilDialect>()->getWeights();
  Image image;
  llvm::DenseMap<int64_t, int64_t> ids;
  module->walk([&](ConstantOp constant) {
    auto weight = llvm::dyn_cast<WeightAttr>(constant.getValue());
    if (!weight)
      return;
    auto [place, isNew] = ids.try_emplace(weight.getId(), image.weights.size());
    if (isNew) {
      Constant *bytes = store.get(weight.getId());
      if (!bytes) {
        error = "there is no weight " + std::to_string(weight.getId());
        return;
      }
      bytes->retain();
      image.weights.push_back(bytes);
    }
    constant.setValueAttr(
        WeightAttr::get(place->second, constant.getY().getType()));
  });
  if (!error.empty())
    return llvm::failure();
  llvm::raw_string_ostream os(image.bytecode);
  if (failed(mlir::writeBytecodeToFile(*module, os))) {
    error = "the function can't be written as bytecode";
    return llvm::failure();
  }
  return image;
}

llvm::FailureOr<LoadedImage> cuvil::ref::loadImage(const Image &image,
                                                   std::string &error) {
  mlir::DialectRegistry registry;
  registry.insert<CuvilDialect, mlir::func::FuncDialect>();
  LoadedImage loaded;
  loaded.context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::MLIRContext &context = *loaded.context;
  // A graph of no ops at all needs the dialect too, for its types.
  context.loadAllAvailableDialects();
  for (Constant *weight : image.weights) {
    weight->retain();
    context.getOrLoadDialect<CuvilDialect>()->getWeights().add(weight);
  }
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          if (error.empty())
                                            error = diagnostic.str();
                                          return mlir::success();
                                        });
  loaded.module =
      mlir::parseSourceString<mlir::ModuleOp>(image.bytecode, &context);
  if (!loaded.module || loaded.module->getOps<FuncOp>().empty()) {
    if (error.empty())
      error = "the module holds no function";
    return llvm::failure();
  }
  // Attributes are made while it runs, by several threads at once.
  context.enableMultithreading(true);
  return loaded;
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static void append(std::string &out, int64_t value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

std::string cuvil::ref::writeImage(const Image &image) {
  std::string out(kMagic);
  append(out, image.bytecode.size());
  out += image.bytecode;
  append(out, image.weights.size());
  for (Constant *weight : image.weights) {
    append(out, weight->getDtype());
    append(out, weight->getDims().size());
    for (int64_t dim : weight->getDims())
      append(out, dim);
    append(out, weight->getSize());
    out.append(static_cast<const char *>(weight->getData()), weight->getSize());
  }
  return out;
}

namespace {
/// Takes pieces off the front; after the first bad one everything is empty.
class ByteReader {
public:
  explicit ByteReader(llvm::StringRef bytes) : bytes(bytes) {}
  llvm::StringRef take(int64_t size) {
    if (size < 0 || static_cast<uint64_t>(size) > bytes.size())
      isBad = true;
    if (isBad)
      return {};
    llvm::StringRef piece = bytes.take_front(size);
    bytes = bytes.drop_front(size);
    return piece;
  }
  int64_t number() {
    int64_t value = 0;
    llvm::StringRef piece = take(sizeof(value));
    if (!isBad)
      std::memcpy(&value, piece.data(), sizeof(value));
    return value;
  }
  bool isBad = false;
  llvm::StringRef bytes;
};
} // namespace

/// Reads one weight; null, with the reader bad, when its size is not that of
/// its dims.
static Constant *readWeight(ByteReader &reader) {
  auto dtype = static_cast<cuvil_dtype>(reader.number());
  int64_t rank = reader.number();
  int64_t bytes = getElementSize(dtype);
  std::vector<int64_t> dims;
  for (int64_t i = 0; i < rank && !reader.isBad; ++i) {
    dims.push_back(reader.number());
    reader.isBad |=
        dims.back() < 0 || __builtin_mul_overflow(bytes, dims.back(), &bytes);
  }
  int64_t size = reader.number();
  llvm::StringRef data = reader.take(size);
  reader.isBad |= size != bytes || getElementSize(dtype) == 0;
  if (reader.isBad)
    return nullptr;
  return Constant::copy(dtype, dims, data.data(), data.size());
}

llvm::FailureOr<Image> cuvil::ref::readImage(llvm::StringRef bytes,
                                             std::string &error) {
  Image image;
  ByteReader reader(bytes);
  reader.isBad = !reader.bytes.consume_front(kMagic);
  image.bytecode = reader.take(reader.number()).str();
  int64_t count = reader.number();
  for (int64_t i = 0; i < count && !reader.isBad; ++i)
    if (Constant *weight = readWeight(reader))
      image.weights.push_back(weight);
  if (reader.isBad || !reader.bytes.empty()) {
    error = "the data is not what this device writes, or is cut off";
    return llvm::failure();
  }
  return image;
}
