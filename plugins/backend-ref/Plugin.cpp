// SPDX-License-Identifier: Apache-2.0
// The device `ref`: the backend table around the reference interpreter.
#include "Executable.h"
#include "cuvil/IR/CuvilOps.h"
#include "llvm/ADT/StringSet.h"
#include <cstring>
#include <new>

using namespace cuvil;
using namespace cuvil::ref;
using mlir::func::FuncOp;

static const cuvil_host *host = nullptr;

/// The function that a graph is in.
static FuncOp getFunction(const cuvil_graph *graph) {
  auto *op = static_cast<mlir::Operation *>(host->graph->mlir_graph(graph));
  auto function = llvm::dyn_cast_or_null<FuncOp>(op);
  return function || !op ? function : op->getParentOfType<FuncOp>();
}

static size_t getDevices(void *, cuvil_device_info *out, size_t capacity) {
  if (capacity == 0)
    return 1;
  size_t size = std::min(out->struct_size, sizeof(cuvil_device_info));
  cuvil_device_info info = {};
  info.struct_size = size;
  info.name = "ref";
  info.score = 1;
  info.arch = "any";
  info.description = "reference kernels: slow, exact, every op";
  for (cuvil_dtype dtype = CUVIL_BOOL; dtype <= CUVIL_F64; ++dtype)
    info.dtypes |= uint64_t(1) << dtype;
  info.modes = "";
  std::memcpy(out, &info, size);
  return 1;
}

/// Outputs are allocated by the caller, so sizes that the arguments do not give
/// must be bound outside: then control and bindings stay with the host.
static bool hasOwnSizes(FuncOp function) {
  llvm::StringSet<> known;
  auto isUnknown = [&](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    bool unknown = false;
    if (tensor)
      for (DimExpr dim : getDims(tensor))
        dim.walkSymbols(
            [&](llvm::StringRef name) { unknown |= !known.contains(name); });
    return unknown;
  };
  for (mlir::Type type : function.getArgumentTypes())
    if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type))
      for (DimExpr dim : getDims(tensor))
        if (dim.getKind() == DimKind::Symbol)
          known.insert(dim.getSymbol());
  return llvm::any_of(function.getResultTypes(), isUnknown) ||
         llvm::any_of(
             function.getBody().front().getTerminator()->getOperandTypes(),
             isUnknown);
}

static cuvil_status *getCapability(void *, const cuvil_graph *graph,
                                   const cuvil_options *,
                                   const cuvil_capability_sink *sink) {
  FuncOp function = getFunction(graph);
  if (!function)
    return host->status_create(CUVIL_INCOMPATIBLE,
                               "device 'ref' needs the IR itself, but this "
                               "host is built on another LLVM");
  bool leaveControl = hasOwnSizes(function);
  const cuvil_graph_api &api = *host->graph;
  for (size_t i = 0, e = api.num_ops(graph); i < e; ++i) {
    cuvil_op handle = api.op(graph, i);
    auto *op = static_cast<mlir::Operation *>(api.mlir_op(handle));
    if (leaveControl && llvm::isa<SymBindOp, AssertOp, IfOp, WhileOp>(op))
      sink->refuse(sink->state, handle,
                   "a result's size is known only while running, so the "
                   "program runs this op around the device");
    else
      sink->accept(sink->state, handle);
  }
  return nullptr;
}

static cuvil_status *compileOne(const cuvil_graph *graph,
                                cuvil_executable **out) {
  auto function = llvm::dyn_cast_or_null<FuncOp>(
      static_cast<mlir::Operation *>(host->graph->mlir_graph(graph)));
  if (!function)
    return host->status_create(CUVIL_INVALID_ARGUMENT,
                               "device 'ref' compiles whole functions");
  std::string error;
  auto image = makeImage(function, error);
  if (failed(image))
    return host->status_create(CUVIL_INVALID_MODEL, error.c_str());
  return makeExecutable(host, std::move(*image), out);
}

static void compile(void *, const cuvil_graph *const *graphs, size_t n,
                    const cuvil_options *, cuvil_compile_result *results) {
  for (size_t i = 0; i < n; ++i) {
    try {
      results[i].status = compileOne(graphs[i], &results[i].executable);
    } catch (const std::bad_alloc &) {
      results[i].status = host->status_create(CUVIL_RESOURCE_EXHAUSTED,
                                              "out of memory on device 'ref'");
    } catch (const std::exception &exception) {
      results[i].status = host->status_create(CUVIL_INTERNAL, exception.what());
    }
  }
}

static const char *getCompatibility(void *, const cuvil_options *) {
  return "ref " CUVIL_REF_VERSION " " CUVIL_PLUGIN_FINGERPRINT;
}

static int32_t validate(void *, const char *compatibility) {
  llvm::StringRef given = compatibility;
  if (!given.starts_with("ref "))
    return CUVIL_VALIDATE_NOT_OURS;
  return given == getCompatibility(nullptr, nullptr)
             ? CUVIL_VALIDATE_OPTIMAL
             : CUVIL_VALIDATE_UNSUPPORTED;
}

static cuvil_status *deserialize(void *, const void *data, size_t size,
                                 cuvil_executable **out) {
  try {
    std::string error;
    auto image = readImage(
        llvm::StringRef(static_cast<const char *>(data), size), error);
    if (failed(image))
      return host->status_create(CUVIL_INVALID_MODEL, error.c_str());
    return makeExecutable(host, std::move(*image), out);
  } catch (const std::bad_alloc &) {
    return host->status_create(CUVIL_RESOURCE_EXHAUSTED,
                               "out of memory on device 'ref'");
  }
}

static cuvil_status *initialize(const cuvil_host *given,
                                const cuvil_registrar *registrar) {
  host = given;
  static const cuvil_backend backend = {
      sizeof(cuvil_backend), "ref",   nullptr,          getDevices,
      getCapability,         compile, getCompatibility, validate,
      deserialize,           nullptr};
  return registrar->add_backend(registrar->state, &backend);
}

CUVIL_PLUGIN("cuvil.backend-ref", CUVIL_REF_VERSION, "Apache-2.0",
             CUVIL_BACKEND, initialize, nullptr)
