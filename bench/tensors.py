# SPDX-License-Identifier: Apache-2.0
"""Tensors in files, readable without numpy.

The Cuvil worker must not import numpy: numpy maps a BLAS, and the worker
shows that none is there.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

_FORMATS = {"float32": "f", "float64": "d", "int64": "q", "int32": "i", "int8": "b",
            "uint8": "B", "bool": "?"}
_SIZES = {"float32": 4, "float64": 8, "int64": 8, "int32": 4, "int8": 1, "uint8": 1, "bool": 1}


def save(folder: Path, kind: str, arrays: dict[str, Any]) -> None:
    """Writes numpy arrays and a list of them."""
    rows = []
    for i, (name, array) in enumerate(arrays.items()):
        file = f"{kind}{i}.bin"
        array.tofile(folder / file)
        rows.append({"name": name, "dtype": str(array.dtype), "shape": list(array.shape),
                     "file": file})
    (folder / f"{kind}.json").write_text(json.dumps(rows))


def describe(folder: Path, kind: str) -> list[dict[str, Any]]:
    return json.loads((folder / f"{kind}.json").read_text())


def load(folder: Path, kind: str) -> dict[str, memoryview]:
    """The tensors as memoryviews of their shapes."""
    return {row["name"]: _view(bytearray((folder / row["file"]).read_bytes()), row)
            for row in describe(folder, kind)}


def empty(row: dict[str, Any]) -> memoryview:
    """Zeroed memory for a tensor."""
    return _view(bytearray(math.prod(row["shape"]) * _SIZES[row["dtype"]]), row)


def _view(data: bytearray, row: dict[str, Any]) -> memoryview:
    flat = memoryview(data)
    if not row["shape"]:
        return flat.cast(_FORMATS[row["dtype"]], [])
    return flat.cast("B").cast(_FORMATS[row["dtype"]], row["shape"])
