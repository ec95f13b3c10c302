# SPDX-License-Identifier: Apache-2.0
"""Runs passing float tests again on other numbers, against other engines.

A result that only fits the published numbers, or was folded from them, shows
here. ONNX Runtime is the first judge and the `onnx` reference the second;
agreeing with either is enough, since they differ from each other at times.
"""

import math
import zlib

import numpy as np

from .cases import Case
from .pool import run_all
from .worker import Task

_JUDGES = ("onnxruntime", "reference")
# Sizes or positions in disguise: other values would ask for other output shapes,
# or lie between two positions, of which each engine makes its own.
_INTEGRAL_INPUTS = {"scales", "roi", "indices"}
_FLOATS = ("float16", "float32", "float64")
# Sums may be taken in any order: allow this much of the largest value.
_ORDER_SLACK = {"float16": 2e-3, "float32": 1e-5, "float64": 1e-10}


def perturbed_tasks(cases: list[Case], jobs: int, seconds: float,
                    until: float = math.inf):
    """Returns (tasks with oracles, names of the cases that have no judge).

    Cases that no judge came to before `until` are in neither.
    """
    tasks = [t for t in map(_perturb, cases) if t]
    by_name = {case.name: case for case in cases}
    judged = {
        judge: {r.case: r for r in
                run_all(judge, by_name, tasks, jobs=jobs, seconds=seconds,
                        until=until)}
        for judge in _JUDGES
    }
    ready, unjudged = [], []
    for task in tasks:
        if any(task.case not in judged[judge] for judge in _JUDGES):
            continue
        shapes = _shapes(by_name[task.case].data_sets[0][1])
        oracles = [
            (r.outputs, _slack(r.outputs))
            for r in (judged[judge][task.case] for judge in _JUDGES)
            if r.status == "pass" and _shapes(r.outputs) == shapes
        ]
        if oracles:
            ready.append(Task(task.case, task.inputs, oracles))
        else:
            unjudged.append(task.case)
    return ready, unjudged


def _perturb(case: Case) -> Task | None:
    inputs, _ = case.data_sets[0]
    rng = np.random.default_rng(zlib.crc32(case.name.encode()))
    changed, fresh = False, []
    for name, value in zip(case.input_names(len(inputs)), inputs):
        if _is_float_data(name, value):
            scale = rng.uniform(0.8, 1.2, value.shape)
            value, changed = (value * scale).astype(value.dtype), True
        fresh.append(value)
    return Task(case.name, fresh) if changed else None


def _is_float_data(name: str, value) -> bool:
    return (
        isinstance(value, np.ndarray)
        and value.dtype.name in _FLOATS
        and value.ndim > 0
        and value.size > 1
        and name not in _INTEGRAL_INPUTS
    )


def _shapes(values: list) -> list:
    return [
        _shapes(v) if isinstance(v, (list, tuple)) else getattr(v, "shape", None)
        for v in values
    ]


def _slack(outputs: list) -> float:
    slack = 0.0
    for value in outputs:
        factor = _ORDER_SLACK.get(getattr(getattr(value, "dtype", None), "name", ""))
        if factor and value.size:
            finite = value[np.isfinite(value)]
            if finite.size:
                slack = max(slack, factor * float(np.abs(finite).max()))
    return slack
