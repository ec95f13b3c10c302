// SPDX-License-Identifier: Apache-2.0
// Storage of the dialect's attributes.
#ifndef CUVIL_LIB_IR_DIMEXPRDETAIL_H
#define CUVIL_LIB_IR_DIMEXPRDETAIL_H

#include "cuvil/IR/DimExpr.h"
#include "mlir/IR/AttributeSupport.h"

namespace cuvil::detail {

struct DimExprStorage : public mlir::AttributeStorage {
  using KeyTy = std::tuple<DimKind, int64_t, llvm::StringRef, llvm::ArrayRef<DimExpr>>;

  explicit DimExprStorage(const KeyTy &key)
      : kind(std::get<0>(key)), value(std::get<1>(key)),
        symbol(std::get<2>(key)), operands(std::get<3>(key)) {}

  bool operator==(const KeyTy &key) const {
    return key == KeyTy(kind, value, symbol, operands);
  }
  static llvm::hash_code hashKey(const KeyTy &key) {
    auto &operands = std::get<3>(key);
    return llvm::hash_combine(
        static_cast<int>(std::get<0>(key)), std::get<1>(key), std::get<2>(key),
        llvm::hash_combine_range(operands.begin(), operands.end()));
  }
  static DimExprStorage *construct(mlir::AttributeStorageAllocator &allocator,
                                   const KeyTy &key) {
    return new (allocator.allocate<DimExprStorage>()) DimExprStorage(
        KeyTy(std::get<0>(key), std::get<1>(key),
              allocator.copyInto(std::get<2>(key)),
              allocator.copyInto(std::get<3>(key))));
  }

  DimKind kind;
  int64_t value;
  llvm::StringRef symbol;
  llvm::ArrayRef<DimExpr> operands;
};

struct DimsAttrStorage : public mlir::AttributeStorage {
  using KeyTy = llvm::ArrayRef<DimExpr>;
  explicit DimsAttrStorage(KeyTy dims) : dims(dims) {}
  bool operator==(KeyTy key) const { return key == dims; }
  static llvm::hash_code hashKey(KeyTy key) {
    return llvm::hash_combine_range(key.begin(), key.end());
  }
  static DimsAttrStorage *construct(mlir::AttributeStorageAllocator &allocator,
                                    KeyTy key) {
    return new (allocator.allocate<DimsAttrStorage>())
        DimsAttrStorage(allocator.copyInto(key));
  }
  llvm::ArrayRef<DimExpr> dims;
};

struct WeightAttrStorage : public mlir::AttributeStorage {
  using KeyTy = std::pair<int64_t, mlir::Type>;
  WeightAttrStorage(int64_t id, mlir::Type type) : id(id), type(type) {}
  bool operator==(const KeyTy &key) const { return key == KeyTy(id, type); }
  static WeightAttrStorage *construct(mlir::AttributeStorageAllocator &allocator,
                                      const KeyTy &key) {
    return new (allocator.allocate<WeightAttrStorage>())
        WeightAttrStorage(key.first, key.second);
  }
  int64_t id;
  mlir::Type type;
};

} // namespace cuvil::detail

#endif // CUVIL_LIB_IR_DIMEXPRDETAIL_H
