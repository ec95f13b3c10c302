// SPDX-License-Identifier: Apache-2.0
// Runs functions of textual IR on the reference kernels, for tests.
#include "Npy.h"
#include "cuvil/Eval/Interpreter.h"
#include "cuvil/IR/CuvilDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace cuvil;

static llvm::cl::opt<std::string>
    cases(llvm::cl::Positional, llvm::cl::Required,
          llvm::cl::desc("<file with one case per line: MODULE [INPUT.npy ...] "
                         "-> [OUTPUT.npy ...]>"));

/// Runs the first function of a module. The error is text for the report.
static llvm::Error runCase(mlir::MLIRContext &context,
                           llvm::ArrayRef<llvm::StringRef> words) {
  auto fail = [](const llvm::Twine &why) {
    return llvm::createStringError(why);
  };
  std::string diagnostics;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          diagnostics += diagnostic.str() + " ";
                                          return mlir::success();
                                        });
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(words[0], &context);
  if (!module)
    return fail("parse: " + diagnostics);
  auto functions = module->getOps<mlir::func::FuncOp>();
  if (functions.empty())
    return fail("parse: the module has no function");
  mlir::func::FuncOp entry = *functions.begin();
  const auto *arrow = llvm::find(words, "->");
  llvm::ArrayRef<llvm::StringRef> inputs(words.begin() + 1, arrow);
  llvm::ArrayRef<llvm::StringRef> outputs =
      arrow == words.end() ? llvm::ArrayRef<llvm::StringRef>()
                           : llvm::ArrayRef(arrow + 1, words.end());
  if (inputs.size() != entry.getNumArguments())
    return fail("expected " + llvm::Twine(entry.getNumArguments()) + " inputs");
  std::vector<EvalTensor> arguments, results;
  for (auto [path, type] : llvm::zip_equal(inputs, entry.getArgumentTypes())) {
    auto tensor =
        readNpy(path.str(), getDtype(mlir::getElementTypeOrSelf(type)));
    if (!tensor)
      return tensor.takeError();
    arguments.push_back(std::move(*tensor));
  }
  EvalError error;
  auto interpreter = Interpreter::create(entry, error);
  if (!interpreter || failed(interpreter->run(arguments, {}, results, error)))
    return fail(llvm::Twine(error.code) + " " + error.message);
  if (outputs.size() != results.size())
    return fail("expected " + llvm::Twine(results.size()) + " outputs");
  for (auto [path, tensor] : llvm::zip_equal(outputs, results))
    if (llvm::Error failure = writeNpy(path.str(), tensor))
      return failure;
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "Cuvil reference evaluator: prints `ok` or an error per case\n");
  auto file = llvm::MemoryBuffer::getFile(cases);
  if (!file) {
    llvm::errs() << cases << ": " << file.getError().message() << "\n";
    return 1;
  }
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n', -1, false);
  mlir::DialectRegistry registry;
  registry.insert<CuvilDialect, mlir::func::FuncDialect>();
  for (llvm::StringRef line : lines) {
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    llvm::SmallVector<llvm::StringRef> words;
    line.split(words, ' ', -1, false);
    if (words.empty())
      continue;
    llvm::Error failure = runCase(context, words);
    std::string text = failure ? "error " + llvm::toString(std::move(failure))
                               : std::string("ok");
    std::replace(text.begin(), text.end(), '\n', ' ');
    llvm::outs() << text << "\n";
    llvm::outs().flush();
  }
  return 0;
}
