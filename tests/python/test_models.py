# SPDX-License-Identifier: Apache-2.0
"""The test models are the pinned files, and a missing one is an error."""

import onnx
import pytest

from tests.models import ModelUnavailable, load, names
from tests.models.cache import cached
from tests.models.packaged import PackagedFile


@pytest.mark.parametrize("name", names())
def test_every_model_loads(name):
    model = onnx.load(load(name))
    assert model.graph.node


def test_unknown_name_lists_the_known_ones():
    with pytest.raises(ModelUnavailable, match="resnet50"):
        load("resnet51")


@pytest.mark.parametrize(
    "file, message",
    [
        (PackagedFile("no-such-dist", "1", "a.onnx", ""), "not installed"),
        (PackagedFile("numpy", "0.0.1", "a.onnx", ""), "expected 0.0.1"),
    ],
)
def test_missing_package_is_an_error(file, message):
    with pytest.raises(ModelUnavailable, match=message):
        file.locate()


def test_changed_content_is_an_error():
    import numpy

    file = PackagedFile("numpy", numpy.__version__, "numpy/version.py", "00")
    with pytest.raises(ModelUnavailable, match="SHA-256"):
        file.locate()


def test_failed_export_leaves_nothing_behind(tmp_path, monkeypatch):
    monkeypatch.setenv("CUVIL_TEST_MODELS", str(tmp_path))

    def interrupted(path):
        path.write_bytes(b"half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cached("m.onnx", interrupted)
    assert not (tmp_path / "m.onnx").exists()
    assert cached("m.onnx", lambda p: p.write_bytes(b"whole")).read_bytes() == b"whole"


def test_batch_norms_are_kept_for_the_compiler_to_fold():
    ops = [node.op_type for node in onnx.load(load("resnet50")).graph.node]
    assert ops.count("BatchNormalization") == 53
