# SPDX-License-Identifier: Apache-2.0
"""`cuv compile`: into the cache, with the time of each stage."""

from __future__ import annotations

import time

from . import _model, _output


def compile_command(model: str = _model.MODEL, device: str = _model.DEVICE,
                    shape: list[str] = _model.SHAPE, threads: int = _model.THREADS,
                    strict: bool = _model.STRICT, option: list[str] = _model.OPTION,
                    no_cache: bool = _model.NO_CACHE, json: bool = _model.JSON) -> None:
    """Compile a model, so that the next use of it starts at once."""
    start = time.perf_counter()
    if json:
        compiled = _model.compile_model(model, device, shape, threads, strict, option, no_cache)
    else:
        compiled = _with_progress(
            lambda progress: _model.compile_model(model, device, shape, threads, strict,
                                                  option, no_cache, progress))
    seconds = time.perf_counter() - start
    report = compiled.report()
    if json:
        _output.emit_json({"model": model, "seconds": seconds,
                           "inputs": [str(i) for i in compiled.inputs],
                           "outputs": [str(o) for o in compiled.outputs],
                           "report": report})
        return
    console = _output.console()
    console.print(report)
    for info in compiled.inputs:
        console.print(f"input   {info}", markup=False)
    for info in compiled.outputs:
        console.print(f"output  {info}", markup=False)
    console.print(f"compiled in {seconds:.2f} s")


def _with_progress(work):
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    with Progress(SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn(),
                  console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("import")
        return work(lambda stage, seconds: bar.update(task, description=stage))
