# SPDX-License-Identifier: Apache-2.0
"""Draws a picture of random text, so that nobody knows it beforehand."""

import random
from dataclasses import dataclass

from PIL import Image, ImageDraw, ImageFont

# Without pairs that look alike in the font used, such as O and 0.
_LETTERS = "ACDEFHJKMNPRTUVWXY3479"
_INKS = ["#111111", "#7a1010", "#103c7a", "#0f5a2d"]
_PAPERS = ["#ffffff", "#f4ecd8", "#e8f0f7"]
_LINE_HEIGHT = 72


@dataclass
class Picture:
    """The drawn image and its lines, from top to bottom."""

    image: Image.Image
    lines: list[str]


def draw(seed: int, lines: int, width: int) -> Picture:
    """Draws `lines` random lines; the same arguments give the same picture."""
    rng = random.Random(seed)
    height = -(-(lines * _LINE_HEIGHT + 40) // 32) * 32
    image = Image.new("RGB", (width, height), rng.choice(_PAPERS))
    pen = ImageDraw.Draw(image)
    texts = []
    for row in range(lines):
        font = ImageFont.load_default(rng.randint(28, 40))
        text = _random_text(rng)
        while pen.textlength(text, font) > width - 80:
            text = text[:-1]
        left = rng.randint(24, int(width - 40 - pen.textlength(text, font)))
        top = 20 + row * _LINE_HEIGHT + rng.randint(4, 16)
        pen.text((left, top), text, fill=rng.choice(_INKS), font=font)
        texts.append(text)
    return Picture(image, texts)


def draw_boxes(picture: Picture, boxes: list, path) -> None:
    """Saves the picture with a frame around every found line."""
    image = picture.image.copy()
    pen = ImageDraw.Draw(image)
    for box in boxes:
        pen.rectangle(box, outline="#e02020", width=2)
    image.save(path)


def _random_text(rng: random.Random) -> str:
    return "".join(rng.choice(_LETTERS) for _ in range(rng.randint(6, 18)))
