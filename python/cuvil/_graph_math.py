# SPDX-License-Identifier: Apache-2.0
"""Arithmetic, products, reductions and normalisation for `Graph`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _dtypes
from ._value import Value
from .errors import InputError


class MathMethods:
    """Operands broadcast as in numpy; element types never convert by themselves."""

    # Elementwise

    def unary(self, kind: str, x: Any, **params: float) -> Value:
        """One function of one argument, e.g. ``"exp"``; see the op `unary`."""
        return self.op("unary", x, kind=kind, **params)

    def binary(self, kind: str, a: Any, b: Any) -> Value:
        """One function of two arguments, e.g. ``"add"``; see the op `binary`."""
        return self.op("binary", *self.broadcast(a, b), kind=kind)

    def compare(self, kind: str, a: Any, b: Any) -> Value:
        """eq, ne, lt, le, gt or ge, elementwise, to bool."""
        return self.op("compare", *self.broadcast(a, b), kind=kind)

    def add(self, a: Any, b: Any) -> Value:
        """a + b"""
        return self.binary("add", a, b)

    def sub(self, a: Any, b: Any) -> Value:
        """a - b"""
        return self.binary("sub", a, b)

    def mul(self, a: Any, b: Any) -> Value:
        """a * b"""
        return self.binary("mul", a, b)

    def div(self, a: Any, b: Any) -> Value:
        """a / b; on integers it truncates."""
        return self.binary("div", a, b)

    def floor_divide(self, a: Any, b: Any) -> Value:
        """a // b, rounded down."""
        a, b = self.broadcast(a, b)
        if _dtypes.is_float(a.dtype):
            return self.floor(self.op("binary", a, b, kind="div"))
        return self.op("binary", a, b, kind="floordiv")

    def mod(self, a: Any, b: Any) -> Value:
        """a % b, with the sign of b."""
        return self.binary("mod", a, b)

    def pow(self, a: Any, b: Any) -> Value:
        """a ** b"""
        return self.binary("pow", a, b)

    def minimum(self, a: Any, b: Any) -> Value:
        """The smaller element; NaN wins."""
        return self.binary("min", a, b)

    def maximum(self, a: Any, b: Any) -> Value:
        """The larger element; NaN wins."""
        return self.binary("max", a, b)

    def where(self, condition: Any, a: Any, b: Any) -> Value:
        """a where the bool holds, b elsewhere."""
        a, b = self._pair(a, b)
        shape = self._common([self._operand(condition, None), a, b])
        parts = [self.broadcast_to(v, shape) for v in (self._operand(condition, None), a, b)]
        return self.op("select", *parts)

    def clip(self, x: Value, low: Any, high: Any) -> Value:
        """min(max(x, low), high) with scalar bounds."""
        return self.op("clamp", x, low, high)

    def relu(self, x: Value) -> Value:
        """max(0, x)"""
        return self.unary("relu", x)

    def leaky_relu(self, x: Value, alpha: float = 0.01) -> Value:
        """x for x > 0, alpha * x elsewhere."""
        return self.unary("leaky_relu", x, alpha=alpha)

    def sigmoid(self, x: Value) -> Value:
        """1 / (1 + exp(-x))"""
        return self.unary("sigmoid", x)

    def tanh(self, x: Value) -> Value:
        """Hyperbolic tangent."""
        return self.unary("tanh", x)

    def gelu(self, x: Value, approximate: bool = False) -> Value:
        """Gaussian error linear unit, or its tanh approximation."""
        return self.unary("gelu_tanh" if approximate else "gelu", x)

    def silu(self, x: Value) -> Value:
        """x * sigmoid(x)"""
        return self.unary("silu", x)

    def exp(self, x: Value) -> Value:
        """e ** x"""
        return self.unary("exp", x)

    def log(self, x: Value) -> Value:
        """Natural logarithm."""
        return self.unary("log", x)

    def sqrt(self, x: Value) -> Value:
        """Square root."""
        return self.unary("sqrt", x)

    def abs(self, x: Value) -> Value:
        """|x|"""
        return self.unary("abs", x)

    def neg(self, x: Value) -> Value:
        """-x"""
        return self.unary("neg", x)

    def floor(self, x: Value) -> Value:
        """Rounded down."""
        return self.unary("floor", x)

    def ceil(self, x: Value) -> Value:
        """Rounded up."""
        return self.unary("ceil", x)

    def erf(self, x: Value) -> Value:
        """Error function."""
        return self.unary("erf", x)

    # Products

    def matmul(self, a: Any, b: Any) -> Value:
        """Matrix product; leading axes are batches, as in numpy."""
        a, b = self._pair(a, b)
        if not a.shape or not b.shape:
            raise InputError("matmul: operands must have at least one axis")
        if a.ndim == 1 or b.ndim == 1 or b.ndim == 2:
            # Free axes on both sides follow each other: no batch is needed.
            return self.op("dot", a, b, lhs_batch=[], rhs_batch=[],
                           lhs_contract=[a.ndim - 1], rhs_contract=[max(b.ndim - 2, 0)])
        if a.ndim == 2:
            a = self.reshape(a, (1,) * (b.ndim - 2) + a.shape)
        batch = self._common_shape([a.shape[:-2], b.shape[:-2]])
        a = self.broadcast_to(a, batch + a.shape[-2:])
        b = self.broadcast_to(b, batch + b.shape[-2:])
        axes = list(range(len(batch)))
        return self.op("dot", a, b, lhs_batch=axes, rhs_batch=axes,
                       lhs_contract=[a.ndim - 1], rhs_contract=[b.ndim - 2])

    # Reductions

    def reduce(self, kind: str, x: Value, axis: int | Sequence[int] | None = None,
               keepdims: bool = False) -> Value:
        """sum, mean, prod, max, min, and, or, xor over some axes, or all."""
        return self.op("reduce", x, kind=kind, axes=_axes(axis, x), keepdims=keepdims)

    def sum(self, x: Value, axis: Any = None, keepdims: bool = False) -> Value:
        """Sum over axes."""
        return self.reduce("sum", x, axis, keepdims)

    def mean(self, x: Value, axis: Any = None, keepdims: bool = False) -> Value:
        """Arithmetic mean over axes."""
        return self.reduce("mean", x, axis, keepdims)

    def max(self, x: Value, axis: Any = None, keepdims: bool = False) -> Value:
        """Largest element over axes."""
        return self.reduce("max", x, axis, keepdims)

    def min(self, x: Value, axis: Any = None, keepdims: bool = False) -> Value:
        """Smallest element over axes."""
        return self.reduce("min", x, axis, keepdims)

    def argmax(self, x: Value, axis: int = -1, keepdims: bool = False) -> Value:
        """Position (i64) of the first largest element along an axis."""
        return self.op("arg_reduce", x, kind="max", axis=_axis(axis, x), keepdims=keepdims)

    def argmin(self, x: Value, axis: int = -1, keepdims: bool = False) -> Value:
        """Position (i64) of the first smallest element along an axis."""
        return self.op("arg_reduce", x, kind="min", axis=_axis(axis, x), keepdims=keepdims)

    def cumsum(self, x: Value, axis: int = -1) -> Value:
        """Running sum along an axis."""
        return self.op("cumulate", x, kind="sum", axis=_axis(axis, x))

    def topk(self, x: Value, k: Any, axis: int = -1,
             largest: bool = True) -> tuple[Value, Value]:
        """The k extreme elements in order, and their positions (i64)."""
        return self.op("topk", x, k=k, axis=_axis(axis, x), largest=largest)

    # Normalisation

    def softmax(self, x: Value, axis: int = -1) -> Value:
        """exp(x) / sum(exp(x)) along an axis."""
        return self.op("softmax", x, axis=_axis(axis, x))

    def log_softmax(self, x: Value, axis: int = -1) -> Value:
        """Logarithm of the softmax."""
        return self.op("softmax", x, axis=_axis(axis, x), log=True)

    def layer_norm(self, x: Value, scale: Any = None, bias: Any = None, axis: int = -1,
                   eps: float = 1e-5) -> Value:
        """Normalised over the axes from `axis` on."""
        return self.op("normalize", x, scale, bias, kind="layer", axis=_axis(axis, x), eps=eps)

    def rms_norm(self, x: Value, scale: Any = None, axis: int = -1,
                 eps: float = 1e-6) -> Value:
        """x / sqrt(mean(x ** 2) + eps) * scale over the axes from `axis` on."""
        return self.op("normalize", x, scale, kind="rms", axis=_axis(axis, x), eps=eps)

    def batch_norm(self, x: Value, scale: Any, bias: Any, mean: Any, var: Any,
                   eps: float = 1e-5) -> Value:
        """Normalised by given statistics per channel (axis 1)."""
        return self.op("normalize", x, scale, bias, mean, var, kind="batch", eps=eps)

    # Helpers

    def _pair(self, a: Any, b: Any) -> tuple[Value, Value]:
        like = next((v.dtype for v in (a, b) if isinstance(v, Value)), None)
        return self._operand(a, like), self._operand(b, like)


def _axis(axis: int, x: Value) -> int:
    if not -x.ndim <= axis < x.ndim:
        raise InputError(f"axis {axis} is outside the rank {x.ndim} of {x!r}")
    return axis % x.ndim


def _axes(axis: int | Sequence[int] | None, x: Value) -> list[int]:
    if axis is None:
        return list(range(x.ndim))
    return [_axis(a, x) for a in ([axis] if isinstance(axis, int) else axis)]
