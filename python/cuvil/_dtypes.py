# SPDX-License-Identifier: Apache-2.0
"""Names of element types, in every spelling that users have."""

from __future__ import annotations

from typing import Any

from ._native import _cuvil
from .errors import InputError

_NUMPY = {"bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64",
          "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
          "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64"}
_NAMES = {**{numpy: name for name, numpy in _NUMPY.items()},
          **{name: name for name in _NUMPY},
          "half": "f16", "float": "f32", "double": "f64", "int": "i64", "i1": "bool"}


def name_of(dtype: Any) -> str:
    """The Cuvil name of ``"f32"``, ``numpy.float32``, ``torch.float32``, ..."""
    if isinstance(dtype, type) and issubclass(dtype, (bool, int, float)):
        return {bool: "bool", int: "i64", float: "f32"}.get(dtype, "f32")
    text = getattr(dtype, "name", None) or getattr(dtype, "__name__", None) or str(dtype)
    name = _NAMES.get(str(text).removeprefix("torch."))
    if name is None:
        raise InputError(f"no element type is called {dtype!r}",
                         hint=f"element types: {', '.join(_NUMPY)}")
    return name


def number_of(dtype: Any) -> int:
    """The number of an element type in the C interface."""
    return _cuvil.DTYPES[name_of(dtype)]


def numpy_dtype(name: str) -> Any:
    """The numpy dtype of a Cuvil name; bf16 needs the package ml_dtypes."""
    import numpy as np

    if name != "bf16":
        return np.dtype(_NUMPY[name])
    import ml_dtypes

    return np.dtype(ml_dtypes.bfloat16)


def is_float(name: str) -> bool:
    return name in ("f16", "bf16", "f32", "f64")
