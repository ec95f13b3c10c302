# SPDX-License-Identifier: Apache-2.0
"""`cuv run`: one run, its results as a summary or a file."""

from __future__ import annotations

import time

import typer

from . import _model, _output


def run_command(model: str = _model.MODEL, device: str = _model.DEVICE,
                inputs: str = _model.INPUTS, shape: list[str] = _model.SHAPE,
                dim: list[str] = _model.DIM, seed: int = _model.SEED,
                output: str = typer.Option(None, "--output", help="Write results to an .npz "
                                                                  "file."),
                threads: int = _model.THREADS, strict: bool = _model.STRICT,
                option: list[str] = _model.OPTION, no_cache: bool = _model.NO_CACHE,
                profile: bool = typer.Option(False, "--profile", help="Show the time of each "
                                                                      "step."),
                json: bool = _model.JSON) -> None:
    """Compile a model and run it once, on given or random inputs."""
    sizes = _model.dim_sizes(dim)
    compiled = _model.compile_model(model, device, shape, threads, strict, option, no_cache)
    feed = _model.make_inputs(compiled, inputs, sizes, seed)
    start = time.perf_counter()
    results = _model.as_tuple(compiled(feed))
    seconds = time.perf_counter() - start
    named = {info.name: value for info, value in zip(compiled.outputs, results)}
    times = compiled.profile(feed) if profile else None
    if output:
        import numpy as np

        np.savez(output, **named)
    if json:
        data = {"seconds": seconds, "outputs": {n: _summary(v) for n, v in named.items()}}
        _output.emit_json(data | ({"profile": times} if times else {}))
        return
    console = _output.console()
    for name, value in named.items():
        facts = _summary(value)
        console.print(f"{name}: {facts['dtype']}{facts['shape']}  " + "  ".join(
            f"{key} {facts[key]:.6g}" for key in ("min", "mean", "max") if key in facts),
            markup=False)
    console.print(f"ran in {_output.milliseconds(seconds)}"
                  + (f", results in {output}" if output else ""))
    if times:
        console.print(times)


def _summary(value) -> dict:
    facts = {"dtype": str(value.dtype), "shape": list(value.shape)}
    if value.size and value.dtype.kind in "fiub":
        wide = value.astype("f8")
        facts |= {"min": float(wide.min()), "mean": float(wide.mean()), "max": float(wide.max())}
    return facts
