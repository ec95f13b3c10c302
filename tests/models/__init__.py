# SPDX-License-Identifier: Apache-2.0
"""Real models for tests and benchmarks: `load("resnet50")` gives an ONNX file.

A model that cannot be had is an error, never a silent skip.
"""

from pathlib import Path

from .exported import EXPORTED_MODELS
from .exported import locate as _locate_exported
from .packaged import PACKAGED_MODELS, ModelUnavailable

__all__ = ["ModelUnavailable", "load", "names"]


def names() -> list[str]:
    """Every model name that `load` accepts."""
    return [*PACKAGED_MODELS, *EXPORTED_MODELS]


def load(name: str) -> Path:
    """Returns the path of a model's ONNX file, exporting it on first use."""
    if name in PACKAGED_MODELS:
        return PACKAGED_MODELS[name].locate()
    if name in EXPORTED_MODELS:
        return _locate_exported(name)
    raise ModelUnavailable(
        f"unknown test model {name!r}; known: {', '.join(names())}"
    )
