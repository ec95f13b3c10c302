# SPDX-License-Identifier: Apache-2.0
"""`cuv bench`: minimum, median and p99 of a call, beside a peer's if wanted."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import typer

from ..errors import InputError, NotFoundError
from . import _model, _output


def bench_command(model: str = _model.MODEL, device: str = _model.DEVICE,
                  inputs: str = _model.INPUTS, shape: list[str] = _model.SHAPE,
                  dim: list[str] = _model.DIM, seed: int = _model.SEED,
                  threads: int = _model.THREADS, strict: bool = _model.STRICT,
                  option: list[str] = _model.OPTION, no_cache: bool = _model.NO_CACHE,
                  runs: int = typer.Option(50, "--runs", "-n", min=1, help="Measured calls."),
                  warmup: int = typer.Option(5, "--warmup", min=0, help="Calls before them."),
                  vs: str = typer.Option(None, "--vs", help="Peer: onnxruntime."),
                  json: bool = _model.JSON) -> None:
    """Measure a model. With --vs the calls alternate and results are compared."""
    if vs not in (None, "onnxruntime"):
        raise typer.BadParameter(f"no peer {vs!r}; peers: onnxruntime", param_hint="--vs")
    sizes = _model.dim_sizes(dim)
    compiled = _model.compile_model(model, device, shape, threads, strict, option, no_cache)
    feed = _model.make_inputs(compiled, inputs, sizes, seed)
    calls: dict[str, Callable[[], Any]] = {"cuvil": lambda: compiled(feed)}
    if vs:
        calls[vs] = _onnxruntime(model, feed, compiled.report().get("threads", 0))
    samples = _measure(calls, runs, warmup)
    rows = {name: _statistics(times) for name, times in samples.items()}
    result: dict[str, Any] = {"model": model, "runs": runs, "results": rows}
    if vs:
        result["ratio"] = rows["cuvil"]["median"] / rows[vs]["median"]
        result["largest_difference"] = _difference(calls)
    if json:
        _output.emit_json(result)
    else:
        _print(result, vs)


def _onnxruntime(model: str, feed: dict[str, Any], threads: int) -> Callable[[], Any]:
    try:
        import onnxruntime
    except ImportError:
        raise NotFoundError("onnxruntime is not installed",
                            hint="pip install onnxruntime") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    try:
        session = onnxruntime.InferenceSession(model, options,
                                               providers=["CPUExecutionProvider"])
    except Exception as error:
        raise InputError(f"onnxruntime cannot load the model: {error}", where=model) from None
    return lambda: tuple(session.run(None, feed))


def _measure(calls: dict[str, Callable[[], Any]], runs: int,
             warmup: int) -> dict[str, list[float]]:
    for call in calls.values():
        for _ in range(warmup):
            call()
    samples: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            start = time.perf_counter()
            call()
            samples[name].append(time.perf_counter() - start)
    return samples


def _statistics(times: list[float]) -> dict[str, float]:
    ordered = sorted(times)
    n = len(ordered)
    return {"min": ordered[0], "median": (ordered[(n - 1) // 2] + ordered[n // 2]) / 2,
            "p99": ordered[min(n - 1, round(0.99 * (n - 1)))]}


def _difference(calls: dict[str, Callable[[], Any]]) -> float:
    """Largest difference, relative to the largest value of each output."""
    import numpy as np

    ours, theirs = (_model.as_tuple(call()) for call in calls.values())
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        if a.size:
            a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
            worst = max(worst, float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-30)))
    return worst


def _print(result: dict[str, Any], vs: str | None) -> None:
    from rich.table import Table

    table = Table(title=f"{result['model']}, {result['runs']} runs", title_justify="left")
    table.add_column("")
    for column in ("min", "median", "p99"):
        table.add_column(f"{column} (ms)", justify="right")
    for name, row in result["results"].items():
        table.add_row(name, *(f"{row[key] * 1e3:.3f}" for key in ("min", "median", "p99")))
    console = _output.console()
    console.print(table)
    if vs:
        console.print(f"cuvil takes {result['ratio']:.2f} of {vs}'s time; largest difference "
                      f"of results {result['largest_difference']:.1e} of the largest value")
