# SPDX-License-Identifier: Apache-2.0
"""The conformance runner tells passes, refusals and deaths apart."""

import os
import signal
import subprocess
import time
from types import SimpleNamespace

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.e2e.node_suite import __main__ as suite
from tests.e2e.node_suite import ledger
from tests.e2e.node_suite.cases import Case
from tests.e2e.node_suite.compare import difference
from tests.e2e.node_suite.engines import ENGINES, Refused
from tests.e2e.node_suite.perturb import perturbed_tasks
from tests.e2e.node_suite.pool import run_all
from tests.e2e.node_suite.worker import Task


def _case(name: str, op: str = "Neg") -> Case:
    x = np.arange(4, dtype=np.float32)
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [4]) for n in "xy"]
    graph = helper.make_graph(
        [helper.make_node(op, ["x"], ["y"])], name, info[:1], info[1:]
    )
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10
    )
    source = SimpleNamespace(model=model, data_sets=[([x], [-x])], model_dir=None)
    return Case(name, "node", 1e-3, 1e-7, source)


def _moody_engine():
    """Behaves as the graph's name says."""

    def prepare(model: onnx.ModelProto):
        mood = model.graph.name
        if mood == "refuses":
            raise Refused("E42", "no such op")

        def run(names, values):
            if mood == "dies":
                os.kill(os.getpid(), signal.SIGSEGV)
            if mood == "hangs":
                time.sleep(60)
            if mood == "raises":
                raise KeyError("oops")
            if mood == "exits":
                os._exit(3)
            return [values[0] if mood == "errs" else -values[0]]

        return run

    return prepare


def _run(monkeypatch, moods, jobs=2):
    monkeypatch.setitem(ENGINES, "moody", _moody_engine)
    cases = {mood: _case(mood) for mood in moods}
    results = run_all("moody", cases, [Task(mood) for mood in moods],
                      jobs=jobs, seconds=1.0)
    return {r.case: r for r in results}


def test_every_outcome_is_told_apart(monkeypatch):
    outcome = {
        "works": "pass", "dies": "crash", "exits": "crash", "hangs": "timeout",
        "errs": "wrong", "raises": "error", "refuses": "refused",
    }
    results = _run(monkeypatch, outcome)
    assert {name: r.status for name, r in results.items()} == outcome
    assert results["dies"].code == "SIGSEGV"
    assert results["exits"].code == "exit 3"
    assert results["refuses"].code == "E42"


def test_a_crash_costs_one_test(monkeypatch):
    monkeypatch.setitem(ENGINES, "moody", _moody_engine)
    cases = {"dies": _case("dies"), "works": _case("works")}
    tasks = [Task(n) for n in ["works", "dies", "works", "dies", "works"]]
    results = run_all("moody", cases, tasks, jobs=1, seconds=5.0)
    assert [r.status for r in results] == ["pass", "crash", "pass", "crash", "pass"]


def test_engine_that_cannot_load_fails_every_test():
    case = _case("works")

    def broken():
        raise ImportError("no cuvil here")

    ENGINES["broken"] = broken
    try:
        (result,) = run_all("broken", {"works": case}, [Task("works")],
                            jobs=1, seconds=5.0)
    finally:
        del ENGINES["broken"]
    assert result.status == "error" and "no cuvil here" in result.message


def test_perturbation_changes_the_inputs_and_brings_other_answers():
    (task,), unjudged = perturbed_tasks([_case("works")], jobs=1, seconds=20.0)
    assert not unjudged
    assert not np.array_equal(task.inputs[0], np.arange(4, dtype=np.float32))
    for outputs, _ in task.oracles:
        np.testing.assert_allclose(outputs[0], -task.inputs[0])


def test_answer_folded_from_the_published_input_is_caught(monkeypatch):
    published = -np.arange(4, dtype=np.float32)
    monkeypatch.setitem(ENGINES, "parrot", lambda: lambda model: lambda n, v: [published])
    case = _case("works")
    tasks, _ = perturbed_tasks([case], jobs=1, seconds=20.0)
    plain = run_all("parrot", {"works": case}, [Task("works")], jobs=1, seconds=5.0)
    other = run_all("parrot", {"works": case}, tasks, jobs=1, seconds=5.0)
    assert plain[0].status == "pass" and other[0].status == "wrong"


@pytest.mark.parametrize(
    "want, have, reason",
    [
        (np.float32([1]), np.float32([1.0005]), None),
        (np.float32([1]), np.float32([1.01]), "tolerance"),
        (np.float32([1]), np.float64([1]), "dtype"),
        (np.float32([1]), np.float32([[1]]), "shape"),
        (np.int32([1000]), np.int32([1001]), "Mismatch"),
        (np.float32([np.nan]), np.float32([np.nan]), None),
        (np.array(["a"], object), np.array(["b"], object), "strings"),
        (None, np.float32([1]), "expected None"),
        ([np.float32([1])], [np.float32([2])], "output 0"),
    ],
)
def test_comparison(want, have, reason):
    found = difference([want], [have], 1e-3, 1e-7)
    assert (found is None) if reason is None else (reason in found)


def test_missing_outputs_are_a_difference():
    assert "outputs" in difference([np.float32(1)], [], 1e-3, 1e-7)


def test_no_test_starts_after_the_time_is_up(monkeypatch):
    monkeypatch.setitem(ENGINES, "moody", _moody_engine)
    late = time.monotonic() - 1
    assert run_all("moody", {"works": _case("works")}, [Task("works")],
                   jobs=1, seconds=5.0, until=late) == []


@pytest.mark.parametrize(
    "mood, listed, code",
    [("works", True, 0), ("errs", True, 1), ("errs", False, 0), ("refuses", False, 0),
     ("refuses", True, 1)],
)
def test_only_tests_of_the_list_must_pass(monkeypatch, tmp_path, capsys, mood, listed, code):
    monkeypatch.setitem(ENGINES, "cuvil", _moody_engine)
    monkeypatch.setattr(suite, "load_cases", lambda: [_case(mood)])
    expected = tmp_path / "expected.txt"
    expected.write_text(f"{mood}\n" if listed else "")
    assert suite.main(["--expected", str(expected), "--jobs", "1"]) == code
    printed = capsys.readouterr().out
    assert (f"LOST {mood}" in printed) == (code == 1)
    assert ("WRONG errs" in printed) == (mood == "errs")


def test_listed_tests_that_there_was_no_time_for_are_lost(monkeypatch, tmp_path, capsys):
    monkeypatch.setitem(ENGINES, "cuvil", _moody_engine)
    monkeypatch.setattr(suite, "load_cases", lambda: [_case("works")])
    expected = tmp_path / "expected.txt"
    expected.write_text("works\n")
    assert suite.main(["--expected", str(expected), "--budget", "-1"]) == 1
    assert "1 tests not run" in capsys.readouterr().out


def test_list_that_is_checked_in_must_be_there(tmp_path):
    path = tmp_path / "expected.txt"
    assert not ledger.is_gone(path)
    path.write_text("a\n")
    for command in (["init", "-q"], ["add", path.name]):
        subprocess.run(["git", "-C", tmp_path, *command], check=True)
    assert not ledger.is_gone(path)
    path.unlink()
    assert ledger.is_gone(path)


def test_list_only_grows(tmp_path):
    path = tmp_path / "expected.txt"
    assert ledger.read(path) == set()
    assert ledger.grow({"b", "a"}, path) == 2
    assert ledger.grow({"a"}, path) == 0
    assert ledger.grow({"c"}, path) == 1
    assert ledger.read(path) == {"a", "b", "c"}
