# SPDX-License-Identifier: Apache-2.0
"""The command `cuv`, as a process."""

import json
import subprocess
import sys

import numpy as np
import onnx
import pytest
from small_models import DEVICE


def cuv(*arguments, status=0):
    done = subprocess.run([sys.executable, "-m", "cuvil", *map(str, arguments)],
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == status, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    return done


def data(*arguments, status=0):
    return json.loads(cuv(*arguments, "--json", status=status).stdout)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    helper = onnx.helper
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["n", 3])
    y = helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, ["n", 3])
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], "act")], "g", [x], [y])
    path = tmp_path_factory.mktemp("cli") / "relu.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
    return path


def test_version_and_help():
    import cuvil

    assert cuv("--version").stdout.strip() == cuvil.__version__
    text = cuv("--help").stdout
    for command in ("compile", "run", "bench", "explain", "devices", "plugin", "doctor"):
        assert command in text


def test_devices_and_plugins():
    assert DEVICE in [device["name"] for device in data("devices")]
    known = data("plugin", "list")
    assert {"plugins", "formats", "rejected", "searched"} <= set(known)
    assert DEVICE in cuv("devices").stdout
    assert known["plugins"][0]["id"] in cuv("plugin", "list").stdout.replace("\n", "")


def test_compile(model):
    result = data("compile", model, "-d", DEVICE)
    assert result["seconds"] > 0 and result["inputs"] == ["x: f32[n, 3]"]
    assert [stage["stage"] for stage in result["report"]["stages"]]
    assert "compiled in" in cuv("compile", model, "-d", DEVICE).stdout


def test_run_with_given_and_random_inputs(model, tmp_path):
    x = np.array([[-1, 2, -3]], np.float32)
    np.savez(tmp_path / "in.npz", x=x)
    result = data("run", model, "-d", DEVICE, "-i", tmp_path / "in.npz",
                  "--output", tmp_path / "out.npz")
    assert result["outputs"]["y"]["shape"] == [1, 3]
    np.testing.assert_array_equal(np.load(tmp_path / "out.npz")["y"], np.maximum(x, 0))
    result = data("run", model, "-d", DEVICE, "--dim", "n=5", "--profile")
    assert result["outputs"]["y"]["shape"] == [5, 3] and result["profile"]["steps"]
    result = data("run", model, "-d", DEVICE, "--shape", "x=4,3")
    assert result["outputs"]["y"]["shape"] == [4, 3]
    assert "ran in" in cuv("run", model, "-d", DEVICE).stdout


def test_bench_against_onnxruntime(model):
    result = data("bench", model, "-d", DEVICE, "-n", 5, "--vs", "onnxruntime")
    for row in result["results"].values():
        assert 0 < row["min"] <= row["median"] <= row["p99"]
    assert set(result["results"]) == {"cuvil", "onnxruntime"}
    assert result["largest_difference"] <= 1e-6
    assert "median" in cuv("bench", model, "-d", DEVICE, "-n", 3).stdout


def test_explain(model):
    result = data("explain", model, "-d", DEVICE)
    assert result["coverage"][DEVICE] >= 1 and result["refused"] == []
    text = cuv("explain", model, "-d", DEVICE, "--ops").stdout
    assert "unary" in text and "100.0 %" in text


def test_doctor():
    findings = data("doctor", status=0)
    assert {"ok"} <= {finding["status"] for finding in findings}
    assert {"libcuvil", "compiler", "devices", "processor", "threads", "cache"} <= {
        finding["what"] for finding in findings}
    assert "processor" in cuv("doctor").stdout


def test_errors_have_code_place_and_no_traceback(tmp_path):
    done = cuv("run", tmp_path / "none.onnx", status=1)
    assert "NOT_FOUND" in done.stderr and "none.onnx" in done.stderr and not done.stdout
    error = data("compile", tmp_path / "none.onnx", status=1)["error"]
    assert error["code"] == "NOT_FOUND" and error["message"]
    broken = tmp_path / "broken.onnx"
    broken.write_bytes(b"\x08\x08garbage")
    assert data("run", broken, status=1)["error"]["code"] != "INTERNAL"


def test_wrong_usage(model):
    for arguments in (["bench", model, "--vs", "nothing"], ["run", model, "--dim", "n"],
                      ["run"], ["fly"]):
        assert cuv(*arguments, status=2).stderr
