# SPDX-License-Identifier: Apache-2.0
"""One engine in a process of its own: `python -m bench.worker ENGINE ...`.

Reads commands as JSON lines (prepare, run, results, facts, quit) and answers
each with one JSON line.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path
from typing import Any

from . import tensors

FOREIGN = re.compile(r"blas|mkl|dnnl|onednn|xnnpack|onnxruntime|libtorch|eigen", re.I)


class Cuvil:
    """The engine under test; never imports numpy."""

    def prepare(self, model: str, threads: int, folder: Path) -> dict[str, Any]:
        import cuvil

        self.feed = tensors.load(folder, "input")
        start = time.perf_counter()
        self.compiled = cuvil.compile(
            model, device="cpu", strict=True, threads=threads,
            input_shape={row["name"]: row["shape"] for row in tensors.describe(folder, "input")})
        seconds = time.perf_counter() - start
        self.out = {row["name"]: tensors.empty(row) for row in tensors.describe(folder, "output")}
        self.arguments = tuple(self.feed[info.name] for info in self.compiled.inputs)
        return {"seconds": seconds, "cache": self.compiled.report().get("cache"),
                "options": {"device": "cpu", "strict": True, "threads": threads}}

    def run(self) -> None:
        self.compiled(*self.arguments, out=self.out)

    def results(self, folder: Path) -> None:
        for row in tensors.describe(folder, "output"):
            (folder / f"ours-{row['file']}").write_bytes(self.out[row["name"]].tobytes())

    def facts(self) -> dict[str, Any]:
        profile = self.compiled.profile(*self.arguments)
        total = sum(step["flops"] for step in profile["steps"])
        named = sum(step["flops"] for step in profile["steps"] if step.get("kernel"))
        return {"flops": total, "flops_in_kernels": named / total if total else None,
                "steps": profile["steps"], "foreign_libraries": foreign_libraries()}


class OnnxRuntime:
    """The peer, as its documentation sets it up for latency on CPU."""

    def prepare(self, model: str, threads: int, folder: Path) -> dict[str, Any]:
        import numpy as np
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.execution_mode = onnxruntime.ExecutionMode.ORT_SEQUENTIAL
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
        start = time.perf_counter()
        self.session = onnxruntime.InferenceSession(model, options,
                                                    providers=["CPUExecutionProvider"])
        seconds = time.perf_counter() - start
        self.feed = {row["name"]: np.fromfile(folder / row["file"], row["dtype"])
                     .reshape(row["shape"]) for row in tensors.describe(folder, "input")}
        return {"seconds": seconds, "version": onnxruntime.__version__, "options": {
            "intra_op_num_threads": threads, "inter_op_num_threads": 1,
            "execution_mode": "sequential", "graph_optimization_level": "all",
            "providers": self.session.get_providers()}}

    def run(self) -> None:
        self.values = self.session.run(None, self.feed)

    def results(self, folder: Path) -> None:
        names = [output.name for output in self.session.get_outputs()]
        tensors.save(folder, "output", dict(zip(names, self.values)))

    def facts(self) -> dict[str, Any]:
        return {}


ENGINES = {"cuvil": Cuvil, "onnxruntime": OnnxRuntime}


def foreign_libraries() -> list[str]:
    """Libraries of this process that another engine's kernels could come from."""
    with open("/proc/self/maps") as maps:
        paths = {line.split(None, 5)[-1].strip() for line in maps if "/" in line}
    return sorted(path for path in paths if FOREIGN.search(Path(path).name))


def measure(run, calls: int) -> list[float]:
    times = []
    for _ in range(calls):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return times


def serve(engine: Any) -> None:
    for line in sys.stdin:
        command = json.loads(line)
        kind = command["do"]
        if kind == "quit":
            return
        if kind == "prepare":
            answer = engine.prepare(command["model"], command["threads"],
                                    Path(command["folder"]))
        elif kind == "run":
            answer = measure(engine.run, command["calls"])
        elif kind == "results":
            answer = engine.results(Path(command["folder"]))
        else:
            answer = engine.facts()
        print(json.dumps({"answer": answer}), flush=True)


if __name__ == "__main__":
    serve(ENGINES[sys.argv[1]]())
