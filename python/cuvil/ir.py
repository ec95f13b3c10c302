# SPDX-License-Identifier: Apache-2.0
"""Imported models as Cuvil-IR, and what describes their tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import _source
from ._native import _cuvil
from ._registry import read_entry_points

#: A size: a number, or an expression over symbols such as ``"2 * n + 1"``.
Dim = int | str


@dataclass(frozen=True)
class TensorInfo:
    """Name, element type and sizes of an input, output or named value."""

    name: str
    dtype: str
    shape: tuple[Dim, ...]

    def __str__(self) -> str:
        return f"{self.name}: {self.dtype}[{', '.join(map(str, self.shape))}]"


def _infos(rows: list[tuple[str, str, list[Dim]]]) -> list[TensorInfo]:
    return [TensorInfo(name, dtype, tuple(dims)) for name, dtype, dims in rows]


class IR:
    """A model in Cuvil-IR. Made by `import_onnx`, `parse_ir` or `Graph.build`.

    ``str(ir)`` is its text; bytes of large weights are left out of that.
    Can be compiled any number of times.
    """

    def __init__(self, native: Any):
        self._native = native

    @property
    def inputs(self) -> list[TensorInfo]:
        """The inputs in order."""
        return _infos(self._native.inputs())

    @property
    def outputs(self) -> list[TensorInfo]:
        """The outputs in order."""
        return _infos(self._native.outputs())

    def get_tensor(self, name: str) -> TensorInfo:
        """Describes an input, output or value that the model names.

        Raises:
            NotFoundError: nothing has this name; the hint has a near one.
        """
        return _infos([self._native.tensor(name)])[0]

    def get_tensor_shape(self, name: str) -> list[Dim]:
        """The sizes of a tensor, symbolic ones as strings: ``["n", 3, 224]``.

        Raises:
            NotFoundError: nothing has this name; the hint has a near one.
        """
        return list(self.get_tensor(name).shape)

    def __str__(self) -> str:
        return self._native.print()

    def __repr__(self) -> str:
        ins = ", ".join(map(str, self.inputs))
        outs = ", ".join(map(str, self.outputs))
        return f"<cuvil.IR ({ins}) -> ({outs})>"


def parse_ir(text: str) -> IR:
    """Reads textual Cuvil-IR: a module with a function ``@main``.

    Raises:
        InvalidModelError: with line and column of the first problem.
    """
    return IR(_cuvil.parse_model(text))


def import_onnx(model: Any, infer_shapes: bool = True, *,
                input_shape: Any = None, dynamic_shapes: Any = None) -> IR:
    """Imports an ONNX model without compiling it.

    Args:
        model: a path, the bytes of a file, or an ``onnx.ModelProto``.
        infer_shapes: kept for symmetry with other tools. Cuvil-IR has the
            shape of every tensor, so it cannot be switched off.
        input_shape: as for `compile`.
        dynamic_shapes: as for `compile`.

    Raises:
        InvalidModelError: the file is damaged, or a declared shape differs
            from the one that its nodes give.
        UnsupportedError: lists every operator that Cuvil lacks, by node.
    """
    from .errors import InputError

    if not infer_shapes:
        raise InputError("infer_shapes=False is not possible: every tensor of "
                         "Cuvil-IR has a shape", hint="leave it out")
    read_entry_points()
    source = _source.resolve(model)
    if not isinstance(source, _source.File):
        raise InputError(f"import_onnx: expected a path, bytes or a ModelProto, got "
                         f"{type(model).__name__}")
    options = _source.shape_options(source, None, input_shape, dynamic_shapes, "onnx")
    ir = IR(_cuvil.import_model(source.path, source.data, source.folder, "onnx", options))
    _source.check_names(options, ir.inputs)
    return ir
