# SPDX-License-Identifier: Apache-2.0
"""Imports torchvision, and what imports it, next to a CPU build of torch."""

import importlib
import sys
from types import ModuleType

_DETECTION_OPS = ("nms", "qnms")
_library = None


def import_torchvision() -> ModuleType:
    """Returns torchvision; model definitions work, its compiled ops may not.

    The wheel's compiled ops need CUDA libraries. Without them torchvision 0.28
    fails on import because it registers shape functions for ops that were
    never defined, so the two schemas are declared here and it is tried again.
    """
    try:
        return importlib.import_module("torchvision")
    except RuntimeError as error:
        if "torchvision::" not in str(error):
            raise
    for name in [m for m in sys.modules if m.split(".")[0] == "torchvision"]:
        del sys.modules[name]
    _declare_detection_ops()
    return importlib.import_module("torchvision")


def import_transformers() -> ModuleType:
    """Returns transformers, whose models import torchvision when it is there."""
    import_torchvision()
    return importlib.import_module("transformers")


def _declare_detection_ops() -> None:
    import torch

    global _library  # The registration lives as long as this object.
    _library = torch.library.Library("torchvision", "FRAGMENT")
    for op in _DETECTION_OPS:
        if not hasattr(torch.ops.torchvision, op):
            _library.define(
                f"{op}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor"
            )
