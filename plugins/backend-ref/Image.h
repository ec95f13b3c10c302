// SPDX-License-Identifier: Apache-2.0
// A function with its weights, apart from the compilation it came from.
#ifndef CUVIL_BACKEND_REF_IMAGE_H
#define CUVIL_BACKEND_REF_IMAGE_H

#include "cuvil/IR/CuvilDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <string>
#include <vector>

namespace cuvil::ref {

/// The IR as bytecode, and the weights that it numbers from 0.
struct Image {
  Image() = default;
  Image(const Image &) = delete;
  Image(Image &&) = default;
  Image &operator=(Image &&other) {
    std::swap(bytecode, other.bytecode);
    std::swap(weights, other.weights);
    return *this;
  }
  ~Image();

  std::string bytecode;
  std::vector<Constant *> weights; ///< Retained.
};

/// A module in a context of its own.
struct LoadedImage {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::func::FuncOp getEntry();
};

/// Copies a function and the functions it invokes. On failure `error` says
/// why.
llvm::FailureOr<Image> makeImage(mlir::func::FuncOp function,
                                 std::string &error);

llvm::FailureOr<LoadedImage> loadImage(const Image &image, std::string &error);

/// One string of bytes and back; what does not parse is an error.
std::string writeImage(const Image &image);
llvm::FailureOr<Image> readImage(llvm::StringRef bytes, std::string &error);

} // namespace cuvil::ref

#endif // CUVIL_BACKEND_REF_IMAGE_H
