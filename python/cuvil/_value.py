# SPDX-License-Identifier: Apache-2.0
"""Tensors of a graph under construction, with operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .errors import InputError

if TYPE_CHECKING:
    from .graph import Graph
    from .ir import Dim


class Value:
    """A tensor of a `Graph`. Operators broadcast as numpy's do."""

    __slots__ = ("_handle", "dtype", "graph", "shape")
    # numpy leaves `array + value` to us.
    __array_ufunc__ = None

    def __init__(self, graph: Graph, handle: int, dtype: str, shape: tuple[Dim, ...]):
        self.graph = graph
        self._handle = handle
        self.dtype = dtype
        self.shape = shape

    @property
    def ndim(self) -> int:
        """The rank."""
        return len(self.shape)

    @property
    def T(self) -> Value:
        """The axes in opposite order."""
        return self.graph.transpose(self)

    def __repr__(self) -> str:
        return f"<cuvil.Value {self.dtype}[{', '.join(map(str, self.shape))}]>"

    def __bool__(self) -> bool:
        raise InputError("a value of a graph has no truth while the graph is built",
                         hint="use Graph.where or Graph.if_")

    def __iter__(self):
        raise InputError("a value of a graph cannot be iterated over",
                         hint="index it, e.g. x[0]")

    __hash__ = object.__hash__

    # Arithmetic

    def __add__(self, other: Any) -> Value:
        return self.graph.add(self, other)

    def __radd__(self, other: Any) -> Value:
        return self.graph.add(other, self)

    def __sub__(self, other: Any) -> Value:
        return self.graph.sub(self, other)

    def __rsub__(self, other: Any) -> Value:
        return self.graph.sub(other, self)

    def __mul__(self, other: Any) -> Value:
        return self.graph.mul(self, other)

    def __rmul__(self, other: Any) -> Value:
        return self.graph.mul(other, self)

    def __truediv__(self, other: Any) -> Value:
        return self.graph.div(self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return self.graph.div(other, self)

    def __floordiv__(self, other: Any) -> Value:
        return self.graph.floor_divide(self, other)

    def __rfloordiv__(self, other: Any) -> Value:
        return self.graph.floor_divide(other, self)

    def __mod__(self, other: Any) -> Value:
        return self.graph.mod(self, other)

    def __rmod__(self, other: Any) -> Value:
        return self.graph.mod(other, self)

    def __pow__(self, other: Any) -> Value:
        return self.graph.pow(self, other)

    def __rpow__(self, other: Any) -> Value:
        return self.graph.pow(other, self)

    def __matmul__(self, other: Any) -> Value:
        return self.graph.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Value:
        return self.graph.matmul(other, self)

    def __neg__(self) -> Value:
        return self.graph.unary("neg", self)

    def __abs__(self) -> Value:
        return self.graph.unary("abs", self)

    def __invert__(self) -> Value:
        return self.graph.unary("not", self)

    # Logic; == and != compare elements, as numpy's do.

    def __and__(self, other: Any) -> Value:
        return self.graph.binary("and", self, other)

    def __or__(self, other: Any) -> Value:
        return self.graph.binary("or", self, other)

    def __xor__(self, other: Any) -> Value:
        return self.graph.binary("xor", self, other)

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return self.graph.compare("eq", self, other)

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return self.graph.compare("ne", self, other)

    def __lt__(self, other: Any) -> Value:
        return self.graph.compare("lt", self, other)

    def __le__(self, other: Any) -> Value:
        return self.graph.compare("le", self, other)

    def __gt__(self, other: Any) -> Value:
        return self.graph.compare("gt", self, other)

    def __ge__(self, other: Any) -> Value:
        return self.graph.compare("ge", self, other)

    # Shape

    def __getitem__(self, key: Any) -> Value:
        return self.graph.index(self, key)

    def reshape(self, *shape: Any) -> Value:
        """The same elements under other sizes; one may be -1."""
        if len(shape) == 1 and isinstance(shape[0], (list, tuple)):
            shape = tuple(shape[0])
        return self.graph.reshape(self, shape)

    def transpose(self, *perm: int) -> Value:
        """The axes permuted; reversed without arguments."""
        if len(perm) == 1 and isinstance(perm[0], (list, tuple)):
            perm = tuple(perm[0])
        return self.graph.transpose(self, perm or None)

    def astype(self, dtype: Any) -> Value:
        """The elements converted to another type."""
        return self.graph.astype(self, dtype)

    def sum(self, axis: Any = None, keepdims: bool = False) -> Value:
        """Sum over axes."""
        return self.graph.sum(self, axis, keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Value:
        """Arithmetic mean over axes."""
        return self.graph.mean(self, axis, keepdims)
