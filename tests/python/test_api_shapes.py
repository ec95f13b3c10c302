# SPDX-License-Identifier: Apache-2.0
"""Sizes of imported models: given, by example, dynamic, or left as they are."""

import numpy as np
import onnx
import pytest
from small_models import DEVICE

import cuvil


def model(*shapes):
    """A ModelProto that adds 1 to each of its inputs x0, x1, ..."""
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    inputs = [helper.make_tensor_value_info(f"x{i}", kind, s) for i, s in enumerate(shapes)]
    outputs = [helper.make_tensor_value_info(f"y{i}", kind, s) for i, s in enumerate(shapes)]
    one = helper.make_tensor("one", kind, [], [1.0])
    nodes = [helper.make_node("Add", [f"x{i}", "one"], [f"y{i}"]) for i in range(len(shapes))]
    graph = helper.make_graph(nodes, "g", inputs, outputs, [one])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def sizes(proto, **arguments):
    compiled = cuvil.compile(proto, device=DEVICE, **arguments)
    found = [info.shape for info in compiled.inputs]
    if "example_inputs" not in arguments:
        imported = cuvil.import_onnx(proto, **arguments)
        assert found == [info.shape for info in imported.inputs]
    return found


X = np.zeros((2, 3), np.float32)
OPEN, TWO = (["n", "m"],), (["n", 3], ["k"])


@pytest.mark.parametrize("shapes, arguments, want", [
    (OPEN, {}, [("n", "m")]),
    (OPEN, {"input_shape": (2, 3)}, [(2, 3)]),
    (OPEN, {"input_shape": [2, None]}, [(2, "m")]),
    (OPEN, {"input_shape": ("batch", 3)}, [("batch", 3)]),
    (OPEN, {"input_shape": {"x0": (2, 3)}}, [(2, 3)]),
    (TWO, {"input_shape": [(2, 3), (4,)]}, [(2, 3), (4,)]),
    (TWO, {"input_shape": [None, (4,)]}, [("n", 3), (4,)]),
    (TWO, {"input_shape": {"x1": (4,)}}, [("n", 3), (4,)]),
    (OPEN, {"example_inputs": X}, [(2, 3)]),
    (OPEN, {"example_inputs": (X,)}, [(2, 3)]),
    (OPEN, {"example_inputs": {"x0": X}}, [(2, 3)]),
    (OPEN, {"example_inputs": X, "dynamic_shapes": {"x0": {0: "b"}}}, [("b", 3)]),
    (OPEN, {"example_inputs": X, "dynamic_shapes": ({0: "b"},)}, [("b", 3)]),
    (OPEN, {"example_inputs": X, "dynamic_shapes": [["b", None]]}, [("b", 3)]),
    (OPEN, {"input_shape": {"x0": (2, 3)}, "dynamic_shapes": [{-1: "w"}]}, [(2, "w")]),
])
def test_sizes(shapes, arguments, want):
    assert sizes(model(*shapes), **arguments) == want


def test_dims_of_torch_export():
    import torch
    found = sizes(model(*OPEN), example_inputs=torch.zeros(2, 3),
                  dynamic_shapes={"x0": {0: torch.export.Dim("batch")}})
    assert found == [("batch", 3)]


def test_import_onnx_reads_paths_bytes_and_protos(tmp_path):
    proto = model([1, 3, 224, 224])
    path = tmp_path / "model.onnx"
    onnx.save(proto, path)
    for source in (path, str(path), path.read_bytes(), memoryview(path.read_bytes()), proto):
        ir = cuvil.import_onnx(source, infer_shapes=True)
        assert ir.get_tensor_shape("x0") == [1, 3, 224, 224]
    assert cuvil.import_onnx(model(*OPEN)).get_tensor_shape("y0") == ["n", "m"]


def test_fixed_sizes_hold_at_run_time():
    compiled = cuvil.compile(model(*OPEN), device=DEVICE, input_shape=(2, 3))
    np.testing.assert_array_equal(compiled(X), X + 1)
    with pytest.raises(cuvil.InputError, match="'x0'"):
        compiled(np.zeros((3, 3), np.float32))


@pytest.mark.parametrize("shapes, arguments, words", [
    (OPEN, {"input_shape": (2, 3, 4)}, ["x0", "3"]),
    (TWO, {"input_shape": (2, 4)}, ["x0", "4", "3"]),
    (OPEN, {"input_shape": {"x": (2, 3)}}, ["'x'", "x0"]),
    (OPEN, {"input_shape": [(2, 3), (4,)]}, ["2 inputs", "has 1"]),
    (OPEN, {"input_shape": 3}, ["input_shape"]),
    (OPEN, {"input_shape": (2, -5)}, ["-5"]),
    (OPEN, {"input_shape": (2, 1.5)}, ["1.5"]),
    (OPEN, {"input_shape": ("a b", 3)}, ["a b"]),
    (OPEN, {"input_shape": (2, 3), "example_inputs": X}, ["either"]),
    (OPEN, {"example_inputs": 3}, ["int"]),
    (OPEN, {"dynamic_shapes": {"x0": {0: "n"}}}, ["x0"]),
    (OPEN, {"example_inputs": X, "dynamic_shapes": {"x0": {5: "n"}}}, ["axis 5"]),
    (OPEN, {"example_inputs": X, "dynamic_shapes": {"x0": 3}}, ["dynamic_shapes"]),
    (OPEN, {"example_inputs": X, "dynamic_shapes": {"z": {0: "n"}}}, ["'z'"]),
])
def test_sizes_that_do_not_fit(shapes, arguments, words):
    with pytest.raises(cuvil.CuvilError) as error:
        cuvil.compile(model(*shapes), device=DEVICE, **arguments)
    for word in words:
        assert word in str(error.value)
