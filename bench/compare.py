# SPDX-License-Identifier: Apache-2.0
"""Two engines, each in its own process, in turns on the same inputs."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from . import tensors

TOLERANCE = 1e-4  # of the largest value of an output
ROOT = Path(__file__).parent.parent


def environment(threads: int, folder: Path) -> dict[str, str]:
    env = dict(os.environ)
    # It pins OpenBLAS to kernels of an old processor, to a peer's disadvantage.
    env.pop("OPENBLAS_CORETYPE", None)
    env["CUVIL_NUM_THREADS"] = env["OMP_NUM_THREADS"] = str(threads)
    env["CUVIL_CACHE_DIR"] = str(folder / "cache")
    env["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT), str(ROOT / "python"), env.get("PYTHONPATH", "")]).rstrip(os.pathsep)
    return env


class Worker:
    """A process with one engine."""

    def __init__(self, engine: str, threads: int, folder: Path):
        self.engine = engine
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.worker", engine], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=environment(threads, folder))

    def ask(self, do: str, **more: Any) -> Any:
        self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit(f"bench: the {self.engine} process ended during {do!r}")
        return json.loads(line)["answer"]

    def close(self) -> None:
        if self.process.poll() is None:
            try:
                self.process.stdin.write('{"do": "quit"}\n')
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        self.process.wait(timeout=60)


def compare(name: str, threads: int, rounds: int, seconds: float,
            scratch: Path) -> dict[str, Any]:
    """Medians and minima of one model on both engines, and whether they agree."""
    from tests.models import load
    from tests.models.samples import samples

    folder = scratch / name
    folder.mkdir(exist_ok=True)
    model = str(load(name))
    tensors.save(folder, "input", samples(name)[0])
    theirs, ours = Worker("onnxruntime", threads, scratch), Worker("cuvil", threads, scratch)
    try:
        # The peer first: its results tell the sizes of the outputs.
        prepared = {"onnxruntime": theirs.ask("prepare", model=model, threads=threads,
                                              folder=str(folder))}
        theirs.ask("run", calls=1)
        theirs.ask("results", folder=str(folder))
        prepared["cuvil"] = ours.ask("prepare", model=model, threads=threads,
                                     folder=str(folder))
        times: dict[str, list[float]] = {"cuvil": [], "onnxruntime": []}
        calls = {}
        for worker in (ours, theirs):
            warm = worker.ask("run", calls=3)
            calls[worker.engine] = max(1, min(2000, int(seconds / max(min(warm), 1e-7))))
        for _ in range(rounds):
            for worker in (ours, theirs):
                times[worker.engine] += worker.ask("run", calls=calls[worker.engine])
        ours.ask("results", folder=str(folder))
        facts = ours.ask("facts")
    finally:
        ours.close()
        theirs.close()
    difference = largest_difference(folder)
    row: dict[str, Any] = {"model": name, "threads": threads, "prepared": prepared,
                           "difference": difference, "agrees": difference <= TOLERANCE}
    for engine, values in times.items():
        row[engine] = {"median": statistics.median(values), "min": min(values),
                       "calls": len(values)}
    row["ratio"] = row["cuvil"]["median"] / row["onnxruntime"]["median"]
    row["gflops"] = facts["flops"] / row["cuvil"]["min"] / 1e9
    return row | facts


def largest_difference(folder: Path) -> float:
    """Largest difference, relative to the largest value of each output."""
    import numpy as np

    worst = 0.0
    for row in tensors.describe(folder, "output"):
        want, have = (np.fromfile(folder / file, row["dtype"]).astype(np.float64)
                      for file in (row["file"], f"ours-{row['file']}"))
        if want.size:
            error = np.abs(have - want).max() / max(np.abs(want).max(), 1e-30)
            worst = max(worst, float("inf") if np.isnan(error) else float(error))
    return worst


def costs(name: str, scratch: Path) -> dict[str, Any]:
    """Cold and cached compile time and peak memory, each in a new process."""
    from tests.models import load

    model = load(name)
    cache = scratch / f"costs-{name}"
    env = environment(len(os.sched_getaffinity(0)), scratch)
    env["CUVIL_CACHE_DIR"] = str(cache)
    command = [sys.executable, "-m", "bench.costs", str(model), str(scratch / name)]

    def once() -> dict[str, Any]:
        done = subprocess.run(command, env=env, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"bench: {done.stderr.strip()}")
        return json.loads(done.stdout)

    cold, cached = once(), once()
    return {"model": name, "cold_seconds": cold["seconds"], "cached_seconds": cached["seconds"],
            "cache": cached["cache"], "peak_bytes": cold["peak_bytes"],
            "file_bytes": model.stat().st_size}
