# SPDX-License-Identifier: Apache-2.0
"""The ops of Cuvil-IR as data, and their attributes from Python values."""

from __future__ import annotations

import difflib
import json
from functools import cache
from importlib import resources
from typing import Any

from . import _dtypes
from .errors import InputError, UnsupportedError


@cache
def table() -> dict[str, Any]:
    """Per op: summary, description, operands, attrs, results."""
    return json.loads(resources.files(__package__).joinpath("_ops.json").read_text())


def find(name: str) -> tuple[str, dict[str, Any]]:
    bare = name.removeprefix("cuvil.")
    if bare in table():
        return bare, table()[bare]
    near = [f"{op!r} with {attr['name']}={bare!r}" for op, row in table().items()
            for attr in row["attrs"] if attr["required"] and bare in attr["words"]]
    near = near or [repr(op) for op in difflib.get_close_matches(bare, table(), 1)]
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise UnsupportedError(f"no op of Cuvil-IR is called {name!r}", where=name,
                           hint=f"{hint}ops: {', '.join(table())}")


def attributes(op: str, row: dict[str, Any], given: dict[str, Any],
               dims: Any) -> list[tuple[str, str, Any]]:
    """The (name, kind, value) triples of an op's attributes.

    `dims` turns a list of sizes into dimension handles.
    """
    known = {attr["name"]: attr for attr in row["attrs"]}
    for name in given:
        if name not in known:
            raise InputError(f"{op} has no attribute {name!r}; it has "
                             f"{', '.join(known) or 'none'}", where=op)
    missing = [name for name, attr in known.items()
               if attr["required"] and given.get(name) is None]
    if missing:
        raise InputError(f"{op} needs the attribute {missing[0]!r}"
                         f"{_words(known[missing[0]])}", where=op)
    return [(name, known[name]["kind"], _convert(op, known[name], value, dims))
            for name, value in given.items() if value is not None]


def _words(attr: dict[str, Any]) -> str:
    return f", one of {', '.join(attr['words'])}" if attr["words"] else ""


def _convert(op: str, attr: dict[str, Any], value: Any, dims: Any) -> Any:
    kind = attr["kind"]
    try:
        if kind == "dtype":
            return _dtypes.number_of(value)
        if kind == "dims":
            # One size stands for a list of one, as in topk's k.
            return dims([value] if isinstance(value, (int, str)) else value)
        if kind == "string":
            if attr["words"] and value not in attr["words"]:
                raise InputError(f"{op}: {attr['name']} is {value!r}, expected"
                                 f"{_words(attr).removeprefix(',')}", where=op)
            return str(value)
        if kind == "bool":
            return bool(value)
        if kind == "int":
            return int(value.__index__())
        if kind == "float":
            return float(value)
        if kind == "ints":
            return [int(v.__index__()) for v in _items(value)]
        if kind == "floats":
            return [float(v) for v in _items(value)]
        return [str(v) for v in _items(value)]
    except (TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{op}: attribute {attr['name']!r} expects {kind}, got {value!r}",
                         where=op) from None


def _items(value: Any) -> list[Any]:
    if isinstance(value, str):
        raise TypeError
    return list(value)
