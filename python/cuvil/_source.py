# SPDX-License-Identifier: Apache-2.0
"""What a model argument is, and what sizes its inputs shall have."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _registry
from ._native import _cuvil
from .errors import FileError, InputError, UnsupportedError

_IR_TEXT = re.compile(r"\bfunc\.func\b|^\s*(?:builtin\.)?module\b|\bcuvil\.", re.M)
_PROTO_LIMIT = (1 << 31) - 1
_PREFIX = "input_shape:"


@dataclass
class File:
    """A model as a file or its bytes; the frontend finds the format."""

    path: str | None = None
    data: Any = None
    folder: str | None = None
    format: str = ""


def resolve(model: Any) -> File | Any:
    """A `File`, or the `IR` that the model is."""
    from .graph import Graph
    from .ir import IR, parse_ir

    if isinstance(model, IR):
        return model
    if isinstance(model, Graph):
        return model.build()
    if isinstance(model, str) and ("\n" in model or not os.path.exists(model)) \
            and _IR_TEXT.search(model):
        return parse_ir(model)
    if isinstance(model, (str, os.PathLike)):
        return File(path=os.fspath(model))
    if isinstance(model, (bytes, bytearray, memoryview)):
        return File(data=model)
    if type(model).__name__ == "ModelProto" and hasattr(model, "SerializeToString"):
        return File(data=_serialize(model), format="onnx")
    raise _unknown(model)


def _serialize(model: Any) -> bytes:
    hint = ("save it with onnx.save(..., save_as_external_data=True) and pass "
            "the path")
    if model.ByteSize() > _PROTO_LIMIT:
        raise InputError("the ModelProto is larger than 2 GiB, which protobuf "
                         "cannot serialize", hint=hint)
    try:
        return model.SerializeToString()
    except Exception as error:
        raise FileError(f"the ModelProto cannot be serialized: {error}", hint=hint) from error


def _unknown(model: Any) -> UnsupportedError:
    kind = f"{type(model).__module__}.{type(model).__qualname__}"
    families = {cls.__module__.partition(".")[0] for cls in type(model).__mro__}
    what = next((f for f in ("torch", "tensorflow", "jax") if f in families), None)
    formats = ", ".join(f["name"] for f in _registry.describe()["formats"]) or "none"
    reason = (f"no installed frontend reads {what} models" if what
              else "it is no kind of model that Cuvil knows")
    return UnsupportedError(
        f"cannot compile {kind}: {reason}; formats that can be read: {formats}",
        where=kind,
        hint="export it to ONNX (torch.onnx.export) and pass the path, or build a "
             "cuvil.Graph")


def shape_options(source: File | Any, example_inputs: Any, input_shape: Any,
                  dynamic_shapes: Any, format: str = "") -> dict[str, str]:
    """The import options that give inputs their sizes."""
    if example_inputs is None and input_shape is None and dynamic_shapes is None:
        return {}
    if not isinstance(source, File):
        raise InputError("input_shape, example_inputs and dynamic_shapes apply to "
                         "models that are imported; a graph has its sizes already",
                         hint='declare them in the graph, e.g. g.input("x", "f32", ["n", 784])')
    if example_inputs is not None and input_shape is not None:
        raise InputError("give either example_inputs or input_shape, not both")
    if example_inputs is not None:
        shapes = _example_shapes(example_inputs)
    else:
        shapes = _given_shapes(input_shape)
    dynamic = _as_list(dynamic_shapes)
    if isinstance(shapes, list) and isinstance(dynamic, Mapping):
        # Positions and names together: only the model knows how they match.
        shapes = _name(shapes, _input_names(source, format))
    elif isinstance(shapes, Mapping) and isinstance(dynamic, list):
        dynamic = _name(dynamic, _input_names(source, format))
    shapes, dynamic = _keyed(shapes), _keyed(dynamic)
    result: dict[str, list[str]] = {name: [str(d) for d in dims]
                                    for name, dims in shapes.items()}
    for name, axes in dynamic.items():
        _make_dynamic(result, name, axes)
    return {f"{_PREFIX}{name}": ",".join(dims) or "scalar" for name, dims in result.items()}


def check_names(options: dict[str, str], inputs: Sequence[Any]) -> None:
    """Every input that sizes were given for must be there."""
    known = [info.name for info in inputs]
    for key in options:
        name = key.removeprefix(_PREFIX)
        if name in known or name.startswith("#") and int(name[1:]) < len(known):
            continue
        what = (f"sizes for at least {int(name[1:]) + 1} inputs are given, but the model has "
                f"{len(known)}" if name.startswith("#")
                else f"sizes are given for {name!r}, which is no input of the model")
        raise InputError(what, where=name, hint=f"its inputs: {', '.join(known) or 'none'}")


def _keyed(shapes: Any) -> dict[str, Any]:
    """By name, or by position as the frontends read it: ``#0``."""
    if isinstance(shapes, Mapping):
        return dict(shapes)
    return {f"#{i}": shape for i, shape in enumerate(shapes or []) if shape is not None}


def _as_list(value: Any) -> Any:
    return list(value) if isinstance(value, (list, tuple)) else value


def _input_names(source: File, format: str) -> list[str]:
    native = _cuvil.import_model(source.path, source.data, source.folder,
                                 format or source.format, {})
    return [name for name, _, _ in native.inputs()]


def _name(shapes: list[Any], names: list[str]) -> dict[str, Any]:
    if len(shapes) > len(names):
        raise InputError(f"sizes for {len(shapes)} inputs are given, but the model has "
                         f"{len(names)}: {', '.join(names)}")
    return {name: shape for name, shape in zip(names, shapes) if shape is not None}


def _example_shapes(examples: Any) -> Any:
    if isinstance(examples, Mapping):
        return {str(name): _shape_of(value) for name, value in examples.items()}
    if isinstance(examples, (list, tuple)):
        return [_shape_of(value) for value in examples]
    return [_shape_of(examples)]


def _shape_of(value: Any) -> list[int]:
    shape = getattr(value, "shape", None)
    if shape is None:
        raise InputError(f"example_inputs: expected tensors, got {type(value).__name__}")
    return [int(d) for d in shape]


def _given_shapes(shape: Any) -> Any:
    if shape is None:
        return {}
    if isinstance(shape, Mapping):
        return {str(name): _check_shape(dims) for name, dims in shape.items()}
    if isinstance(shape, Sequence) and not isinstance(shape, str):
        if all(isinstance(d, Sequence) and not isinstance(d, str) or d is None
               for d in shape) and shape:
            return [None if dims is None else _check_shape(dims) for dims in shape]
        return [_check_shape(shape)]
    raise InputError(f"input_shape: expected a shape, a list of shapes or a dict from "
                     f"input names to shapes, got {shape!r}")


def _check_shape(dims: Any) -> list[str]:
    if not isinstance(dims, Sequence) or isinstance(dims, str):
        raise InputError(f"input_shape: expected a sequence of sizes, got {dims!r}")
    return [_dim_text(d) for d in dims]


def _dim_text(dim: Any) -> str:
    """A size as the frontend reads it; None and -1 leave it to the model."""
    if dim is None or (isinstance(dim, int) and dim == -1):
        return "?"
    if hasattr(dim, "__index__"):
        if int(dim) < 0:
            raise InputError(f"input_shape: the size {dim} is negative")
        return str(int(dim))
    name = dim if isinstance(dim, str) else getattr(dim, "__name__", None)
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z_][\w.]*", name):
        raise InputError(f"expected a size or a name for it, got {dim!r}",
                         hint='names are like "batch"; torch.export.Dim works too')
    return name


def _make_dynamic(shapes: dict[str, list[str]], name: str, axes: Any) -> None:
    if axes is None:
        return
    if isinstance(axes, Sequence) and not isinstance(axes, str):
        axes = dict(enumerate(axes))
    if not isinstance(axes, Mapping):
        raise InputError(f"dynamic_shapes[{name!r}]: expected a dict from axis to name, "
                         f"got {axes!r}")
    if name not in shapes:
        raise InputError(
            f"dynamic_shapes names {name!r}, whose other sizes are not given",
            hint=f"add example_inputs or input_shape={{{name!r}: (...)}}; sizes that the "
                 "model leaves open are dynamic without dynamic_shapes")
    dims = shapes[name]
    for axis, dim in axes.items():
        if dim is None:
            continue
        if not isinstance(axis, int) or not -len(dims) <= axis < len(dims):
            raise InputError(f"dynamic_shapes[{name!r}]: axis {axis!r} is outside the rank "
                             f"{len(dims)}")
        dims[axis] = _dim_text(dim)
