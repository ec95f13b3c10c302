# SPDX-License-Identifier: Apache-2.0
"""Hostile model files end in one clear error and leave nothing behind."""

import os
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto as T
from onnx import helper

import cuvil

VALUE = helper.make_tensor_value_info


def build(nodes, inputs, outputs, initializers=(), opset=13, extra=()):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    domains = [helper.make_opsetid("", opset), *extra]
    return helper.make_model(graph, opset_imports=domains).SerializeToString()


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, **attributes)


def relu_model(opset=13):
    return build([node("Relu", ["x"], ["y"])], [VALUE("x", T.FLOAT, [64])],
                 [VALUE("y", T.FLOAT, [64])], opset=opset)


def cyclic():
    return build([node("Relu", ["b"], ["a"]), node("Relu", ["a"], ["b"])],
                 [VALUE("x", T.FLOAT, [1])], [VALUE("b", T.FLOAT, [1])])


def huge_dims():
    sizes = helper.make_tensor("s", T.INT64, [3], [2**40] * 3)
    return build([node("ConstantOfShape", ["s"], ["y"])], [], [VALUE("y", T.FLOAT, None)], [sizes])


def outside_folder():
    weight = onnx.TensorProto(name="w", dims=[4], data_type=T.FLOAT, data_location=1)
    for key, value in (("location", "../../etc/passwd"), ("offset", "0"), ("length", "16")):
        weight.external_data.add(key=key, value=value)
    return build([node("Add", ["x", "w"], ["y"])], [VALUE("x", T.FLOAT, [4])],
                 [VALUE("y", T.FLOAT, [4])], [weight])


def unsupported():
    nodes = [node("NonMaxSuppression", ["x", "s"], ["y"], name="first"),
             node("Foo", ["x"], ["z"], domain="acme", name="second")]
    return build(nodes, [VALUE("x", T.FLOAT, [1, 2, 4]), VALUE("s", T.FLOAT, [1, 1, 2])],
                 [VALUE("y", T.INT64, None)], extra=[helper.make_opsetid("acme", 1)])


CASES = {
    "truncated": (lambda: relu_model()[:20], "INVALID_MODEL", "byte"),
    "garbage": (lambda: bytes(range(1, 256)) * 40, "INVALID_MODEL", "ONNX file"),
    "empty": (lambda: b"", "INVALID_MODEL", "empty"),
    "version": (lambda: relu_model(opset=999), "INVALID_MODEL", "999"),
    "cyclic": (cyclic, "INVALID_MODEL", "cyclic"),
    "huge_dims": (huge_dims, "INVALID_MODEL", "address space"),
    "outside_folder": (outside_folder, "INVALID_MODEL", "leaves the model's folder"),
    "unsupported": (unsupported, "UNSUPPORTED", "second"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_hostile_file_is_refused(name: str, tmp_path: Path, monkeypatch):
    make, code, part = CASES[name]
    cache = tmp_path / "cache"
    monkeypatch.setenv("CUVIL_CACHE_DIR", str(cache))
    folder = tmp_path / "model"
    folder.mkdir()
    path = folder / "model.onnx"
    path.write_bytes(make())
    with pytest.raises(cuvil.CuvilError) as caught:
        cuvil.compile(path)
    assert caught.value.code == code
    assert part in str(caught.value)
    assert os.listdir(folder) == ["model.onnx"]
    assert not any(file.is_file() for file in cache.rglob("*"))


@pytest.mark.parametrize("path", ["/dev/zero", "/nonexistent/model.onnx"])
def test_what_is_no_file_is_refused(path: str):
    with pytest.raises(cuvil.CuvilError, match="cannot read model"):
        cuvil.compile(path)
