# SPDX-License-Identifier: Apache-2.0
"""The packages themselves: names, typing, what importing costs, documents."""

import re
import subprocess
import sys
from importlib import resources
from pathlib import Path

import pytest
from small_models import DEVICE

import cuvil

ROOT = Path(__file__).parents[2]


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_cuv_is_the_same():
    import cuv
    import cuvil as cu

    for name in cuvil.__all__:
        assert getattr(cuv, name) is getattr(cu, name)
    assert cuv.compile is cuvil.compile and cuv.errors is cuvil.errors
    assert re.fullmatch(r"\d+\.\d+\.\d+.*", cuv.__version__)


def test_packages_are_typed_and_documented():
    for package in ("cuvil", "cuv"):
        assert resources.files(package).joinpath("py.typed").is_file()
    for name in cuvil.__all__:
        value = getattr(cuvil, name)
        if callable(value):
            assert value.__doc__, name
            for method, member in vars(value).items() if isinstance(value, type) else ():
                if not method.startswith("_") and callable(member):
                    assert member.__doc__, f"{name}.{method}"


def test_importing_needs_neither_torch_nor_onnx_nor_the_compiler():
    out = python(
        "import sys, cuvil\n"
        "cuvil.devices(); cuvil.plugins()\n"
        "heavy = {'torch', 'onnx', 'onnxruntime', 'transformers', 'rich', 'typer'}\n"
        "maps = open('/proc/self/maps').read()\n"
        "print(sorted(heavy & set(sys.modules)), 'libcuvil.so' in maps,\n"
        "      'libcuvil-compiler' in maps or 'libMLIR' in maps or 'libLLVM' in maps)")
    assert out.split("\n")[0] == "[] True False"


@pytest.mark.parametrize("order", ["onnx torch onnxruntime cuvil", "cuvil torch onnx",
                                   "torch cuvil onnxruntime onnx", "onnxruntime cuvil torch"])
def test_any_order_of_imports_in_one_process(order):
    code = "\n".join(f"import {module}" for module in order.split())
    code += ("\ng = cuvil.Graph()\ng.output('y', g.input('x', 'f32', [2]) + 1)\n"
             "import os, numpy\n"
             "model = cuvil.compile(g, device=os.environ.get('CUVIL_TEST_DEVICE', 'cpu'))\n"
             "print(model(numpy.ones(2, 'float32')))")
    assert python(code).strip() == "[2. 2.]"


def test_plugins_of_other_packages_are_found(tmp_path):
    package = tmp_path / "acme_plugin"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('must not be imported')")
    (package / "plugin.json").write_text("{}")
    info = tmp_path / "acme_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[cuvil.plugins]\nacme = acme_plugin\n")
    out = python(f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
                 "from cuvil import _registry\n"
                 "known = _registry.describe()\n"
                 "print([p for p in known['searched'] if 'acme' in p['path']])\n"
                 "print([r['path'] for r in known['rejected'] if 'acme' in r['path']])")
    assert "entry point acme" in out and "plugin.json" in out


def _snippets():
    for document in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        text = document.read_text()
        for match in re.finditer(r"^```python\n(.*?)^```", text, re.M | re.S):
            line = text.count("\n", 0, match.start()) + 2
            yield pytest.param(match.group(1), id=f"{document.name}:{line}")


@pytest.mark.parametrize("code", list(_snippets()))
def test_python_of_the_documents_runs(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(cuvil.compile.__kwdefaults__, "device", DEVICE)
    _prepare(tmp_path)
    exec(compile(code, "<document>", "exec"), {"__name__": "__main__"})


def _prepare(folder: Path) -> None:
    """The files that snippets speak of."""
    import shutil

    from tests.models import load

    shutil.copy(load("mlp"), folder / "model.onnx")
