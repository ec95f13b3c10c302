# SPDX-License-Identifier: Apache-2.0
"""The two models, run by Cuvil or by ONNX Runtime."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime

Model = Callable[[np.ndarray], np.ndarray]

_DETECTION = "ch_PP-OCRv4_det_infer.onnx"
_RECOGNITION = "ch_PP-OCRv4_rec_infer.onnx"


def model_paths() -> tuple[Path, Path]:
    """The trained detection and recognition models in `rapidocr-onnxruntime`."""
    # find_spec: importing the package would need OpenCV.
    package = importlib.util.find_spec("rapidocr_onnxruntime")
    if package is None:
        raise SystemExit("the package rapidocr-onnxruntime is missing: run "
                         "`make demo`, which installs it")
    folder = Path(package.origin).parent / "models"
    return folder / _DETECTION, folder / _RECOGNITION


def characters(recognition: Path) -> list[str]:
    """The letters that the recognition model's classes stand for."""
    stored = _session(recognition).get_modelmeta().custom_metadata_map["character"]
    return [*stored.splitlines(), " "]


def with_cuvil(path: Path) -> Model:
    """Compiles a model; sizes that the file leaves open stay open."""
    import cuvil

    compiled = cuvil.compile(str(path), device="cpu", strict=True)
    return lambda value: np.asarray(_only(compiled(value)))


def with_onnxruntime(path: Path) -> Model:
    session = _session(path)
    name = session.get_inputs()[0].name
    return lambda value: session.run(None, {name: value})[0]


def _session(path: Path) -> onnxruntime.InferenceSession:
    return onnxruntime.InferenceSession(
        str(path), providers=["CPUExecutionProvider"]
    )


def _only(outputs):
    return outputs[0] if isinstance(outputs, (list, tuple)) else outputs
