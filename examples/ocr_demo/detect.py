# SPDX-License-Identifier: Apache-2.0
"""Text detection around the PP-OCR model: pixels in, line boxes out."""

import numpy as np
from PIL import Image

Box = tuple[int, int, int, int]  # left, top, right, bottom; the ends belong to it

_TEXT_PIXEL = 0.3  # A pixel this likely belongs to text ...
_TEXT_REGION = 0.5  # ... and a region whose mean is this likely is a line.
_GROWTH = 1.6  # The model marks the core of a line; its box is larger.
_MIN_SIDE = 3


def prepare(image: Image.Image) -> np.ndarray:
    """Returns f32[1, 3, h, w] with both sizes rounded to a multiple of 32."""
    width, height = (max(32, round(side / 32) * 32) for side in image.size)
    pixels = np.asarray(image.resize((width, height)), np.float32)[..., ::-1]
    return np.ascontiguousarray(normalise(pixels).transpose(2, 0, 1)[None])


def boxes(likelihood: np.ndarray, size: tuple[int, int]) -> list[Box]:
    """Turns the model's f32[1, 1, h, w] into boxes in a picture of `size`."""
    plane = likelihood[0, 0]
    scale_x, scale_y = size[0] / plane.shape[1], size[1] / plane.shape[0]
    found = []
    for left, top, right, bottom in _regions(plane > _TEXT_PIXEL):
        height, width = bottom - top + 1, right - left + 1
        if min(height, width) < _MIN_SIDE:
            continue
        if plane[top:bottom + 1, left:right + 1].mean() < _TEXT_REGION:
            continue
        grow = _GROWTH * height * width / (2 * (height + width))
        found.append((
            max(0, int((left - grow) * scale_x)),
            max(0, int((top - grow) * scale_y)),
            min(size[0] - 1, int((right + 1 + grow) * scale_x)),
            min(size[1] - 1, int((bottom + 1 + grow) * scale_y)),
        ))
    return sorted(found, key=lambda box: (box[1], box[0]))


def normalise(pixels: np.ndarray) -> np.ndarray:
    """Maps 0..255 to -1..1, as both models were trained."""
    return (pixels / 255 - 0.5) / 0.5


def _regions(mask: np.ndarray) -> list[Box]:
    """Bounding boxes of the connected regions, by joining runs of pixels."""
    parent: list[int] = []
    extent: list[Box] = []

    def root(run: int) -> int:
        while parent[run] != run:
            parent[run] = parent[parent[run]]
            run = parent[run]
        return run

    above: list[tuple[int, int, int]] = []
    for row, line in enumerate(mask):
        edges = np.flatnonzero(np.diff(np.pad(line.astype(np.int8), 1)))
        runs = []
        for start, end in zip(edges[::2].tolist(), edges[1::2].tolist()):
            label = len(parent)
            parent.append(label)
            extent.append((start, row, end - 1, row))
            for other_start, other_end, other in above:
                if other_start <= end and start <= other_end:
                    _join(root(other), root(label), parent, extent)
            runs.append((start, end, label))
        above = runs
    return [extent[run] for run in range(len(parent)) if parent[run] == run]


def _join(first: int, second: int, parent: list[int], extent: list[Box]) -> None:
    if first == second:
        return
    parent[second] = first
    a, b = extent[first], extent[second]
    extent[first] = (min(a[0], b[0]), min(a[1], b[1]),
                     max(a[2], b[2]), max(a[3], b[3]))
