# SPDX-License-Identifier: Apache-2.0
"""The whole reading of a picture, with the time that each stage took."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image

from . import detect, recognise
from .engines import Model


@dataclass
class Reading:
    """What was read, where, and how many seconds each stage took."""

    boxes: list[detect.Box] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)


def read(
    image: Image.Image,
    load: Callable[[Path], Model],
    paths: tuple[Path, Path],
    characters: list[str],
) -> Reading:
    """Finds and reads every line of the image with models made by `load`."""
    reading = Reading()

    def timed(stage: str, work: Callable, *arguments):
        start = time.perf_counter()
        result = work(*arguments)
        spent = time.perf_counter() - start
        reading.seconds[stage] = reading.seconds.get(stage, 0.0) + spent
        return result

    find = timed("load detection", load, paths[0])
    likelihood = timed("detect", find, detect.prepare(image))
    reading.boxes = timed("boxes", detect.boxes, likelihood, image.size)
    spell = timed("load recognition", load, paths[1])
    for box in reading.boxes:
        letters = timed("recognise", spell, recognise.prepare(image, box))
        reading.lines.append(recognise.decode(letters, characters))
    return reading
