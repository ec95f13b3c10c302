# SPDX-License-Identifier: Apache-2.0
"""The tree check finds what it is for, and passes the tree it is in."""

import importlib.util
import subprocess
from pathlib import Path

import pytest

_SCRIPT = Path(__file__).parents[2] / "scripts" / "check_tree.py"
_spec = importlib.util.spec_from_file_location("check_tree", _SCRIPT)
check_tree = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(check_tree)


@pytest.fixture
def tree(tmp_path):
    subprocess.run(["git", "init", "-q", tmp_path], check=True)

    def add(name: str, text: str):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return tmp_path

    return add


def _only(root) -> str:
    (problem,) = check_tree.problems(root)
    return problem


@pytest.mark.parametrize(
    "file, include, message",
    [
        ("core/lib/IR/Ops.cpp", "cuvil/Eval/Kernels.h", "IR may use Runtime/Constant.h"),
        ("core/lib/Eval/Eval.cpp", "cuvil/Pipeline/Pipeline.h", "Eval may use IR,"),
        ("core/include/cuvil/Conversion/X.h", "cuvil/Eval/E.h", "may use IR"),
        ("core/lib/IR/Ops.cpp", "cuvil/Runtime/Program.h", "IR may use"),
        ("core/lib/Runtime/Arena.cpp", "llvm/ADT/SmallVector.h", "without LLVM"),
        ("core/lib/CAPI/Compile.cpp", "mlir/IR/MLIRContext.h", "without LLVM"),
        ("core/lib/Novel/New.cpp", "cuvil/IR/Ops.h", "no row in MODULE_USES"),
        ("core/lib/IR/Dialect.cpp", "mlir/InitAllDialects.h", "everything"),
        ("core/include/cuvil/plugin.h", "stdio.h", "pure C header"),
        ("plugins/a/Runtime/Stream.cpp", "llvm/ADT/Twine.h", "has no LLVM"),
    ],
)
def test_wrong_include_is_found(tree, file, include, message):
    root = tree(file, f'// first line\n#include "{include}"\n')
    problem = _only(root)
    assert message in problem and problem.startswith(f"{file}:2:")


def test_plugins_may_not_include_each_other(tree):
    tree("plugins/b/Public.h", "")
    root = tree("plugins/a/A.cpp", '#include "../b/Public.h"\n')
    assert "never include each other" in _only(root)


def test_core_may_not_name_a_plugin(tree):
    tree("plugins/backend-x/plugin.json.in", "{}")
    root = tree("core/lib/Plugin/Load.cpp", 'load("backend-x");\n')
    assert "names the plugin backend-x" in _only(root)


@pytest.mark.parametrize(
    "file, include",
    [
        ("core/lib/Eval/Eval.cpp", "cuvil/IR/CuvilOps.h"),
        ("core/lib/Eval/Eval.cpp", "cuvil/plugin.h"),
        ("core/lib/IR/Weights.cpp", "cuvil/Runtime/Constant.h"),
        ("core/lib/IR/Ops.cpp", "mlir/IR/Builders.h"),
        ("core/include/cuvil/Plugin/plugin_mlir.h", "mlir-c/IR.h"),
        ("core/lib/Pipeline/Stages.cpp", "cuvil/Transforms/Passes.h"),
        ("plugins/a/Compiler/A.cpp", "llvm/ADT/Twine.h"),
    ],
)
def test_right_include_passes(tree, file, include):
    assert check_tree.problems(tree(file, f'#include "{include}"\n')) == []


@pytest.mark.parametrize(
    "file, lines, allowed",
    [
        ("core/lib/IR/Big.cpp", 801, False), ("core/lib/IR/Big.cpp", 800, True),
        ("tests/python/test_big.py", 501, False),
        ("tests/python/test_big.py", 500, True),
        ("tests/data/weights.bin", 5000, True),
    ],
)
def test_file_size(tree, file, lines, allowed):
    root = tree(file, "\n" * lines)
    if allowed:
        assert check_tree.problems(root) == []
    else:
        assert f"{file}: {lines} lines" in _only(root)


def test_size_exception_needs_a_reason_and_a_long_file(tree):
    tree("tests/table.py", "\n" * 600)
    root = tree(check_tree.SIZE_EXCEPTIONS, "tests/table.py one big table\n")
    assert check_tree.problems(root) == []
    tree("tests/table.py", "\n")
    assert "needs no exception" in _only(root)
    tree(check_tree.SIZE_EXCEPTIONS, "tests/gone.py it was long\n")
    assert "does not exist" in _only(root)
    tree(check_tree.SIZE_EXCEPTIONS, "tests/table.py\n")
    with pytest.raises(SystemExit, match="no reason"):
        check_tree.problems(root)


@pytest.mark.parametrize(
    "text",
    [
        "See `core/lib/IR/Gone.cpp`.",
        "Run scripts/nothing.sh, then wait.",
        "The `tests/unit/<area>/none.cpp` file.",
        "Both of core/lib/IR/{Ops,Gone}.cpp.",
        "[the page](gone.md)",
        "```\ncat core/lib/IR/Gone.cpp\n```",
    ],
)
def test_missing_path_in_a_document_is_found(tree, text):
    tree("core/lib/IR/Ops.cpp", "")
    root = tree("docs/page.md", text + "\n")
    assert "docs/page.md:" in _only(root)


@pytest.mark.parametrize(
    "text",
    [
        "See `core/lib/IR/Ops.cpp` and core/lib/IR/.",
        "Any core/lib/<Module>/Ops.cpp or core/lib/*/Ops.cpp.",
        "Links: [self](page.md#top), [web](https://example.org/docs/x.md).",
        "An installed /usr/share/docs/x or build/core/lib is not ours.",
        "<!-- creates: core/lib/IR/New.cpp -->\nWrite core/lib/IR/New.cpp.",
    ],
)
def test_good_document_passes(tree, text):
    tree("core/lib/IR/Ops.cpp", "")
    assert check_tree.problems(tree("docs/page.md", text + "\n")) == []


def test_this_tree_passes():
    assert check_tree.problems(_SCRIPT.parents[1]) == []
