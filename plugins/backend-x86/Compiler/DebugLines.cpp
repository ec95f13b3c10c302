// SPDX-License-Identifier: Apache-2.0
// Builds the debug scopes of generated functions.
#include "DebugLines.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cuvil::x86;

SourceLine cuvil::x86::firstFileLine(Location loc) {
  SourceLine found;
  loc->walk([&](Location inner) {
    if (auto file = dyn_cast<FileLineColLoc>(inner)) {
      found = {file.getFilename().str(), file.getLine()};
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}

static LLVM::DIFileAttr fileOf(MLIRContext *context, StringRef path) {
  return LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                               llvm::sys::path::parent_path(path));
}

void cuvil::x86::attachDebugLines(
    ModuleOp module, const std::function<SourceLine(Location)> &lineOf) {
  MLIRContext *context = module.getContext();
  LLVM::DICompileUnitAttr unit;
  module.walk([&](LLVM::LLVMFuncOp func) {
    if (func.isExternal())
      return;
    SourceLine start = lineOf(func.getLoc());
    if (start.file.empty())
      start.file = "kernel";
    LLVM::DIFileAttr file = fileOf(context, start.file);
    if (!unit)
      unit = LLVM::DICompileUnitAttr::get(
          DistinctAttr::create(UnitAttr::get(context)), llvm::dwarf::DW_LANG_C,
          file, StringAttr::get(context, "cuvil"), /*isOptimized=*/true,
          LLVM::DIEmissionKind::LineTablesOnly);
    auto type = LLVM::DISubroutineTypeAttr::get(context, /*types=*/{});
    StringAttr name = func.getNameAttr();
    auto subprogram = LLVM::DISubprogramAttr::get(
        context, DistinctAttr::create(UnitAttr::get(context)), unit, file, name,
        name, file, start.line, start.line,
        LLVM::DISubprogramFlags::Definition |
            LLVM::DISubprogramFlags::Optimized,
        type);
    auto at = [&](unsigned line) {
      return FileLineColLoc::get(context, start.file, line, 0);
    };
    func->setLoc(FusedLoc::get({at(start.line)}, subprogram, context));
    func.getBody().walk([&](Operation *op) {
      SourceLine line = lineOf(op->getLoc());
      if (line.file.empty() || line.file == start.file) {
        op->setLoc(at(line.line));
        return;
      }
      auto block = LLVM::DILexicalBlockFileAttr::get(
          subprogram, fileOf(context, line.file), /*discriminator=*/0);
      op->setLoc(
          FusedLoc::get({FileLineColLoc::get(context, line.file, line.line, 0)},
                        block, context));
    });
  });
}
