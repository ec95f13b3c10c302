# SPDX-License-Identifier: Apache-2.0
"""Graphs built by hand.

    g = cuvil.Graph()
    x = g.input("x", "f32", ["n", 784])
    y = g.relu(x @ w + b)
    g.output("y", y)
    compiled = cuvil.compile(g)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any

from . import _dims, _dtypes, _op_table
from ._graph_math import MathMethods
from ._graph_shape import ShapeMethods
from ._graph_windows import WindowMethods
from ._native import _cuvil
from ._value import Value
from .errors import InputError, PreconditionError
from .ir import IR, Dim

__all__ = ["Graph", "Value"]

_PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
# A loop's masks grow with each try, so few tries are ever needed.
_MAX_LOOP_TRIES = 64

Operand = Any  # Value, numpy array, number, or None for an absent one.


class Graph(MathMethods, ShapeMethods, WindowMethods):
    """A graph under construction.

    Ops are checked as they are added: a wrong type or size raises at the line
    that made it. The named methods broadcast as numpy does; `op` gives every
    op of Cuvil-IR exactly as it is defined, without broadcasting.

    Numbers and numpy arrays may stand for operands; a number takes the
    element type of the tensor beside it, an array keeps its own.
    """

    def __init__(self) -> None:
        self._builder = _cuvil.Builder()
        self._dims = _dims.Parser(
            self._builder.dim_const, self._builder.dim_symbol,
            lambda op, a, b: self._builder.dim_binary(_cuvil.DIM_OPS[op], a, b))
        self._ir: IR | None = None
        self._broken = False
        self._names: set[str] = set()

    # Arguments, results, constants

    def input(self, name: str, dtype: Any, shape: Sequence[Dim]) -> Value:
        """Adds an argument.

        Args:
            name: by which callers may pass it.
            dtype: e.g. ``"f32"``, ``"i64"``, ``numpy.float32``.
            shape: sizes; a string names a size that each call may choose.
        """
        self._open()
        return self._value(self._builder.input(name, _dtypes.number_of(dtype),
                                               self._dim_handles(shape)))

    def output(self, name: str, value: Operand) -> None:
        """Makes a value a result of the graph."""
        self._open()
        if name in self._names:
            raise InputError(f"two outputs are called {name!r}")
        self._names.add(name)
        self._builder.output(name, self._operand(value, None)._handle)

    def constant(self, array: Any, dtype: Any = None, name: str = "") -> Value:
        """Adds a constant: a number, nested lists, an array or tensor.

        Floats without a type of their own become f32. Large arrays are kept,
        not copied: do not change them afterwards.
        """
        import numpy as np

        self._open()
        if hasattr(array, "detach"):
            array = array.detach().numpy()
        plain = not hasattr(array, "dtype")
        array = np.asarray(array)
        if dtype is not None:
            array = array.astype(_dtypes.numpy_dtype(_dtypes.name_of(dtype)))
        elif plain and array.dtype == np.float64:
            array = array.astype(np.float32)
        # Keeps rank 0, which ascontiguousarray would raise to 1.
        return self._value(self._builder.constant(np.require(array, requirements="C"), name))

    # Ops

    def op(self, name: str, *operands: Operand, **attrs: Any) -> Any:
        """Adds any op of Cuvil-IR.

        Args:
            name: e.g. ``"dot"``; `cuvil.Graph.ops` lists them.
            operands: in the order of the op's definition, None for an
                absent optional one.
            attrs: by name: numbers, words, lists, sizes (ints or expressions
                over symbols), element types.

        Returns:
            The result, or a tuple of several, or None for none.

        Raises:
            UnsupportedError: no op has this name.
            InputError: an attribute is missing, unknown or of a wrong kind.
            InvalidModelError: a constraint of the op is violated; names it.
        """
        self._open()
        bare, row = _op_table.find(name)
        variadic = any(operand["variadic"] for operand in row["operands"])
        if len(operands) > len(row["operands"]) and not variadic:
            takes = ", ".join(operand["name"] for operand in row["operands"]) or "none"
            raise InputError(f"{bare} takes the operands {takes}; got {len(operands)}",
                             where=bare)
        like = next((o.dtype for o in operands if isinstance(o, Value)), None)
        handles = [0 if o is None else self._operand(o, like)._handle for o in operands]
        triples = _op_table.attributes(bare, row, attrs, self._dim_handles)
        self._builder.set_location(_caller())
        results = [self._value(handle) for handle in
                   self._builder.op(bare, handles, triples, len(row["results"]))]
        return tuple(results) if len(results) > 1 else results[0] if results else None

    @staticmethod
    def ops() -> dict[str, str]:
        """Every op's name and what it does."""
        return {name: row["summary"] for name, row in _op_table.table().items()}

    # Control

    def if_(self, condition: Value, then: Callable[[], Any],
            orelse: Callable[[], Any]) -> Any:
        """One of two values, of which only the chosen one is computed.

        Args:
            condition: a bool of one element.
            then, orelse: called now, once each, to build the branches; both
                return a value or a sequence of as many values.
        """
        self._open()
        self._builder.begin_if(self._operand(condition, None)._handle)
        with _Unfinished(self):
            first = _as_list(then())
            self._builder.next_region(self._handles(first), 0)
            second = _as_list(orelse())
            if len(first) != len(second):
                raise InputError(f"if_: the branches give {len(first)} and {len(second)} "
                                 "values")
            results = self._builder.end_region(self._handles(second), len(second))
        return self._pack(results)

    def while_(self, condition: Callable[..., Value], body: Callable[..., Any],
               carried: Any) -> Any:
        """Repeats `body` on the carried values while `condition` holds.

        Args:
            condition: from the carried values to a bool of one element.
            body: from the carried values to the next ones.
            carried: the first values; one, or a sequence.

        Both functions are called now, more than once when sizes change from
        one round to the next, so they should do nothing but build.
        """
        self._open()
        start = self._handles(_as_list(carried))
        masks: list[int] = []
        for _ in range(_MAX_LOOP_TRIES):
            args = self._builder.begin_while(start, masks)
            with _Unfinished(self):
                test = self._operand(condition(*map(self._value, args)), None)
                args = self._builder.next_region([test._handle, *args], len(start))
                following = self._handles(_as_list(body(*map(self._value, args))))
                if len(following) != len(start):
                    raise InputError(f"while_: the body gives {len(following)} values, "
                                     f"expected {len(start)}")
                try:
                    return self._pack(self._builder.end_region(following, len(start)))
                except PreconditionError:
                    grown = self._builder.varying(len(start))
                    if grown == masks:
                        raise
                    masks = grown
        raise PreconditionError("while_: the sizes of the carried values never settle")

    def bind(self, value: Value) -> list[Dim]:
        """The elements of a small integer tensor as sizes, for use in shapes.

        What is not known now becomes a symbol bound when the graph runs.
        """
        self._open()
        count = 1 if not value.shape else value.shape[0]
        if len(value.shape) > 1 or not isinstance(count, int):
            raise InputError(f"bind: expected a tensor of rank 0 or 1 of fixed size, got {value!r}")
        return [self._builder.describe_dim(dim)
                for dim in self._builder.bind_dims(value._handle, count)]

    # The finished graph

    def build(self) -> IR:
        """Ends construction and returns the graph as Cuvil-IR.

        `cuvil.compile` does this by itself. Nothing can be added afterwards.

        Raises:
            InvalidModelError: there is no output, or a size is named that no
                argument binds.
        """
        if self._ir is None:
            self._open()
            self._ir = IR(self._builder.finish())
        return self._ir

    # For the mixins

    def _open(self) -> None:
        if self._ir is not None:
            raise PreconditionError("the graph is finished; nothing can be added",
                                    hint="build a new cuvil.Graph")
        if self._broken:
            raise PreconditionError("an error inside if_ or while_ left the graph unfinished",
                                    hint="build a new cuvil.Graph")

    def _value(self, handle: int) -> Value:
        dtype, shape = self._builder.describe(handle)
        return Value(self, handle, dtype, tuple(shape))

    def _operand(self, operand: Operand, like: str | None) -> Value:
        if isinstance(operand, Value):
            if operand.graph is not self:
                raise InputError(f"{operand!r} belongs to another graph")
            return operand
        number = isinstance(operand, (bool, int, float)) and not hasattr(operand, "dtype")
        return self.constant(operand, like if number else None)

    def _handles(self, values: Sequence[Operand]) -> list[int]:
        return [self._operand(value, None)._handle for value in values]

    def _dim_handles(self, dims: Sequence[Dim]) -> list[int]:
        return [self._dim(dim) for dim in dims]

    def _dim(self, dim: Dim) -> int:
        if isinstance(dim, str):
            return self._dims.parse(dim)
        if isinstance(dim, bool) or not hasattr(dim, "__index__"):
            raise InputError(f"expected a size (an int or an expression), got {dim!r}")
        return self._builder.dim_const(dim.__index__())

    def _pack(self, handles: list[int]) -> Any:
        values = tuple(map(self._value, handles))
        return values[0] if len(values) == 1 else values


class _Unfinished:
    """Marks a graph whose region was left open by an exception."""

    def __init__(self, graph: Graph):
        self.graph = graph

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind, error, trace) -> None:
        if kind is not None:
            self.graph._broken = True


def _as_list(values: Any) -> list[Any]:
    return list(values) if isinstance(values, (list, tuple)) else [values]


def _caller() -> str:
    """File and line of the user's code."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    if frame is None:
        return ""
    return f"{os.path.basename(frame.f_code.co_filename)}:{frame.f_lineno}"
