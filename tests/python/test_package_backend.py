# SPDX-License-Identifier: Apache-2.0
"""The backend of the tutorial: built by a C compiler alone, loaded, used."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from small_models import DEVICE

import cuvil

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/backend-toy"


@pytest.fixture(scope="module", autouse=True)
def toy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("toy")
    shutil.copy(EXAMPLE / "plugin.json", folder)
    subprocess.run(["cc", "-std=c11", "-shared", "-fPIC", f"-I{ROOT / 'core/include'}",
                    EXAMPLE / "toy.c", "-o", folder / "libtoy.so"], check=True)
    cuvil.load_plugin(folder)


def chain(with_exp: bool) -> cuvil.Graph:
    g = cuvil.Graph()
    a, b = (g.input(name, "f32", ["n", 3]) for name in "ab")
    y = a * b
    g.output("y", (g.exp(y) if with_exp else y) - a)
    return g


def test_the_device_appears():
    assert "toy" in [device["name"] for device in cuvil.devices()]
    assert "example.toy" in [plugin["id"] for plugin in cuvil.plugins()]


def test_it_runs_what_it_can():
    model = cuvil.compile(chain(False), device="toy", strict=True)
    for n in (0, 1, 5):
        a, b = np.full((n, 3), 2, np.float32), np.full((n, 3), 5, np.float32)
        np.testing.assert_array_equal(model(a, b), a * b - a)
    assert set(model.report().coverage()) == {"toy"}
    assert [i.name for i in model.inputs] == ["a", "b"]


def test_what_it_cannot_do_is_refused_with_its_reason():
    with pytest.raises(cuvil.UnsupportedError, match="only elementwise add, sub and mul"):
        cuvil.compile(chain(True), device="toy", strict=True)


def test_another_device_takes_the_rest():
    model = cuvil.compile(chain(True), device=f"toy,{DEVICE}")
    a, b = np.full((2, 3), 0.5, np.float32), np.full((2, 3), 3, np.float32)
    np.testing.assert_allclose(model(a, b), np.exp(a * b) - a, rtol=1e-6)
    report = model.report()
    assert {"toy", DEVICE} <= set(report.coverage())
    assert "only elementwise" in str(report)
