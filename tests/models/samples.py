# SPDX-License-Identifier: Apache-2.0
"""Inputs for the test models, two sizes of each that a model leaves open."""

import numpy as np

from examples.ocr_demo import picture

Feed = dict[str, np.ndarray]

_SILERO_STEPS = 50


def samples(name: str) -> list[Feed]:
    """Seeded inputs by name; models with a state are in `chains` instead."""
    rng = np.random.default_rng(11)
    return _SAMPLES[name](rng)


def chains(name: str) -> list[list[Feed]]:
    """Runs of many steps for a voice model, each step without its state.

    The caller feeds `stateN` of a step to `state` of the next, from zeros of
    `state_shape(name, chain)`.
    """
    rates = [(16000, 1), (16000, 2)]
    if name == "silero_two_rate":
        rates = [(16000, 1), (8000, 2)]
    return [_voice(rate, batch) for rate, batch in rates]


def state_shape(chain: list[Feed]) -> tuple[int, int, int]:
    """The shape of the state that goes with a chain."""
    return (2, chain[0]["input"].shape[0], 128)


def _pictures(*shapes: tuple[int, ...], name: str = "x"):
    return lambda rng: [
        {name: rng.uniform(-1, 1, shape).astype(np.float32)} for shape in shapes
    ]


def _texts(*shapes: tuple[int, int, int, int]):
    """Parts of drawn text: on noise, a detector's answers are too near to 0."""
    def make(rng: np.random.Generator) -> list[Feed]:
        feeds = []
        for batch, _, height, width in shapes:
            seeds = rng.integers(1000, size=batch)
            drawn = [picture.draw(int(seed), 3, 640).image for seed in seeds]
            rows = np.stack(drawn)[:, :height, :width].transpose(0, 3, 1, 2)
            feeds.append({"x": np.array(rows / 127.5 - 1, np.float32, order="C")})
        return feeds

    return make


def _sentences(*shapes: tuple[int, int], padded: bool):
    def make(rng: np.random.Generator) -> list[Feed]:
        feeds = []
        for batch, length in shapes:
            mask = np.ones((batch, length), np.int64)
            if padded:
                for row, used in enumerate(rng.integers(1, length + 1, batch)):
                    mask[row, used:] = 0
            ids = rng.integers(1000, 30000, (batch, length))
            feeds.append({"input_ids": ids, "attention_mask": mask})
        return feeds

    return make


def _windows(*lengths: int):
    def make(rng: np.random.Generator) -> list[Feed]:
        return [
            {
                "input": rng.normal(0, 0.1, (length, 576)).astype(np.float32),
                "h": np.zeros((1, 1, 128), np.float32),
                "c": np.zeros((1, 1, 128), np.float32),
            }
            for length in lengths
        ]

    return make


def _voice(rate: int, batch: int) -> list[Feed]:
    """A swelling, gliding tone with noise: the model must change its mind."""
    rng = np.random.default_rng(rate + batch)
    window, context = (512, 64) if rate == 16000 else (256, 32)
    time = np.arange(_SILERO_STEPS * window) / rate
    rows = []
    for row in range(batch):
        pitch = 120 + 40 * row + 60 * np.sin(2 * np.pi * 1.5 * time)
        phase = 2 * np.pi * np.cumsum(pitch) / rate
        tone = sum(np.sin(k * phase) / k for k in range(1, 12))
        swell = np.clip(np.sin(2 * np.pi * 0.9 * time + row), 0, 1)
        rows.append(0.2 * tone * swell + rng.normal(0, 0.005, time.size))
    audio = np.pad(np.asarray(rows, np.float32), ((0, 0), (context, 0)))
    return [
        {
            "input": audio[:, step * window:(step + 1) * window + context].copy(),
            "sr": np.array(rate, np.int64),
        }
        for step in range(_SILERO_STEPS)
    ]


_SAMPLES = {
    "ocr_det": _texts((1, 3, 256, 416), (2, 3, 160, 224)),
    "ocr_cls": _pictures((1, 3, 48, 192), (4, 3, 48, 192)),
    "ocr_rec": _pictures((1, 3, 48, 320), (3, 3, 48, 417)),
    "silero_sequence": _windows(4, 11),
    "minilm": _sentences((2, 7), (5, 33), padded=True),
    "resnet50": _pictures((1, 3, 224, 224)),
    "mobilenetv2": _pictures((1, 3, 224, 224)),
    "bert_base_s128": _sentences((1, 128), padded=True),
    "mlp": _pictures((1, 784), (37, 784)),
}
