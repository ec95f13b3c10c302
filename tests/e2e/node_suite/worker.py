# SPDX-License-Identifier: Apache-2.0
"""What a worker process does with one task."""

import time
from dataclasses import dataclass

from .cases import Case
from .compare import difference
from .engines import Engine, Refused


@dataclass
class Task:
    """Run one case; with `inputs`, on these instead of on its own data.

    `oracles` are the outputs to accept for such inputs, each good enough; with
    none the task only produces outputs.
    """

    case: str
    inputs: list | None = None
    oracles: list | None = None


@dataclass
class Result:
    """status is pass, refused, wrong, error, crash or timeout."""

    case: str
    status: str
    code: str = ""
    message: str = ""
    seconds: float = 0.0
    outputs: list | None = None


def perform(engine: Engine, case: Case, task: Task) -> Result:
    """Runs a task; only a dying process can keep it from returning."""
    start = time.perf_counter()
    try:
        result = _run(engine, case, task)
    except Refused as refusal:
        result = Result(case.name, "refused", refusal.code, _short(refusal))
    except BaseException as error:
        result = Result(case.name, "error", type(error).__name__, _short(error))
    result.seconds = round(time.perf_counter() - start, 4)
    return result


def _run(engine: Engine, case: Case, task: Task) -> Result:
    run = engine(case.model)
    if task.inputs is not None:
        outputs = run(case.input_names(len(task.inputs)), task.inputs)
        if task.oracles is None:
            return Result(case.name, "pass", outputs=outputs)
        return _judge(case, outputs, task.oracles)
    for inputs, expected in case.data_sets:
        outputs = run(case.input_names(len(inputs)), inputs)
        reason = difference(expected, outputs, case.rtol, case.atol)
        if reason:
            return Result(case.name, "wrong", message=reason)
    return Result(case.name, "pass")


def _judge(case: Case, outputs: list, oracles: list) -> Result:
    reasons = [
        difference(expected, outputs, case.rtol, max(case.atol, slack))
        for expected, slack in oracles
    ]
    if None in reasons:
        return Result(case.name, "pass")
    return Result(case.name, "wrong", message=reasons[0])


def _short(error: BaseException) -> str:
    return str(error)[:2000]
