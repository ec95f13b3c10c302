# SPDX-License-Identifier: Apache-2.0
"""Long-lived worker processes of which one crash costs one test."""

import faulthandler
import itertools
import math
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import wait

from .cases import Case
from .engines import ENGINES
from .worker import Result, Task, perform

# Forked before any engine is imported, workers share the loaded cases.
_context = multiprocessing.get_context("fork")


class _Worker:
    def __init__(self, engine: str, cases: dict[str, Case]):
        self.connection, child = _context.Pipe()
        self.process = _context.Process(
            target=_serve, args=(child, self.connection, engine, cases), daemon=True
        )
        self.process.start()
        child.close()
        self.task: Task | None = None
        self.deadline = 0.0

    def give(self, task: Task, seconds: float) -> None:
        self.task, self.deadline = task, time.monotonic() + seconds
        self.connection.send(task)

    def collect(self) -> Result:
        """Returns the finished task's result, or how the process died."""
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            self.process.join()
            status = self.process.exitcode
            reason = signal.Signals(-status).name if status < 0 else f"exit {status}"
            return Result(self.task.case, "crash", reason, "the process died")

    def kill(self) -> None:
        self.process.kill()
        self.process.join()


def run_all(
    engine: str,
    cases: dict[str, Case],
    tasks: Iterable[Task],
    *,
    jobs: int,
    seconds: float,
    until: float = math.inf,
    on_result: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Runs the tasks on `jobs` processes; a test is given `seconds` at most.

    No test starts after `until`, in the time of `time.monotonic()`; those left
    have no result.
    """
    pending = itertools.takewhile(lambda task: time.monotonic() < until, tasks)
    workers = [_Worker(engine, cases) for _ in range(jobs)]
    results = []
    try:
        for result in _schedule(workers, pending, engine, cases, seconds):
            results.append(result)
            on_result(result)
    finally:
        for worker in workers:
            worker.kill()
    return results


def _schedule(workers, pending, engine, cases, seconds) -> Iterator[Result]:
    def feed(slot: int) -> None:
        task = next(pending, None)
        if task is None:
            workers[slot].task = None
        else:
            workers[slot].give(task, seconds)

    for slot in range(len(workers)):
        feed(slot)
    while busy := [w for w in workers if w.task]:
        timeout = max(0.0, min(w.deadline for w in busy) - time.monotonic())
        ready = wait([w.connection for w in busy], timeout)
        for slot, worker in enumerate(workers):
            if worker.task is None:
                continue
            if worker.connection in ready:
                result = worker.collect()
            elif time.monotonic() >= worker.deadline:
                worker.kill()
                result = Result(worker.task.case, "timeout",
                                message=f"no result within {seconds:g} s")
            else:
                continue
            if result.status in ("crash", "timeout"):
                worker.kill()
                workers[slot] = _Worker(engine, cases)
            yield result
            feed(slot)


def _serve(connection, parent_end, engine_name: str, cases: dict[str, Case]) -> None:
    parent_end.close()
    faulthandler.disable()  # A death is reported by the parent, in one line.
    # Nobody reads what engines print, and a test must not wait for input.
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)
    engine, failure = None, None
    try:
        engine = ENGINES[engine_name]()
    except BaseException as error:
        failure = f"engine {engine_name} cannot be loaded: {error}"
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        if failure:
            connection.send(Result(task.case, "error", "engine", failure))
            continue
        connection.send(_sendable(perform(engine, cases[task.case], task)))


def _sendable(result: Result) -> Result:
    """Outputs may be views of memory that the engine owns: copy them."""
    if result.outputs is not None:
        result.outputs = [
            o.copy() if hasattr(o, "copy") else o for o in result.outputs
        ]
    return result
