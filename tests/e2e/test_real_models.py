# SPDX-License-Identifier: Apache-2.0
"""Real models give ONNX Runtime's outputs, at every size that they allow."""

from functools import cache

import numpy as np
import onnxruntime
import pytest

from tests.models import load
from tests.models.samples import chains, samples, state_shape

_STATELESS = ["ocr_det", "ocr_cls", "ocr_rec", "silero_sequence", "minilm",
              "resnet50", "mobilenetv2", "bert_base_s128", "mlp"]
_VOICE = ["silero_16k", "silero_ifless", "silero_two_rate"]


class _Peer:
    """ONNX Runtime on one model; it also knows the names and their order."""

    def __init__(self, name: str):
        self.session = onnxruntime.InferenceSession(
            str(load(name)), providers=["CPUExecutionProvider"]
        )
        self.inputs = [i.name for i in self.session.get_inputs()]
        self.outputs = [o.name for o in self.session.get_outputs()]

    def __call__(self, feed: dict) -> dict:
        wanted = {name: feed[name] for name in self.inputs}
        return dict(zip(self.outputs, self.session.run(None, wanted)))


class _Ours:
    """The same calls on Cuvil, compiled once, without any fallback."""

    def __init__(self, name: str, peer: _Peer):
        import cuvil

        self.peer = peer
        self.compiled = cuvil.compile(str(load(name)), device="cpu", strict=True)

    def __call__(self, feed: dict) -> dict:
        results = self.compiled(*(feed[name] for name in self.peer.inputs))
        if not isinstance(results, (list, tuple)):
            results = [results]
        return dict(zip(self.peer.outputs, map(np.asarray, results), strict=True))


@cache
def _pair(name: str) -> tuple[_Ours, _Peer]:
    peer = _Peer(name)
    return _Ours(name, peer), peer


def _check(have: dict, want: dict, tolerance: float) -> None:
    assert have.keys() == want.keys()
    for name, expected in want.items():
        actual = have[name]
        assert actual.shape == expected.shape and actual.dtype == expected.dtype, name
        bound = tolerance * np.abs(expected).max()
        worst = np.abs(actual.astype(np.float64) - expected).max()
        assert worst <= bound, f"{name}: off by {worst:g}, at most {bound:g}"


@pytest.mark.parametrize(
    "name, index",
    [(name, i) for name in _STATELESS for i in range(len(samples(name)))],
)
def test_outputs_equal_onnxruntime(name, index):
    ours, peer = _pair(name)
    feed = samples(name)[index]
    _check(ours(feed), peer(feed), 1e-4)


@pytest.mark.parametrize("run", [0, 1])
@pytest.mark.parametrize("name", _VOICE)
def test_voice_model_agrees_after_fifty_chained_steps(name, run):
    ours, peer = _pair(name)
    chain = chains(name)[run]
    state = np.zeros(state_shape(chain), np.float32)
    ours_state = peer_state = state
    probabilities = []
    for step in chain:
        have = ours({**step, "state": ours_state})
        want = peer({**step, "state": peer_state})
        ours_state, peer_state = have["stateN"], want["stateN"]
        probabilities.append(want["output"])
        _check(have, want, 5e-4)
    # The sound must exercise the state: the verdict changes on the way.
    assert np.ptp(np.asarray(probabilities)) > 0.1
