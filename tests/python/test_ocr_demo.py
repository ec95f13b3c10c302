# SPDX-License-Identifier: Apache-2.0
"""The demo's own parts are right, so that a wrong line is the compiler's."""

import numpy as np
import pytest

from examples.ocr_demo import __main__ as demo
from examples.ocr_demo import detect, engines, picture, recognise
from examples.ocr_demo.reader import Reading, read


def test_same_seed_draws_the_same_picture():
    first, again, other = (picture.draw(s, 4, 640) for s in (1, 1, 2))
    assert first.lines == again.lines != other.lines
    assert first.image.tobytes() == again.image.tobytes()
    assert len(first.lines) == 4 and all(first.lines)


@pytest.mark.parametrize("seed, lines, width", [(0, 1, 500), (11, 3, 801), (5, 6, 640)])
def test_onnxruntime_reads_every_line(seed, lines, width):
    paths = engines.model_paths()
    drawn = picture.draw(seed, lines, width)
    reading = read(drawn.image, engines.with_onnxruntime, paths,
                   engines.characters(paths[1]))
    assert reading.lines == drawn.lines


def test_regions_join_across_rows():
    mask = np.array([[1, 0, 1, 0, 0], [1, 0, 1, 0, 1], [1, 1, 1, 0, 1],
                     [0, 0, 0, 1, 0]], bool)
    # Everything touches, the last pixel by its corners.
    assert detect._regions(mask) == [(0, 0, 4, 3)]
    assert detect._regions(mask[:, :4] & ~np.eye(4, dtype=bool)[::-1]) != []
    assert detect._regions(np.zeros((3, 3), bool)) == []


def test_boxes_leave_out_specks_and_faint_regions():
    plane = np.zeros((1, 1, 32, 64), np.float32)
    plane[0, 0, 8:16, 8:40] = 0.9
    plane[0, 0, 20:28, 8:40] = 0.4
    plane[0, 0, 1, 1] = 1.0
    (box,) = detect.boxes(plane, (128, 64))
    assert box[0] < 16 and box[1] < 16 and box[2] > 79 and box[3] > 31
    assert max(box[0::2]) < 128 and max(box[1::2]) < 64


def test_decoding_drops_gaps_and_repeats():
    labels = [1, 1, 0, 1, 2, 2, 0, 0, 3]
    likelihood = np.eye(4, dtype=np.float32)[labels][None]
    assert recognise.decode(likelihood, ["a", "b", "c"]) == "aabc"
    assert recognise.decode(likelihood[:, 2:3], ["a", "b", "c"]) == ""


@pytest.mark.parametrize(
    "lines, code", [(["A", "B"], 0), (["A", "C"], 1), (["A"], 1), (["A", "B", "X"], 1)]
)
def test_any_wrong_line_fails_the_demo(lines, code):
    reading = Reading(lines=lines, seconds={"detect": 0.1})
    options = demo.parse(["--seed", "1"])
    assert demo.report(["A", "B"], reading, reading, options) == code
