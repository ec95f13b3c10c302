# SPDX-License-Identifier: Apache-2.0
"""Cuvil: a modular compiler for AI inference.

    import cuvil

    compiled = cuvil.compile("model.onnx")
    y = compiled(x)
"""

from ._compile import compile
from ._native import _cuvil
from .compiled import CompiledModel
from .errors import (
    AccessError,
    CancelledError,
    CuvilError,
    DeadlineError,
    FileError,
    IncompatibleError,
    InputError,
    IntegerArithmeticError,
    InvalidModelError,
    NotFoundError,
    OutOfRangeError,
    PluginError,
    PreconditionError,
    ResourceExhaustedError,
    UnsupportedError,
)
from .graph import Graph, Value
from .ir import IR, TensorInfo, import_onnx, parse_ir
from ._registry import devices, load_plugin, plugins
from .report import Profile, Report

__version__: str = _cuvil.version()

__all__ = [
    "IR",
    "AccessError",
    "CancelledError",
    "CompiledModel",
    "CuvilError",
    "DeadlineError",
    "FileError",
    "Graph",
    "IncompatibleError",
    "InputError",
    "IntegerArithmeticError",
    "InvalidModelError",
    "NotFoundError",
    "OutOfRangeError",
    "PluginError",
    "PreconditionError",
    "Profile",
    "Report",
    "ResourceExhaustedError",
    "TensorInfo",
    "UnsupportedError",
    "Value",
    "__version__",
    "compile",
    "devices",
    "import_onnx",
    "load_plugin",
    "parse_ir",
    "plugins",
]
