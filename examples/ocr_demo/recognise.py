# SPDX-License-Identifier: Apache-2.0
"""Text recognition around the PP-OCR model: a line's pixels in, a string out."""

import numpy as np
from PIL import Image

from .detect import Box, normalise

_HEIGHT = 48
_MIN_WIDTH = 320


def prepare(image: Image.Image, box: Box) -> np.ndarray:
    """Returns f32[1, 3, 48, w]; w follows from the line's shape."""
    left, top, right, bottom = box
    line = image.crop((left, top, right + 1, bottom + 1))
    width = max(1, round(_HEIGHT * line.width / line.height))
    pixels = np.asarray(line.resize((width, _HEIGHT)), np.float32)[..., ::-1]
    padded = np.zeros((1, 3, _HEIGHT, max(_MIN_WIDTH, width)), np.float32)
    padded[0, :, :, :width] = normalise(pixels).transpose(2, 0, 1)
    return padded


def decode(likelihood: np.ndarray, characters: list[str]) -> str:
    """Reads f32[1, steps, classes]: class 0 is a gap, repeats are one letter."""
    best = likelihood[0].argmax(axis=1)
    fresh = np.diff(best, prepend=0) != 0
    return "".join(characters[label - 1] for label in best[fresh] if label > 0)
