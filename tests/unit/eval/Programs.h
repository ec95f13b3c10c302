// SPDX-License-Identifier: Apache-2.0
// Parsing of small programs for tests.
#ifndef CUVIL_TESTS_UNIT_EVAL_PROGRAMS_H
#define CUVIL_TESTS_UNIT_EVAL_PROGRAMS_H

#include "cuvil/IR/CuvilDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

namespace cuvil {

inline std::unique_ptr<mlir::MLIRContext> makeTestContext() {
  mlir::DialectRegistry registry;
  registry.insert<CuvilDialect, mlir::func::FuncDialect>();
  return std::make_unique<mlir::MLIRContext>(registry);
}

inline mlir::OwningOpRef<mlir::ModuleOp> parse(mlir::MLIRContext &context,
                                               const char *text) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  return module;
}

inline mlir::func::FuncOp getMain(mlir::ModuleOp module) {
  return module.lookupSymbol<mlir::func::FuncOp>("main");
}

} // namespace cuvil

#endif // CUVIL_TESTS_UNIT_EVAL_PROGRAMS_H
