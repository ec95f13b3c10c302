// SPDX-License-Identifier: Apache-2.0
// The imported module, its context, and diagnostics turned into statuses.
#include "Builder.h"
#include "cuvil/Eval/EvalTensor.h"
#include "cuvil/Graph/Graph.h"
#include "cuvil/IR/CuvilOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace cuvil;

static const cuvil_host *theHost = nullptr;
const cuvil_host &cuvil::getHost() { return *theHost; }
void cuvil::setHost(const cuvil_host *host) { theHost = host; }

std::unique_ptr<mlir::MLIRContext> cuvil::makeContext() {
  auto context = std::make_unique<mlir::MLIRContext>(
      mlir::MLIRContext::Threading::DISABLED);
  context->loadDialect<CuvilDialect, mlir::func::FuncDialect>();
  context->printOpOnDiagnostic(false);
  return context;
}

cuvil_ir_t::cuvil_ir_t() : context(makeContext()) {}
// The module refers to the context and goes first.
cuvil_ir_t::~cuvil_ir_t() {
  builder.reset();
  module = nullptr;
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

DiagnosticCollector::DiagnosticCollector(mlir::MLIRContext *context)
    : context(context) {
  id = context->getDiagEngine().registerHandler([this](mlir::Diagnostic &diag) {
    if (diag.getSeverity() == mlir::DiagnosticSeverity::Error)
      errors.push_back({diag.str(), getLocationText(diag.getLocation())});
    else if (!errors.empty() &&
             diag.getSeverity() == mlir::DiagnosticSeverity::Note)
      errors.back().message += "\n  " + diag.str();
    return mlir::success();
  });
}

DiagnosticCollector::~DiagnosticCollector() {
  context->getDiagEngine().eraseHandler(id);
}

llvm::StringRef DiagnosticCollector::getFirstError() const {
  return errors.empty() ? llvm::StringRef() : llvm::StringRef(errors[0].message);
}

cuvil_status *DiagnosticCollector::takeStatus(int32_t code,
                                              llvm::StringRef fallback) {
  std::string message, where;
  for (Entry &entry : errors) {
    if (!message.empty())
      message += '\n';
    if (where.empty())
      where = entry.where;
    if (errors.size() > 1 && !entry.where.empty())
      message += entry.where + ": ";
    message += entry.message;
  }
  errors.clear();
  if (message.empty())
    message = fallback.str();
  return getHost().status_create_at(code, message.c_str(), where.c_str(), "");
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Constant *cuvil::getDenseConstant(CuvilDialect &dialect,
                                  mlir::DenseElementsAttr value) {
  return dialect.getWeights().getOrCreate(value.getAsOpaquePointer(), [&] {
    auto type = value.getType();
    cuvil_dtype dtype = getDtype(type.getElementType());
    size_t width = getElementSize(dtype), count = value.getNumElements();
    std::vector<int64_t> dims(type.getShape().begin(), type.getShape().end());
    std::vector<char> bytes(width * count);
    llvm::ArrayRef<char> raw = value.getRawData();
    bool isBool = dtype == CUVIL_BOOL;
    for (size_t i = 0; i < count; ++i) {
      // Bools are packed to bits unless splat; others lie as they are.
      size_t from = value.isSplat() ? 0 : i;
      if (isBool)
        bytes[i] = value.isSplat() ? raw[0] != 0 : (raw[from / 8] >> (from % 8)) & 1;
      else
        std::memcpy(&bytes[i * width], raw.data() + from * width, width);
    }
    return Constant::copy(dtype, dims, bytes.data(), bytes.size());
  });
}
