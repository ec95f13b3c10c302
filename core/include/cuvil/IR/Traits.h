// SPDX-License-Identifier: Apache-2.0
// How an op touches its elements: what grouping and backends decide by.
#ifndef CUVIL_IR_TRAITS_H
#define CUVIL_IR_TRAITS_H

#include "mlir/IR/OpDefinition.h"

namespace cuvil {

/// Result element i needs element i of each operand (rank-0 operands aside).
template <typename Op>
class Pointwise : public mlir::OpTrait::TraitBase<Op, Pointwise> {};

/// The same bytes under other dims.
template <typename Op>
class Renaming : public mlir::OpTrait::TraitBase<Op, Renaming> {};

/// A result element is one operand element, found by cheap index arithmetic,
/// or made from nothing: worth repeating in every consumer.
template <typename Op>
class Spreading : public mlir::OpTrait::TraitBase<Op, Spreading> {};

/// Folds axes of its operand; can be one kernel with elementwise neighbours.
template <typename Op>
class Reducing : public mlir::OpTrait::TraitBase<Op, Reducing> {};

/// Sums of products; anchors a kernel that takes an elementwise tail.
template <typename Op>
class Contracting : public mlir::OpTrait::TraitBase<Op, Contracting> {};

} // namespace cuvil

#endif // CUVIL_IR_TRAITS_H
