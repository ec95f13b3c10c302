// SPDX-License-Identifier: Apache-2.0
// The C graph view and graph builder over Cuvil-IR, and the imported module.
#ifndef CUVIL_GRAPH_GRAPH_H
#define CUVIL_GRAPH_GRAPH_H

#include "cuvil/IR/CuvilDialect.h"
#include "cuvil/Plugin/CompilerApi.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace cuvil {

/// The tables behind cuvil_host.graph and cuvil_host.builder.
const cuvil_graph_api &getGraphApi();
const cuvil_builder_api &getBuilderApi();

/// The handle of a function body or region as the view hands it out.
const cuvil_graph *wrapGraph(mlir::Block *block);
mlir::Block *unwrapGraph(const cuvil_graph *graph);

/// The bytes of a small dense constant as a weight (borrowed); made once per
/// attribute.
Constant *getDenseConstant(CuvilDialect &dialect, mlir::DenseElementsAttr value);
/// The bytes behind a value that is a constant (looking through the arguments
/// of fusion regions), borrowed; null when it is none.
Constant *getConstant(mlir::Value value);

/// Where a location points in the user's model, as shown to the user; fused
/// locations give one line each.
std::string getLocationText(mlir::Location loc);

/// A context with the dialects that a module can hold, ready for one compile.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// Collects diagnostics while it lives: what the compiler says instead of
/// printing.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext *context);
  ~DiagnosticCollector();
  /// The errors so far as one status with `code`; the first error's location
  /// is its place. `fallback` is used when there was none.
  cuvil_status *takeStatus(int32_t code, llvm::StringRef fallback);
  bool hasErrors() const { return !errors.empty(); }
  llvm::StringRef getFirstError() const;
  void clear() { errors.clear(); }

private:
  struct Entry {
    std::string message, where;
  };
  mlir::MLIRContext *context;
  mlir::DiagnosticEngine::HandlerID id;
  std::vector<Entry> errors;
};

/// The host table given by libcuvil.so when it opened this library.
const cuvil_host &getHost();
void setHost(const cuvil_host *host);

} // namespace cuvil

/// An imported model: the context, the module and, while it is being built,
/// its builder.
struct cuvil_ir_t {
  cuvil_ir_t();
  ~cuvil_ir_t();

  /// Held while the context is worked in.
  std::mutex mutex;
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::unique_ptr<cuvil_builder_t> builder;
  std::string text;
  /// Backing of the cuvil_tensor_info texts handed out.
  struct TensorText {
    std::string name;
    std::vector<int64_t> sizes;
    std::vector<std::string> dims;
    std::vector<const char *> pointers;
  };
  std::map<std::string, TensorText> tensors;
  /// Values by the model's names.
  std::map<std::string, mlir::Value> named;

  /// The entry function.
  mlir::func::FuncOp getMain();
};

namespace cuvil {
/// Life of an IR (Module.cpp); the ir_* members of cuvil_compiler_api.
cuvil_status *createIr(const cuvil_options *options, cuvil_ir **out);
cuvil_status *finishIr(cuvil_ir *ir);
cuvil_status *parseIr(const char *text, size_t size, cuvil_ir **out);
const char *printIr(cuvil_ir *ir);
cuvil_status *getIrTensor(cuvil_ir *ir, const char *name, cuvil_tensor_info *out);
size_t getNumIrTensors(cuvil_ir *ir, int32_t which);
cuvil_status *getIrTensorAt(cuvil_ir *ir, int32_t which, size_t i, cuvil_tensor_info *out);
} // namespace cuvil

#endif // CUVIL_GRAPH_GRAPH_H
