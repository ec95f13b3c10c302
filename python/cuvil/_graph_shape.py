# SPDX-License-Identifier: Apache-2.0
"""Broadcast, layout and indexing for `Graph`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from . import _dtypes
from ._graph_math import _axes, _axis
from ._value import Value
from .errors import InputError
from .ir import Dim


class ShapeMethods:
    """A size in a shape is an int or an expression over symbols."""

    # Broadcast

    def broadcast(self, a: Any, b: Any) -> tuple[Value, Value]:
        """Both operands repeated to their common shape."""
        a, b = self._pair(a, b)
        shape = self._common([a, b])
        return self.broadcast_to(a, shape), self.broadcast_to(b, shape)

    def broadcast_to(self, x: Any, shape: Sequence[Dim]) -> Value:
        """x repeated to a shape, trailing axes aligned."""
        x = self._operand(x, None)
        shape = tuple(shape)
        if x.shape == shape:
            return x
        if x.ndim > len(shape):
            raise InputError(f"cannot broadcast {x!r} to the lower rank {len(shape)}")
        mapping = list(range(len(shape) - x.ndim, len(shape)))
        return self.op("broadcast", x, shape=shape, mapping=mapping)

    def _common(self, values: Sequence[Value]) -> tuple[Dim, ...]:
        return self._common_shape([value.shape for value in values])

    def _common_shape(self, shapes: Sequence[tuple[Dim, ...]]) -> tuple[Dim, ...]:
        rank = max(map(len, shapes))
        result = []
        for i in range(rank):
            size: Dim = 1
            for shape in shapes:
                at = i - rank + len(shape)
                if at >= 0:
                    size = self._common_dim(size, shape[at], shapes)
            result.append(size)
        return tuple(result)

    def _common_dim(self, a: Dim, b: Dim, shapes: Any) -> Dim:
        if a == b or b == 1:
            return a
        if a == 1:
            return b
        if isinstance(a, int) and isinstance(b, int):
            raise InputError("shapes " + " and ".join(
                "[" + ", ".join(map(str, shape)) + "]" for shape in shapes) +
                f" do not broadcast: {a} is not {b}")
        # A number other than 1 is the result; the other size is checked at run time.
        if isinstance(a, int):
            return a
        return b if isinstance(b, int) else f"bcast({a}, {b})"

    # Layout

    def reshape(self, x: Any, shape: Sequence[Dim]) -> Value:
        """The same elements in row-major order; one size may be -1."""
        x = self._operand(x, None)
        shape = list(shape)
        if shape.count(-1) > 1:
            raise InputError(f"reshape: only one size may be -1, got {shape}")
        if -1 in shape:
            at = shape.index(-1)
            shape[at] = _quotient(x.shape, shape[:at] + shape[at + 1:])
        return self.op("reshape", x, shape=shape)

    def flatten(self, x: Value, axis: int = 1) -> Value:
        """Two axes: those before `axis` and the others, each as one."""
        return self.reshape(x, (_product(x.shape[:axis]), _product(x.shape[axis:])))

    def transpose(self, x: Any, perm: Sequence[int] | None = None) -> Value:
        """Axis i of the result is axis perm[i] of x; reversed without perm."""
        x = self._operand(x, None)
        perm = range(x.ndim)[::-1] if perm is None else [_axis(a, x) for a in perm]
        return self.op("transpose", x, perm=list(perm))

    def squeeze(self, x: Value, axis: int | Sequence[int] | None = None) -> Value:
        """Without axes of size 1."""
        drop = ([i for i, d in enumerate(x.shape) if d == 1] if axis is None
                else _axes(axis, x))
        return self.reshape(x, [d for i, d in enumerate(x.shape) if i not in drop])

    def expand_dims(self, x: Value, axis: int) -> Value:
        """With a new axis of size 1 before `axis`."""
        if not -x.ndim - 1 <= axis <= x.ndim:
            raise InputError(f"expand_dims: axis {axis} is outside the rank {x.ndim + 1}")
        at = axis % (x.ndim + 1)
        return self.reshape(x, (*x.shape[:at], 1, *x.shape[at:]))

    def concat(self, values: Sequence[Any], axis: int = 0) -> Value:
        """Tensors one after the other along an axis."""
        values = [self._operand(value, None) for value in values]
        if not values:
            raise InputError("concat: no tensors are given")
        return self.op("concat", *values, axis=_axis(axis, values[0]))

    def stack(self, values: Sequence[Any], axis: int = 0) -> Value:
        """Tensors side by side along a new axis."""
        return self.concat([self.expand_dims(self._operand(value, None), axis)
                            for value in values], axis)

    def pad(self, x: Value, widths: Sequence[tuple[Dim, Dim]], value: float = 0,
            mode: str = "constant") -> Value:
        """Elements added per axis before and after it."""
        low, high = [w[0] for w in widths], [w[1] for w in widths]
        fill = self.constant(value, x.dtype) if mode == "constant" else None
        return self.op("pad", x, fill, mode=mode, low=low, high=high)

    def flip(self, x: Value, axis: int | Sequence[int] | None = None) -> Value:
        """Elements in opposite order along axes."""
        return self.op("reverse", x, axes=_axes(axis, x))

    def astype(self, x: Value, dtype: Any) -> Value:
        """Elements of another type; floats to integers cut off."""
        name = _dtypes.name_of(dtype)
        return x if x.dtype == name else self.op("convert", x, to=name)

    def full(self, shape: Sequence[Dim], value: Any, dtype: Any = "f32") -> Value:
        """A tensor of one repeated number."""
        return self.op("fill", self.constant(value, dtype), shape=list(shape))

    def arange(self, size: Dim, dtype: Any = "i64") -> Value:
        """0, 1, ..., size - 1"""
        return self.op("iota", shape=[size], axis=0, to=dtype)

    def shape_of(self, x: Value) -> Value:
        """The sizes of x as an i64 tensor."""
        return self.op("shape_pack", dims=list(x.shape))

    # Indexing

    def take(self, x: Any, indices: Any, axis: int = 0) -> Value:
        """Slices of x along an axis, chosen by i32 or i64 indices."""
        x = self._operand(x, None)
        return self.op("gather", x, self._operand(indices, None), axis=_axis(axis, x))

    def index(self, x: Value, key: Any) -> Value:
        """x[key] with numbers, slices, None and an ellipsis, as in numpy."""
        keys = list(key) if isinstance(key, tuple) else [key]
        used = sum(k is not None and k is not Ellipsis for k in keys)
        if used > x.ndim:
            raise InputError(f"{used} indices for {x!r}")
        if not any(k is Ellipsis for k in keys):
            keys.append(Ellipsis)
        at = next(i for i, k in enumerate(keys) if k is Ellipsis)
        keys[at:at + 1] = [slice(None)] * (x.ndim - used)
        starts, sizes, steps, shape = [], [], [], []
        for k in keys:
            if k is None:
                shape.append(1)
                continue
            dim = x.shape[len(starts)]
            start, size, step = _part(k, dim)
            starts.append(start)
            sizes.append(size)
            steps.append(step)
            if isinstance(k, slice):
                shape.append(size)
        if list(sizes) != list(x.shape) or any(s != 1 for s in steps):
            x = self.op("slice", x, starts=starts, sizes=sizes, steps=steps)
        # Sizes may be spelled differently; only numbers and None change the rank.
        kept = all(isinstance(k, slice) for k in keys)
        return x if kept else self.reshape(x, shape)


def _part(key: Any, dim: Dim) -> tuple[Dim, Dim, int]:
    """Start, size and step of one index on one axis."""
    if not isinstance(key, slice):
        if isinstance(key, bool) or not hasattr(key, "__index__"):
            raise InputError(f"cannot index with {key!r}",
                             hint="use numbers and slices, or Graph.take")
        number = int(key.__index__())
        if isinstance(dim, int) and not -dim <= number < dim:
            raise InputError(f"index {number} is outside the size {dim}")
        return (number if number >= 0 else _plus(dim, number)), 1, 1
    if isinstance(dim, int):
        start, stop, step = key.indices(dim)
        return start, len(range(start, stop, step)), step
    step = 1 if key.step is None else int(key.step)
    if step < 1:
        if step == -1 and key.start is None and key.stop is None:
            return f"{dim} - 1", dim, -1
        raise InputError(f"a step of {step} along the open size {dim} is not supported",
                         hint="use Graph.flip and a positive step")
    start = _bound(key.start, dim, 0)
    stop = _bound(key.stop, dim, dim)
    if start == 0 and step == 1:
        return 0, stop, 1
    return start, f"max(ceildiv(({stop}) - ({start}), {step}), 0)", step


def _bound(value: Any, dim: str, default: Dim) -> Dim:
    if value is None:
        return default
    number = int(value.__index__())
    if number < 0:
        return f"max({dim} - {-number}, 0)"
    return 0 if number == 0 else f"min({number}, {dim})"


def _plus(dim: Dim, number: int) -> Dim:
    return dim + number if isinstance(dim, int) else f"{dim} - {-number}"


def _product(dims: Sequence[Dim]) -> Dim:
    number = math.prod(d for d in dims if isinstance(d, int))
    symbols = [f"({d})" for d in dims if not isinstance(d, int)]
    if not symbols:
        return number
    return " * ".join(([str(number)] if number != 1 else []) + symbols)


def _quotient(whole: Sequence[Dim], parts: Sequence[Dim]) -> Dim:
    """The size that makes the products equal."""
    left, right = list(whole), []
    for dim in parts:
        if not isinstance(dim, int) and dim in left:
            left.remove(dim)
        else:
            right.append(dim)
    total, known = _product(left), _product(right)
    if isinstance(total, int) and isinstance(known, int):
        if known == 0 or total % known:
            raise InputError(f"reshape: {total} elements do not divide by {known}")
        return total // known
    return total if known == 1 else f"floordiv({total}, {known})"
