# SPDX-License-Identifier: Apache-2.0
"""Bad input: one clear error that names what, where, expected and got."""

import time

import numpy as np
import pytest
from small_models import DEVICE, add_one, compiled_add_one, compiled_two

import cuvil

X = np.zeros((2, 3), np.float32)


def test_the_family():
    from cuvil import errors

    assert issubclass(cuvil.CuvilError, RuntimeError)
    assert issubclass(cuvil.InputError, ValueError)
    error = errors.from_code("NOT_FOUND", "no plugin", "here", "look there")
    assert isinstance(error, cuvil.NotFoundError)
    assert (error.code, error.where, error.hint) == ("NOT_FOUND", "here", "look there")
    assert str(error) == "no plugin\n  where: here\n  hint: look there"
    assert type(errors.from_code("SOMETHING_NEW", "?")) is cuvil.CuvilError


@pytest.mark.parametrize("value, words", [
    (np.zeros((2, 3), np.float64), ["'x'", "f32", "f64"]),
    (np.zeros((2, 3), np.int32), ["'x'", "f32", "i32"]),
    (np.zeros(3, np.float32), ["'x'", "rank 2", "1"]),
    (np.zeros((2, 4), np.float32), ["'x'", "3", "4"]),
    (np.zeros((2, 3), np.complex64), ["'x'", "complex64"]),
    (np.array([["a", "b", "c"]]), ["'x'", "<U1"]),
    (np.zeros((2, 3), object), ["'x'", "object"]),
    ([[1.0, 2.0, 3.0]], ["'x'", "list"]),
    (None, ["'x'", "NoneType"]),
    ("text", ["'x'", "str"]),
])
def test_wrong_input(value, words):
    with pytest.raises(cuvil.InputError) as error:
        compiled_add_one()(value)
    assert error.value.code == "INVALID_ARGUMENT"
    for word in words:
        assert word in error.value.message


def test_wrong_names_and_counts():
    model, a = compiled_two(), np.zeros(3, np.float32)
    for call, words in [
        (lambda: model(a), ["'b'", "missing"]),
        (lambda: model(a, a, a), ["2 inputs", "got 3"]),
        (lambda: model(a, c=a), ["'c'", "'a', 'b'"]),
        (lambda: model(a, a=a), ["'a'", "twice"]),
        (lambda: model({"a": a}), ["'b'", "missing"]),
        (lambda: model(a, np.zeros(4, np.float32)), ["'b'", "'n'", "3", "4"]),
        (lambda: model(a, a, out=a), ["2 tensors", "got 1"]),
        (lambda: model(a, a, out={"product": a}), ["difference"]),
    ]:
        with pytest.raises(cuvil.InputError) as error:
            call()
        for word in words:
            assert word in error.value.message


def test_wrong_out():
    for out, word in [(np.zeros((2, 4), np.float32), "4"), (np.zeros((2, 3), "f8"), "f64"),
                      ([1.0], "float")]:
        with pytest.raises(cuvil.InputError, match="'y'") as error:
            compiled_add_one()(X, out=out)
        assert word in error.value.message
    frozen = np.zeros((2, 3), np.float32)
    frozen.flags.writeable = False
    with pytest.raises(cuvil.InputError, match="read-only"):
        compiled_add_one()(X, out=frozen)


def test_a_failed_call_leaves_the_model_usable():
    with pytest.raises(cuvil.InputError):
        compiled_add_one()(np.zeros((2, 4), np.float32))
    np.testing.assert_array_equal(compiled_add_one()(X), X + 1)


def test_unavailable_settings_list_what_is():
    for arguments, words in [
        ({"precision": "fp4"}, ["fp4", "fp32"]),
        ({"backend": "warp"}, ["warp", "mode"]),
        ({"options": {"colour": 3}}, ["colour", "threads"]),
        ({"device": "toaster"}, ["toaster", DEVICE]),
    ]:
        with pytest.raises(cuvil.CuvilError) as error:
            cuvil.compile(add_one(), **{"device": DEVICE} | arguments)
        assert error.value.code in ("UNSUPPORTED", "INVALID_ARGUMENT", "NOT_FOUND")
        for word in words:
            assert word in str(error.value)


def test_wrong_arguments():
    for arguments in ({"threads": -1}, {"threads": "2"}, {"device": 3},
                      {"input_shape": (2, 3)}, {"dynamic_shapes": {"x": {0: "n"}}}):
        with pytest.raises(cuvil.InputError):
            cuvil.compile(add_one(), **{"device": DEVICE} | arguments)


def test_models_of_no_known_kind():
    with pytest.raises(cuvil.UnsupportedError, match="builtins.dict") as error:
        cuvil.compile({})
    assert "onnx" in str(error.value)
    import torch
    with pytest.raises(cuvil.UnsupportedError, match="torch") as error:
        cuvil.compile(torch.nn.Linear(2, 3))
    assert error.value.code == "UNSUPPORTED" and error.value.hint


def test_a_proto_beyond_protobuf():
    class ModelProto:
        def ByteSize(self):
            return 1 << 32

        def SerializeToString(self):
            raise AssertionError("must not be called")

    with pytest.raises(cuvil.InputError, match="2 GiB") as error:
        cuvil.compile(ModelProto())
    assert "external_data" in error.value.hint


@pytest.mark.parametrize("data", [b"", b"\0", b"garbage " * 100, bytes(range(256)) * 64])
def test_garbage_is_refused_at_once(data, tmp_path):
    start = time.monotonic()
    file = tmp_path / "model.onnx"
    file.write_bytes(data)
    for model in (data, file, str(file)):
        with pytest.raises(cuvil.CuvilError) as error:
            cuvil.compile(model, device=DEVICE)
        assert error.value.message and error.value.code != "INTERNAL"
    assert time.monotonic() - start < 10
    assert [f.name for f in tmp_path.iterdir()] == ["model.onnx"]


def test_missing_files_and_broken_text():
    with pytest.raises(cuvil.NotFoundError, match="nowhere.onnx"):
        cuvil.compile("nowhere.onnx")
    with pytest.raises(cuvil.InvalidModelError):
        cuvil.compile("module { func.func @main( }")
    with pytest.raises(cuvil.InvalidModelError, match="main"):
        cuvil.compile("module {\n}")


def test_integer_division_by_zero_is_an_error():
    graph = cuvil.Graph()
    a, b = (graph.input(name, "i32", [3]) for name in "ab")
    graph.output("y", a / b)
    model = cuvil.compile(graph, device=DEVICE)
    ones = np.ones(3, np.int32)
    with pytest.raises(cuvil.IntegerArithmeticError) as error:
        model(ones, np.array([1, 0, 1], np.int32))
    assert error.value.code == "ARITHMETIC"
    np.testing.assert_array_equal(model(ones, ones), ones)
